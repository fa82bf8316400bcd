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
	// Others are the files of forks: of copies that could not be merged,
	// because both sides have an entry with the same id.
	Others []string
	// Incomplete are copies that were left out, because the store does not have
	// all of their bytes yet.
	Incomplete []Copy
}

// Moved reports whether the leaf of the session changed.
func (p *Pulled) Moved() bool { return p.Before != p.After }

// Pull appends the additional entries of copies of one session to a file, or
// creates the file. It reads only copies that changed since they were last
// pulled.
func (t *Team) Pull(ctx context.Context, copies []Copy, path string) (Pulled, error) {
	done := Pulled{Path: path}
	if len(copies) == 0 {
		return done, ErrNoCopy
	}
	copies = slices.Clone(copies)
	slices.SortStableFunc(copies, func(a, b Copy) int { return cmp.Compare(b.Length, a.Length) })
	file := &localFile{path: path}
	defer file.close()
	for _, c := range copies {
		if c.Session != copies[0].Session {
			return done, fmt.Errorf("%s and %s: %w", c, copies[0], ErrName)
		}
		if t.Memory.pulled(c, path) {
			continue
		}
		err := error(ErrIncomplete)
		if c.Length > 0 {
			err = t.take(ctx, c, file, &done)
		}
		if errors.Is(err, ErrIncomplete) {
			done.Incomplete = append(done.Incomplete, c)
		} else if err != nil {
			return done, fmt.Errorf("%s: %w", c, err)
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

// pulling is the pull of one copy into one file.
type pulling struct {
	*Team
	copy   Copy
	remote Bytes
	size   int64 // how much of it is described
	done   *Pulled
}

func (t *Team) take(ctx context.Context, c Copy, file *localFile, done *Pulled) error {
	b, err := t.store.Open(ctx, c)
	if err != nil {
		return err
	}
	defer b.Close()
	p := &pulling{t, c, b, c.Length, done}
	for range 5 { // other programs may write to the file concurrently
		err = p.into(ctx, file)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) && !errors.Is(err, store.ErrExist) {
			break
		}
		file.forget()
	}
	if err == nil {
		t.Memory.recordPull(c, done.Path)
	}
	return err
}

// into appends the additional entries of the copy to a file, or creates the
// file.
func (p *pulling) into(ctx context.Context, file *localFile) error {
	have, err := file.open(ctx, p.Local)
	if errors.Is(err, fs.ErrNotExist) || err == nil && have == 0 {
		file.forget()
		return p.make(ctx, file.path, nil)
	}
	if err != nil {
		return err
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

// buffer returns a buffer for reading length bytes, of at most a block.
func buffer(length int64) []byte { return make([]byte, max(4<<10, min(length, block))) }

// sameBytes reports whether the next length bytes of two sources are the same.
func sameBytes(ctx context.Context, a, b io.Reader, length int64) (bool, error) {
	x, y := buffer(length), buffer(length)
	for length > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n := min(int64(len(x)), length)
		if _, err := io.ReadFull(a, x[:n]); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(b, y[:n]); err != nil {
			return false, err
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false, nil
		}
		length -= n
	}
	return true, nil
}

// make creates a file with the bytes of the copy. If head is not nil, it
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

// extend appends the bytes of the copy from offset from to a file of at
// bytes. It appends whole lines, so that a file that is a prefix of the copy
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

// wholeLines returns lines of the copy that start at an offset: about a
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

// Header returns the header of a copy.
func (t *Team) Header(ctx context.Context, c Copy) (*format.Header, error) {
	b, err := t.store.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return sessiondir.ReadHeader(io.NewSectionReader(b, 0, c.Length))
}
