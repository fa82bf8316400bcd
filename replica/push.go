package replica

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// block is how many bytes are read, compared and sent at a time.
const block = 4 << 20

// Pushed is the result of a push.
type Pushed struct {
	Copy  Copy
	Bytes int64 // bytes added to the log
	New   bool  // whether the store had no copy of this machine
	// Rewritten is set if a new generation was started, because the log is no
	// longer a prefix of the file.
	Rewritten bool
}

// PushOptions configure one push. The zero value is safe.
type PushOptions struct {
	// Replace pushes a file that lacks entries of the store's copy. The previous
	// copy stays as an old generation.
	Replace bool
	// Known lists this person's copies of the session, and perhaps others. Nil
	// means that Push asks the store.
	Known *Listing
}

// Push appends the additional lines of the file to this machine's copy. The
// error is a *BehindError if the store has more.
func (t *Team) Push(ctx context.Context, path string, o PushOptions) (Pushed, error) {
	if t.Machine == "" {
		return Pushed{}, fmt.Errorf("machine: %w", ErrName)
	}
	var err error
	for range 5 { // another process of this machine may push the same session
		var done Pushed
		done, err = t.push(ctx, path, o)
		if !errors.Is(err, store.ErrConflict) {
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
	about About // without length and hash
	o     PushOptions
}

func (t *Team) push(ctx context.Context, path string, o PushOptions) (Pushed, error) {
	from := t.Local
	if other := foreign.StoreOf(path); other != nil {
		from = other
	}
	local, err := from.Open(ctx, path)
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
	if o.Known == nil {
		if o.Known, err = t.store.List(ctx, t.Person, h.ID); err != nil {
			return Pushed{}, err
		}
	}
	if o.Known.Deleted[h.ID] {
		return Pushed{}, ErrDeleted
	}
	p := &pushing{Team: t, path: path, local: local, size: size, o: o,
		about: About{File: filepath.Base(path), Cwd: h.Cwd, Project: ProjectAt(h.Cwd), Policy: t.Policy}}
	if err := p.redactAbout(h.ID); err != nil {
		return Pushed{}, err
	}
	c, there := o.Known.of(t.Person, t.Machine, h.ID)
	if !there {
		done, err := p.run(ctx, Copy{Person: t.Person, Machine: t.Machine, Session: h.ID, Generation: 1})
		done.New = true
		return done, err
	}
	done, err := p.run(ctx, c)
	if errors.Is(err, errOther) || errors.Is(err, ErrIncomplete) {
		return p.renew(ctx, c, errors.Is(err, errOther))
	}
	return done, err
}

// redactAbout redacts what describes the copy in the same way as the session's
// header, whose text it repeats.
func (p *pushing) redactAbout(id string) error {
	if p.Redact == nil {
		return nil
	}
	redact, err := p.Redact(p.path)
	if err != nil {
		return err
	}
	type header struct {
		Type, ID, Cwd, File string
		Project             Project
	}
	line, err := json.Marshal(header{string(format.TypeSession), id, p.about.Cwd, p.about.File, p.about.Project})
	if err != nil {
		return err
	}
	var h header
	if err := json.Unmarshal(redact(append(line, '\n')), &h); err != nil {
		return err
	}
	if h.ID != id {
		return ErrSecretID
	}
	p.about.Cwd, p.about.File, p.about.Project = h.Cwd, h.File, h.Project
	return nil
}

// errOther means that a log and a file differ before the end of both.
var errOther = errors.New("the file was rewritten")

// renew starts a new generation, if the file has every entry of the previous
// one. readable is false if the store lost that.
func (p *pushing) renew(ctx context.Context, c Copy, readable bool) (Pushed, error) {
	if !p.o.Replace && readable {
		missing, err := p.missing(ctx, c)
		if err != nil {
			return Pushed{}, err
		}
		if missing > 0 {
			return Pushed{}, &BehindError{p.path, c, missing}
		}
	}
	done, err := p.run(ctx, Copy{Person: c.Person, Machine: c.Machine, Session: c.Session, Generation: c.Generation + 1})
	done.Rewritten = true
	return done, err
}

// run compares a copy with the file, and appends and describes what it lacks.
// The error is errOther if the copy is not a prefix of the file.
func (p *pushing) run(ctx context.Context, c Copy) (Pushed, error) {
	src, err := p.lines()
	if err != nil {
		return Pushed{}, err
	}
	var there io.Reader // stored bytes that are not described
	if c.Stored > 0 {
		b, err := p.store.Open(ctx, c)
		if err != nil {
			return Pushed{}, err
		}
		defer b.Close()
		there = bufio.NewReaderSize(io.NewSectionReader(b, c.Length, c.Stored-c.Length), 1<<16)
	}
	s := &sending{pushing: p, c: c, from: c.Length, sum: sha256.New(), done: Pushed{Copy: c}}
	if p.store.Describes() {
		s.facts = &collector{from: c.Length, written: p.Now()}
		if info, err := foreign.Stat(p.path); err == nil {
			s.facts.written = info.ModTime()
		}
	}
	for {
		line, err := src()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.line(ctx, line, there)
		}
		if err != nil {
			return s.done, err
		}
	}
	if s.off < c.Length || s.off < c.Stored {
		return s.done, errOther
	}
	if s.off == 0 {
		return s.done, nil // a file without a complete line
	}
	return s.done, s.flush(ctx)
}

// lines returns a function that returns the whole lines of the file, redacted.
// What is after the last line end may still become another line.
func (p *pushing) lines() (func() ([]byte, error), error) {
	r := bufio.NewReaderSize(io.NewSectionReader(p.local, 0, p.size), 1<<16)
	next := func() ([]byte, error) { return r.ReadBytes('\n') }
	if p.Redact == nil {
		return next, nil
	}
	redact, err := p.Redact(p.path)
	return func() ([]byte, error) {
		line, err := next()
		if err != nil {
			return nil, err
		}
		return redact(line), nil
	}, err
}

// sending sends the lines of a file that a copy lacks.
type sending struct {
	*pushing
	c     Copy
	facts *collector // nil if the store does not want it
	sum   hash.Hash  // of the lines so far
	off   int64      // their length
	buf   []byte     // the last of them, which the store does not have
	from  int64      // how many bytes are described
	done  Pushed
}

// line adds the next line of the file. there reads the bytes after those that
// the copy's description covers.
func (s *sending) line(ctx context.Context, line []byte, there io.Reader) error {
	at := s.off
	s.off += int64(len(line))
	s.sum.Write(line)
	if s.facts != nil {
		s.facts.add(line)
	}
	switch {
	case s.off <= s.c.Length:
		if s.off == s.c.Length && hex.EncodeToString(s.sum.Sum(nil)) != s.c.SHA256 {
			return errOther
		}
		return nil
	case at < s.c.Length:
		return errOther
	case at < s.c.Stored:
		had := make([]byte, min(s.off, s.c.Stored)-at)
		if _, err := io.ReadFull(there, had); err != nil {
			return err
		}
		if !bytes.HasPrefix(line, had) {
			return errOther
		}
		line = line[len(had):]
	}
	if s.buf = append(s.buf, line...); len(s.buf) >= block {
		return s.flush(ctx)
	}
	return ctx.Err()
}

// flush sends and describes the lines so far.
func (s *sending) flush(ctx context.Context) error {
	for len(s.buf) > 0 {
		part := s.buf[:min(len(s.buf), block)]
		if err := s.store.Append(ctx, s.c, s.off-int64(len(s.buf)), part); err != nil {
			return err
		}
		s.Progress(int64(len(part)))
		s.done.Bytes += int64(len(part))
		s.buf = s.buf[len(part):]
	}
	d := Description{About: s.about}
	d.Length, d.SHA256 = s.off, hex.EncodeToString(s.sum.Sum(nil))
	if d.About == s.c.About {
		return nil
	}
	if s.facts != nil {
		s.facts.describe(&d)
	}
	if err := s.store.Describe(ctx, s.c, s.from, d); err != nil {
		return err
	}
	s.from, s.c.About, s.c.Stored, s.buf = s.off, d.About, s.off, nil
	s.done.Copy.About, s.done.Copy.Stored = d.About, s.off
	return nil
}

// missing returns the number of entries of a copy that the file lacks.
func (p *pushing) missing(ctx context.Context, c Copy) (int, error) {
	b, err := p.store.Open(ctx, c)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	theirs, err := readLines(ctx, io.NewSectionReader(b, 0, cmp.Or(c.Stored, c.Length)))
	if err != nil {
		return 0, err
	}
	ours, err := readLines(ctx, io.NewSectionReader(p.local, 0, p.size))
	if err != nil {
		return 0, err
	}
	missing := 0
	for id := range theirs.byID {
		if len(ours.byID[id]) == 0 && !theirs.onlyMarkers(id) {
			missing++
		}
	}
	return missing, nil
}
