package replica

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// Pulled is the result of a pull.
type Pulled struct {
	Path    string
	Created bool
	Bytes   int64 // bytes added to this file and to forks
	// Before and After are the leaves of an existing session before and after
	// the pull; "" if the pull added nothing to it.
	Before, After string
	// Unverified are encrypted copies that could not be checked for
	// completeness: they are [Replica.Unbound], or their machine recorded no
	// hash of them.
	Unverified []Replica
	// Others are the files of forks: of copies that could not be merged,
	// because both sides have an entry with the same id, and of those of other
	// people.
	Others []string
}

// Moved reports whether the leaf of the session changed.
func (p *Pulled) Moved() bool { return p.Before != p.After }

// PullOptions configure one pull. The zero value is safe.
type PullOptions struct {
	// TakePosition makes the leaf of the last added copy the leaf of the
	// session. Otherwise the leaf stays, or moves forward if the new entries
	// continue from it.
	TakePosition bool
	// Ask decides about entries of another person that a session lacks, unless
	// they already have a fork. Nil means Fork. It is not called for a file
	// that a pull from that person created.
	Ask func(r Replica, entries int) (Choice, error)
}

// Pull appends the additional entries of copies of one session to a file, or
// creates the file. It reads only copies that changed since they were last
// pulled.
func (t *Team) Pull(ctx context.Context, copies []Replica, path string, o PullOptions) (Pulled, error) {
	done := Pulled{Path: path}
	if len(copies) == 0 {
		return done, ErrNoReplica
	}
	copies = slices.Clone(copies)
	slices.SortStableFunc(copies, func(a, b Replica) int { return cmp.Compare(b.Size, a.Size) })
	file := &localFile{path: path}
	defer file.close()
	for _, r := range copies {
		if r.Session != copies[0].Session {
			return done, fmt.Errorf("%s and %s: %w", r, copies[0], ErrName)
		}
		if t.Memory.pulled(r, path) {
			continue
		}
		if err := t.take(ctx, r, file, &done, o); err != nil {
			return done, fmt.Errorf("%s: %w", r, err)
		}
	}
	return done, t.reportPosition(ctx, file, &done)
}

// reportPosition sets the leaves of a changed file before and after the pull.
func (t *Team) reportPosition(ctx context.Context, file *localFile, done *Pulled) error {
	if file.before == nil {
		return nil
	}
	file.forget()
	now, err := t.look(ctx, file)
	if err != nil {
		return err
	}
	done.Before, done.After = *file.before, now.entry
	return nil
}

// pulling is the pull of one replica into one file.
type pulling struct {
	*Team
	replica Replica
	remote  content
	size    int64 // size of the remote content
	done    *Pulled
	o       PullOptions
}

func (t *Team) take(ctx context.Context, r Replica, file *localFile, done *Pulled, o PullOptions) error {
	facts, err := t.checkpoint(ctx, r) // before the copy, which only grows
	if err != nil {
		return err
	}
	c, err := t.open(ctx, r.Log())
	if err != nil {
		return err
	}
	defer c.Close()
	size, err := c.Size(ctx)
	if err != nil {
		return err
	}
	if r.Sealed {
		if err := verify(ctx, c, size, facts); err != nil {
			return err
		}
		if facts.Length == 0 {
			done.Unverified = append(done.Unverified, r)
		}
	}
	p := &pulling{t, r, c, size, done, o}
	for range 5 { // other programs may write to the file concurrently
		err = p.into(ctx, file)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) && !errors.Is(err, store.ErrExist) {
			break
		}
		file.forget()
	}
	switch {
	case errors.Is(err, errSkipped):
		return nil
	case err == nil:
		t.Memory.recordPull(r, done.Path)
	}
	return err
}

// into appends the additional entries of the replica to a file, or creates the
// file.
func (p *pulling) into(ctx context.Context, file *localFile) error {
	have, err := file.open(ctx, p.Local)
	if errors.Is(err, fs.ErrNotExist) || err == nil && have == 0 {
		file.forget()
		if err := p.make(ctx, file.path, nil); err != nil {
			return err
		}
		p.Memory.recordOrigin(file.path, p.replica.Person)
		return nil
	}
	if err != nil {
		return err
	}
	if p.foreign(file.path) {
		return p.ask(ctx, file, have)
	}
	common := min(have, p.size)
	same, err := sameBytes(ctx, io.NewSectionReader(file.log, 0, common), io.NewSectionReader(p.remote, 0, common), common)
	switch {
	case err != nil:
		return err
	case same && have >= p.size:
		return nil
	case same:
		if err := p.prepare(ctx, file); err != nil {
			return err
		}
		return p.extend(ctx, file.log, have, have)
	}
	theirs, err := readLines(ctx, io.NewSectionReader(p.remote, 0, p.size))
	if err != nil {
		return err
	}
	clash, err := p.merge(ctx, file, have, theirs)
	if clash != nil {
		return p.fork(ctx, theirs, file.path)
	}
	return err
}

// make creates a file with the bytes of the replica. If head is not nil, it
// replaces the header.
func (p *pulling) make(ctx context.Context, path string, head []byte) error {
	l, err := p.Local.Create(ctx, path, func(w io.Writer) error {
		src := io.NewSectionReader(p.remote, 0, p.size)
		buf := buffer(p.size)
		if head != nil {
			if _, err := w.Write(head); err != nil {
				return err
			}
		}
		for skip := head != nil; ; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n, err := io.ReadFull(src, buf)
			part := buf[:n]
			if skip {
				part = afterHeader(part)
				skip = false
			}
			if _, err := w.Write(part); err != nil {
				return err
			}
			p.Progress(int64(n))
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	p.done.Bytes += p.size
	p.done.Created = p.done.Created || head == nil
	return l.Close()
}

// afterHeader returns the bytes after the first line that is a header.
func afterHeader(part []byte) []byte {
	off := 0
	for text := range bytes.Lines(part) {
		off += len(text)
		if jsonl.LookupString(text, "type") == string(format.TypeSession) {
			return part[off:]
		}
	}
	return part
}

// extend appends the bytes of the replica from offset from to a file of at
// bytes. It appends whole lines, so that a file that is a prefix of the replica
// still is one if extend is interrupted.
func (p *pulling) extend(ctx context.Context, local store.Log, at, from int64) error {
	for from < p.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		part, err := p.wholeLines(from)
		if err != nil {
			return err
		}
		if _, err := local.Append(ctx, at, part); err != nil {
			return err
		}
		at, from = at+int64(len(part)), from+int64(len(part))
		p.done.Bytes += int64(len(part))
		p.Progress(int64(len(part)))
	}
	return nil
}

// wholeLines returns lines of the replica that start at an offset: about a
// block, or one line if it is longer, or the rest.
func (p *pulling) wholeLines(at int64) ([]byte, error) {
	for length := min(int64(block), p.size-at); ; length = min(2*length, p.size-at) {
		part := make([]byte, length)
		if _, err := p.remote.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if at+length == p.size {
			return part, nil
		}
		if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
			return part[:end+1], nil
		}
	}
}

// Header returns the header of a replica.
func (t *Team) Header(ctx context.Context, r Replica) (*format.Header, error) {
	c, err := t.open(ctx, r.Log())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return sessiondir.ReadHeader(c)
}
