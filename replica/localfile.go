package replica

import (
	"context"
	"io"

	"github.com/pith-sessions/pith"
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

// forget closes the file: what is known of it may hold no more.
func (f *localFile) forget() {
	if f.log != nil {
		f.log.Close()
	}
	*f = localFile{path: f.path}
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

// position is where the session stands: the id of its leaf.
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

// free reports whether a file can be appended to: some programs lose what follows.
func (p *pulling) free(ctx context.Context, f *localFile) error {
	if _, disk := p.Local.(*filestore.Store); !disk || p.Force || f.free {
		return nil
	}
	s, err := pith.Open(ctx, f.path, pith.Options{ReadOnly: true, Now: p.Now})
	if err != nil {
		return nil // it is not for us to mend it
	}
	defer s.Close()
	if s.Held(ctx) != nil {
		return ErrHeld
	}
	f.free = true
	return nil
}
