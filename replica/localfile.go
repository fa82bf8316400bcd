package replica

import (
	"context"
	"io"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A localFile is a file that several copies are merged into. It caches the
// content of the file, so that the file is read once and not once for each
// copy.
type localFile struct {
	path   string
	log    store.Log // nil if not open
	lines  *lines    // lines of the first size bytes; nil if not read
	size   int64
	end    int64     // its length, unless another program wrote
	seen   *standing // nil if unknown
	before *string   // leaf before the pull; nil if nothing was added
}

// open opens the file, unless it is open, and returns its length.
func (f *localFile) open(ctx context.Context, local store.Store) (have int64, err error) {
	if f.log == nil {
		if f.log, err = local.Open(ctx, f.path); err != nil {
			f.log = nil
			return 0, err
		}
	}
	if have, err = f.log.Size(ctx); have != f.end {
		f.end, f.seen = have, nil // another program wrote
	}
	return have, err
}

// append appends to the file at its end, at. leaf is the id of the session's
// new leaf, or "" if unknown.
func (f *localFile) append(ctx context.Context, at int64, p []byte, leaf string) error {
	if _, err := f.log.Append(ctx, at, p); err != nil {
		return err
	}
	f.end = at + int64(len(p))
	if leaf == "" || f.seen == nil {
		f.seen = nil
		return nil
	}
	f.seen = &standing{leaf: leaf, entry: f.seen.entry, held: f.seen.held}
	return nil
}

// forget drops the cached state of the file, which may have changed.
func (f *localFile) forget() {
	f.close()
	*f = localFile{path: f.path, before: f.before}
}

func (f *localFile) close() {
	if f.log != nil {
		_ = f.log.Close() // appends are complete when they return
	}
}

// read reads the lines before an offset that were not read yet.
func (f *localFile) read(ctx context.Context, have int64) (*lines, error) {
	if f.lines == nil || f.lines.torn || f.size > have {
		f.lines, f.size = newLines(), 0 // an incomplete line may have been completed
	}
	if err := f.lines.read(ctx, io.NewSectionReader(f.log, f.size, have-f.size), f.size); err != nil {
		f.lines = nil
		return nil, err
	}
	f.size = have
	return f.lines, nil
}

// A standing is the leaf of a session.
type standing struct {
	leaf  string
	entry string // the leaf, or its parent if that only records a leaf
	held  bool   // whether its program has it open and would lose entries
}

// look determines the leaf of the session in the file, unless it is known.
func (t *Team) look(ctx context.Context, f *localFile) (*standing, error) {
	if f.seen != nil {
		return f.seen, nil
	}
	s, err := pith.Open(ctx, f.path, pith.Options{ReadOnly: true, Store: t.Local, Now: t.Now})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	now := &standing{leaf: s.LeafID(), entry: s.LeafID()}
	for now.entry != "" {
		e, err := s.Entry(now.entry)
		if err != nil {
			return nil, err
		}
		c, ok := e.(*format.Custom)
		if !ok || c.CustomType != format.LeafCustomType || c.ParentID == now.entry {
			break
		}
		now.entry = c.ParentID
	}
	if filestore.Is(t.Local) && !t.Force {
		now.held = s.Held(ctx) != nil
	}
	f.seen = now
	return now, nil
}

// prepare is called before an append to the file.
func (p *pulling) prepare(ctx context.Context, f *localFile) error {
	now, err := p.look(ctx, f)
	if err != nil {
		return ctx.Err() // a pull does not repair a damaged file
	}
	if now.held {
		return ErrHeld
	}
	if f.before == nil {
		f.before = &now.entry
	}
	return nil
}
