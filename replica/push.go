package replica

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// block is how many bytes are read, compared and sent at a time.
const block = 4 << 20

// checkEvery is how many bytes an unencrypted log grows before the hash of its
// content is recorded again. A push compares the recorded part by its hash and
// reads back the rest.
const checkEvery = 1 << 20

// Pushed is the result of a push.
type Pushed struct {
	Replica Replica
	Bytes   int64 // bytes added to the log
	New     bool  // whether the store had no copy of this machine
	// Rewritten is set if a new generation was started, because the log is no
	// longer a prefix of the file.
	Rewritten bool
}

// PushOptions configure one push. The zero value is safe.
type PushOptions struct {
	// Cwd is the project's directory on this machine; "" means that of the
	// header.
	Cwd string
	// Replace pushes a file that lacks entries of the store's copy, or whose
	// copy or journal was modified. The previous copy stays as an old
	// generation.
	Replace bool
	// Deleted reports whether the store marks a session as deleted. Nil means
	// that Push asks the store.
	Deleted func(session string) bool
	// Known are this machine's copies of the session, newest first. Nil means
	// that Push asks the store.
	Known []Replica
}

// Push appends the additional bytes of the file to this machine's copy. The
// error is a *BehindError if the store has more.
func (t *Team) Push(ctx context.Context, path string, o PushOptions) (Pushed, error) {
	if t.Person == "" || t.Machine == "" {
		return Pushed{}, fmt.Errorf("person and machine: %w", ErrName)
	}
	var err error
	for range 5 { // another process of this machine may push the same session
		var done Pushed
		done, err = t.push(ctx, path, o)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrExist) {
			return done, err
		}
		o.Known = nil
	}
	return Pushed{}, err
}

// pushing is one attempt to push a file.
type pushing struct {
	*Team
	path  string
	local store.Log
	size  int64
	facts Facts
	own   *journal // journal of this machine; nil until needed
	told  *factWriter
	o     PushOptions
}

// written returns the time of the file, or the current time if it has none.
func (p *pushing) written() time.Time {
	if info, err := os.Stat(p.path); err == nil {
		return info.ModTime()
	}
	return p.Now()
}

func (t *Team) push(ctx context.Context, path string, o PushOptions) (Pushed, error) {
	local, err := t.Local.Open(ctx, path)
	if err != nil {
		return Pushed{}, err
	}
	defer local.Close()
	size, err := local.Size(ctx)
	if err != nil {
		return Pushed{}, err
	}
	h, err := sessiondir.ReadHeader(local)
	if err != nil {
		return Pushed{}, err
	}
	if !ValidName(h.ID) {
		return Pushed{}, fmt.Errorf("session id %q: %w", h.ID, ErrName)
	}
	if s, ok := t.store.(Preparer); ok && o.Known == nil {
		forget, err := s.Prepare(ctx, t.prefix(h.ID), tomb(t.Person, h.ID), journalOf(t.Person, t.Machine, Replica{Sealed: t.Key != nil}.mark()))
		if err != nil {
			return Pushed{}, err
		}
		defer forget()
	}
	if err := t.notDeleted(ctx, h.ID, o); err != nil {
		return Pushed{}, err
	}
	cwd := cmp.Or(o.Cwd, h.Cwd)
	p := &pushing{Team: t, path: path, local: local, size: size, o: o,
		facts: Facts{Session: h.ID, File: filepath.Base(path), Cwd: h.Cwd, Project: ProjectAt(cwd), Policy: t.Policy}}
	if err := p.redactFacts(); err != nil {
		return Pushed{}, err
	}
	return p.run(ctx)
}

// redactFacts redacts the facts in the same way as the session's header, whose
// text they repeat.
func (p *pushing) redactFacts() error {
	if p.Redact == nil {
		return nil
	}
	r, err := p.Redact(p.path)
	if err != nil {
		return err
	}
	type header struct {
		Type, ID, Cwd, File string
		Project             Project
	}
	line, err := json.Marshal(header{string(format.TypeSession), p.facts.Session, p.facts.Cwd, p.facts.File, p.facts.Project})
	if err != nil {
		return err
	}
	var h header
	if err := json.Unmarshal(r.Redact(append(line, '\n')), &h); err != nil {
		return err
	}
	if h.ID != p.facts.Session {
		return ErrSecretID
	}
	p.facts.Cwd, p.facts.File, p.facts.Project = h.Cwd, h.File, h.Project
	return nil
}

// prefix returns the start of the names of this machine's copies of a session.
func (t *Team) prefix(session string) string {
	return fmt.Sprintf("/%s/%s/%s/", t.Person, t.Machine, session)
}

func (t *Team) notDeleted(ctx context.Context, session string, o PushOptions) error {
	if o.Deleted != nil {
		if o.Deleted(session) {
			return ErrDeleted
		}
		return nil
	}
	l, err := t.store.Open(ctx, tomb(t.Person, session))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	_ = l.Close() // only opened
	return ErrDeleted
}

