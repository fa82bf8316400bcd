package pith

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/store"
)

// migrate is a log of an old version in the present one. Only the members that
// migration is about change; everything between entries, damaged lines
// included, is carried over as it is.
func migrate(ctx context.Context, log io.ReaderAt, t *envelope.Table) (*patchedlog.Log, error) {
	e := editor{log: envelope.Until(ctx, log), out: patchedlog.New(log)}
	if t.HeaderAt == 3 { // nothing but a byte order mark fits before it; pi refuses such a file
		e.at = t.HeaderAt
	}
	t.Migrate(func(at int64, length int, migrated func([]byte) []byte) {
		if at == e.at && at != t.HeaderAt { // records on one line, which pi cannot read
			e.out.Put(newline)
		}
		e.change(at, length, migrated)
	})
	e.out.Keep(e.at, t.Size())
	if t.Tail() != envelope.TailClean {
		e.out.Put(newline) // so that it can be appended to
	}
	return e.out, e.err
}

// An editor goes through a log and changes lines of it on the way.
type editor struct {
	log  io.ReaderAt
	out  *patchedlog.Log
	at   int64 // what lies before it in the log is done
	line []byte
	err  error
}

func (e *editor) change(from int64, length int, f func([]byte) []byte) {
	if e.err != nil {
		return
	}
	e.out.Keep(e.at, from)
	e.line = slices.Grow(e.line[:0], length)[:length]
	if _, e.err = envelope.ReadFull(e.log, e.line, from); e.err != nil {
		return
	}
	e.out.Replace(from, e.line, f(e.line))
	e.at = from + int64(length)
}

// NeedsMigration reports whether the file is of an old version that the next
// append, or Migrate, will replace.
func (s *Session) NeedsMigration() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.migrated != nil
}

// Migrate replaces a file of an old version by its present form now, and
// returns the name under which the old file is kept; "" if there was nothing to do.
// The error is a *HeldError while the file's own program may have it open.
func (s *Session) Migrate(ctx context.Context) (backup string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	for range attempts {
		if s.migrated == nil {
			return "", nil // or another process was faster
		}
		if err := s.held(); err != nil {
			return "", err
		}
		backup, err = s.publishMigrated(ctx, nil)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			return backup, s.wrap("migrate", err)
		}
		if err := s.catchUp(ctx, ""); err != nil {
			return "", err
		}
	}
	return "", s.wrap("migrate", fmt.Errorf("%w: others wrote %d times in between; try again", store.ErrConflict, attempts))
}
