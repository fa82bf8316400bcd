package pith

import (
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// A TableStore keeps what was learnt of the files of large sessions, so that they
// need not be read again when they are opened again: where each entry is and how
// entries hang together. It is a cache; what it loses is read from the session.
// Its methods may be called from several goroutines.
type TableStore interface {
	// Load is what was last saved for a session's file; nil when there is nothing,
	// or the file is not the one that it was saved for. The file may have grown
	// since. Data must be, byte for byte, what was saved, begin at a multiple of 8
	// in memory, and stay valid as long as the owner can be reached. It will be
	// written to, which must not change what is kept.
	Load(file string) (data []byte, owner any)
	// Save keeps what fill writes for a session's file, of which it covers so many
	// bytes. It appears complete or not at all.
	Save(file string, covered int64, fill func(io.Writer) error) error
}

const (
	// leastSaved is how long a file must be for its table to be worth keeping:
	// reading so much costs some milliseconds.
	leastSaved = 4 << 20
	// tailPart is which part of a file may be new before its table is saved again.
	tailPart = 64
)

// recall is what the session's table store knows of a log; nil when it does not
// know it, or not well enough.
func (s *Session) recall(ctx context.Context, size int64) *reading {
	if s.opt.Tables == nil || s.file == "" {
		return nil
	}
	data, owner := s.opt.Tables.Load(s.file)
	if data == nil {
		return nil
	}
	r := envelope.NewFlatReader(data)
	table, err := envelope.Recall(r, s.log, size, owner)
	if err != nil {
		return nil
	}
	t, err := tree.Recall(r, envelope.Links{Table: table})
	if err != nil || t.Len() != table.Len() {
		return nil
	}
	l := &reading{table: table, tree: t, saved: table.Size()}
	if err := table.Extend(envelope.Until(ctx, s.log), size); err != nil || table.NeedsMigration() {
		return nil
	}
	t.Extend()
	return l
}

// SaveTable gives what is known of the session's file to the table store. Close
// does so where it pays; this is for who stays open for long. Without a table
// store, and for a file of an old version, it does nothing.
func (s *Session) SaveTable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.saveTable()
}

func (s *Session) saveTable() error {
	if s.opt.Tables == nil || s.file == "" || s.log == nil || s.migrated != nil || s.closed {
		return nil
	}
	if _, err := s.log.Size(); err != nil {
		return s.wrap("save the table of", err) // gone, and another file may have its name
	}
	covered := s.table.Size()
	err := s.opt.Tables.Save(s.file, covered, func(w io.Writer) error {
		out := envelope.NewFlatWriter(w)
		s.table.Save(out)
		s.tree.Save(out)
		return out.Err()
	})
	if err != nil {
		return s.wrap("save the table of", err)
	}
	s.saved = covered
	return nil
}

// tableOutdated reports whether much of the file is not in the saved table.
func (s *Session) tableOutdated() bool {
	size := s.table.Size()
	return size >= leastSaved && size-s.saved > max(leastSaved, size/tailPart)
}
