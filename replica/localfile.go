package replica

import (
	"context"
	"io"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A localFile is a file that several copies are taken into. What was learnt of it for
// one is kept for the next: a session of many machines is read once, not once for each.
// It holds as long as the log that is open is the file's.
type localFile struct {
	path         string
	log          store.Log // nil when it is not open
	lines        *lines    // of the first size bytes; nil when they were not read
	size         int64
	end          int64  // its length, if nobody else wrote
	leaf         string // where the session stands, if stands is true
	stands, free bool
	before       *string // the entry at which it stood before the pull; nil if nothing was added
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
		f.end, f.stands, f.free = have, false, false // somebody else wrote
	}
	return have, err
}

// append appends to the file, which ends at an offset. Leaf is where the session stands
// then; "" when that must be looked for.
func (f *localFile) append(ctx context.Context, at int64, p []byte, leaf string) error {
	if _, err := f.log.Append(ctx, at, p); err != nil {
		return err
	}
	f.end = at + int64(len(p))
	f.leaf, f.stands = leaf, leaf != ""
	return nil
}

// forget drops what is known of the file, which may have changed.
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
		f.lines, f.size = newLines(), 0 // half a line may have become a whole one
	}
	if err := f.lines.read(ctx, io.NewSectionReader(f.log, f.size, have-f.size), f.size); err != nil {
		f.lines = nil
		return nil, err
	}
	f.size = have
	return f.lines, nil
}

// position returns the id of the session's leaf.
func (p *pulling) position(ctx context.Context, f *localFile) (string, error) {
	if f.stands {
		return f.leaf, nil
	}
	s, err := pith.Open(ctx, f.path, pith.Options{ReadOnly: true, Store: p.Local})
	if err != nil {
		return "", err
	}
	f.leaf, f.stands = s.LeafID(), true
	return f.leaf, s.Close()
}

// prepare is called before the file is appended to. It notes where the session stands,
// and returns an error if the program that the session belongs to would lose what
// follows.
func (p *pulling) prepare(ctx context.Context, f *localFile) error {
	if f.before == nil && !p.o.TakePosition {
		before, err := p.stand(ctx, f)
		if err != nil {
			return err
		}
		f.before = &before
	}
	if _, disk := p.Local.(*filestore.Store); !disk || p.Force || f.free {
		return nil
	}
	s, err := pith.Open(ctx, f.path, pith.Options{ReadOnly: true, Now: p.Now})
	if err != nil {
		return nil // a damaged file is not for a pull to mend
	}
	defer s.Close()
	if s.Held(ctx) != nil {
		return ErrHeld
	}
	f.free = true
	return nil
}

// stand returns the entry at which the session stands: its leaf, or the entry above
// if that only records a position. It is "" for a file that cannot be read as a session.
func (t *Team) stand(ctx context.Context, f *localFile) (string, error) {
	s, err := pith.Open(ctx, f.path, pith.Options{ReadOnly: true, Store: t.Local})
	if err != nil {
		return "", ctx.Err()
	}
	defer s.Close()
	id := s.LeafID()
	for id != "" {
		e, err := s.Entry(id)
		if err != nil {
			return "", err
		}
		if c, ok := e.(*format.Custom); !ok || c.CustomType != format.LeafCustomType || c.ParentID == id {
			break
		}
		id = e.(*format.Custom).ParentID
	}
	return id, nil
}
