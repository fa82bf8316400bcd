package replica

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
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

	placed bool // Before is set
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
	var changed []Copy
	for _, c := range copies {
		if c.Session != copies[0].Session {
			return done, fmt.Errorf("%s and %s: %w", c, copies[0], ErrName)
		}
		if !t.Memory.pulled(c, path) {
			changed = append(changed, c)
		}
	}
	slices.SortStableFunc(changed, func(a, b Copy) int { return cmp.Compare(b.Length, a.Length) })
	var err error
	for range 5 { // other programs may write to the file concurrently
		err = (&pulling{Team: t, path: path, done: &done}).run(ctx, changed)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) && !errors.Is(err, store.ErrExist) {
			break
		}
	}
	if err == nil && done.placed {
		var now standing
		now, err = t.look(ctx, path)
		done.After = now.entry
	}
	return done, err
}

// pulling is the pull of copies into one file.
type pulling struct {
	*Team
	path string
	done *Pulled

	log  store.Log // nil if there is no file, or an empty one
	have int64     // its length
	merging
}

// run pulls copies, of which it reads each once. What it got before an error is
// added to the file.
func (p *pulling) run(ctx context.Context, copies []Copy) (failed error) {
	defer p.close()
	if err := p.open(ctx); err != nil {
		return err
	}
	p.done.Incomplete = nil
	var taken []Copy
	for _, c := range copies {
		err := error(ErrIncomplete)
		if c.Length > 0 {
			err = p.take(ctx, c)
		}
		if errors.Is(err, ErrIncomplete) {
			p.done.Incomplete = append(p.done.Incomplete, c)
		} else if err != nil {
			failed = fmt.Errorf("%s: %w", c, err)
			break
		} else {
			taken = append(taken, c)
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	for _, c := range taken {
		p.Memory.recordPull(c, p.path)
	}
	return failed
}

func (p *pulling) open(ctx context.Context) error {
	l, err := p.Local.Open(ctx, p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	p.log = l
	if p.have, err = l.Size(ctx); p.have == 0 {
		p.close()
	}
	return err
}

func (p *pulling) close() {
	if p.log != nil {
		_ = p.log.Close() // appends are complete when they return
		p.log = nil
	}
}

// take creates the file from a copy, or adds the entries that it lacks.
func (p *pulling) take(ctx context.Context, c Copy) error {
	b, err := p.fetch(ctx, c)
	if err != nil {
		return err
	}
	defer os.Remove(b.Name()) // where it could not be removed while it is open
	defer b.Close()
	if p.log == nil {
		return p.make(ctx, b, nil, 0, c.Length)
	}
	same, err := p.extend(ctx, b, c.Length, 0, 0)
	if same || err != nil {
		return err
	}
	theirs, err := readLines(ctx, io.NewSectionReader(b, 0, c.Length))
	if err != nil {
		return err
	}
	clash, err := p.merge(ctx, b, theirs)
	if clash != nil {
		return p.fork(ctx, c, b, theirs)
	}
	return err
}

// fetch copies the described bytes of a copy to a temporary file, since the
// files of a Folder can change while they are read. The error matches
// ErrIncomplete if the bytes are not those that the description names.
func (p *pulling) fetch(ctx context.Context, c Copy) (*os.File, error) {
	b, err := p.store.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	f, err := os.CreateTemp("", "pith-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // it is gone when the process is
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), io.NewSectionReader(b, 0, c.Length))
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != c.SHA256 {
		err = ErrIncomplete
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return f, nil
}

// A standing is the leaf of a session.
type standing struct {
	leaf  string
	entry string // the leaf, or its parent if that only records a leaf
	held  bool   // whether its program has it open and would lose entries
}

// look determines the leaf of the session in a file.
func (t *Team) look(ctx context.Context, path string) (now standing, err error) {
	s, err := pith.Open(ctx, path, pith.Options{ReadOnly: true, Store: t.Local, Now: t.Now})
	if err != nil {
		return now, err
	}
	defer s.Close()
	now = standing{leaf: s.LeafID(), entry: s.LeafID()}
	for now.entry != "" {
		e, err := s.Entry(now.entry)
		if err != nil {
			return now, err
		}
		c, ok := e.(*format.Custom)
		if !ok || c.CustomType != format.LeafCustomType || c.ParentID == now.entry {
			break
		}
		now.entry = c.ParentID
	}
	now.held = filestore.Is(t.Local) && !t.Force && s.Held(ctx) != nil
	return now, nil
}

// prepare is called before an append to the file.
func (p *pulling) prepare(ctx context.Context) error {
	if p.known {
		return nil
	}
	now, err := p.look(ctx, p.path)
	if err != nil {
		return err
	}
	if now.held {
		return ErrHeld
	}
	if !p.done.placed {
		p.done.placed, p.done.Before = true, now.entry
	}
	p.known, p.leaf = true, now.leaf
	return nil
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

// make creates the file with a header and the bytes of a copy from an offset.
func (p *pulling) make(ctx context.Context, b io.ReaderAt, head []byte, from, size int64) error {
	fill := store.Fill(func(w io.Writer) error {
		_, err := w.Write(head)
		if err == nil {
			_, err = io.Copy(w, io.NewSectionReader(b, from, size-from))
		}
		return err
	})
	l, err := p.Local.Create(ctx, p.path, fill.Until(ctx))
	if err != nil {
		return err
	}
	p.Progress(size)
	p.done.Bytes += size
	p.done.Created = true
	p.log = l
	p.have, err = l.Size(ctx)
	return err
}

// extend appends to the file what a copy has more, if the rest of the copy from
// an offset begins with the rest of the file from another, and reports whether
// it does. It appends whole lines, so that a file that is a prefix of the copy
// still is one if extend is interrupted.
func (p *pulling) extend(ctx context.Context, b io.ReaderAt, size, from, to int64) (bool, error) {
	length := min(size-from, p.have-to)
	same, err := sameBytes(ctx, io.NewSectionReader(p.log, to, length), io.NewSectionReader(b, from, length), length)
	from += length
	if err != nil || !same || from < size && p.out.Len() > 0 {
		return false, err
	}
	for from < size {
		// A pull does not repair a damaged file, but continues it.
		if err := p.prepare(ctx); errors.Is(err, ErrHeld) || ctx.Err() != nil {
			return false, cmp.Or(ctx.Err(), err)
		}
		part, err := wholeLines(b, from, size)
		if err != nil {
			return false, err
		}
		if _, err := p.log.Append(ctx, p.have, part); err != nil {
			return false, err
		}
		p.have, from = p.have+int64(len(part)), from+int64(len(part))
		p.merging = merging{}
		p.done.Bytes += int64(len(part))
		p.Progress(int64(len(part)))
	}
	return true, nil
}

// wholeLines returns lines of a copy that start at an offset: about a block, or
// one line if it is longer, or the rest.
func wholeLines(b io.ReaderAt, at, size int64) ([]byte, error) {
	for length := min(int64(block), size-at); ; length = min(2*length, size-at) {
		part := make([]byte, length)
		if _, err := b.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if at+length == size {
			return part, nil
		}
		if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
			return part[:end+1], nil
		}
	}
}