func (p *pushing) run(ctx context.Context) (Pushed, error) {
	known := p.o.Known
	if known == nil {
		l, err := p.list(ctx, p.prefix(p.facts.Session))
		if err != nil {
			return Pushed{}, err
		}
		known = append(l.Replicas, l.Old...)
	}
	if len(known) == 0 {
		done, err := p.begin(ctx, Replica{Person: p.Person, Machine: p.Machine, Session: p.facts.Session, Generation: 1, Sealed: p.Key != nil})
		done.New = true
		return done, err
	}
	r := known[0]
	if r.Unbound || r.Sealed != (p.Key != nil) { // encryption was turned on or off
		return p.renew(ctx, r)
	}
	done, err := p.appendRest(ctx, r)
	if errors.Is(err, errOther) || errors.Is(err, ErrBroken) && p.o.Replace {
		return p.renew(ctx, r)
	}
	return done, err
}

// errOther means that a log and a file differ before the end of both.
var errOther = errors.New("the file was rewritten")

// renew starts a new generation, if the file has every entry of the previous
// one.
func (p *pushing) renew(ctx context.Context, r Replica) (Pushed, error) {
	if !p.o.Replace {
		missing, err := p.missing(ctx, r)
		if err != nil {
			return Pushed{}, err
		}
		if missing > 0 {
			return Pushed{}, &BehindError{p.path, r, missing}
		}
	}
	done, err := p.begin(ctx, Replica{Person: r.Person, Machine: r.Machine, Session: r.Session, Generation: r.Generation + 1, Sealed: p.Key != nil})
	done.Rewritten = true
	return done, err
}

// begin creates the log of a new replica with its first block. If the rest is
// interrupted, the next push continues it.
func (p *pushing) begin(ctx context.Context, r Replica) (Pushed, error) {
	src, err := p.source()
	if err != nil {
		return Pushed{}, err
	}
	if p.told, err = p.newFacts(ctx, r, 0); err != nil {
		return Pushed{}, err
	}
	src = p.told.tee(ctx, src)
	buf := buffer(p.size)
	n, err := io.ReadFull(src, buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Pushed{}, err
	}
	if n == 0 {
		return Pushed{}, fs.ErrNotExist // a file without a complete line
	}
	c, err := p.create(ctx, r.Log(), buf[:n])
	if err != nil {
		return Pushed{}, err
	}
	defer c.Close()
	p.Progress(int64(n))
	if err := p.told.stored(ctx, int64(n)); err != nil {
		return Pushed{}, err
	}
	sum := sha256.New()
	sum.Write(buf[:n])
	done := Pushed{Replica: r, Bytes: int64(n)}
	err = p.send(ctx, c, src, sum, int64(n), &done, 0)
	return done, err
}

// appendRest appends the additional bytes of the file to a replica.
func (p *pushing) appendRest(ctx context.Context, r Replica) (Pushed, error) {
	done := Pushed{Replica: r}
	c, err := p.open(ctx, r.Log())
	if err != nil {
		return done, err
	}
	defer c.Close()
	have, err := c.Size(ctx)
	if err != nil {
		return done, err
	}
	src, err := p.source()
	if err != nil {
		return done, err
	}
	if p.told, err = p.newFacts(ctx, r, have); err != nil {
		return done, err
	}
	src = p.told.tee(ctx, src)
	sum := sha256.New()
	checked, err := p.compare(ctx, c, have, src, sum)
	if err != nil {
		return done, err
	}
	done.Replica.Size = have
	return done, p.send(ctx, c, src, sum, have, &done, checked)
}

// send appends the rest of the source, and records a checkpoint if one is due.
func (p *pushing) send(ctx context.Context, c content, src io.Reader, sum hash.Hash, at int64, done *Pushed, checked int64) error {
	buf := buffer(p.size - at)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(src, buf)
		if n > 0 {
			if _, err := c.Append(ctx, at, buf[:n]); err != nil {
				return err
			}
			sum.Write(buf[:n])
			at += int64(n)
			done.Bytes += int64(n)
			p.Progress(int64(n))
			if err := p.told.stored(ctx, at); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	done.Replica.Size = at
	if err := p.told.finish(ctx, p.written(), sum.Sum(nil)); err != nil {
		return err
	}
	facts := p.facts
	facts.Generation, facts.Length, facts.SHA256 = done.Replica.Generation, at, hex.EncodeToString(sum.Sum(nil))
	// The checkpoint of an encrypted copy shows readers where it ends, so each
	// push records one.
	if p.own != nil {
		known := p.own.facts[facts.Session]
		if known.description() == facts.description() && (known.Length == at || p.Key == nil && at-checked < checkEvery) {
			return nil
		}
	}
	return p.record(ctx, facts)
}
