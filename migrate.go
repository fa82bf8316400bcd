package pith

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/overlay"
	"github.com/pith-sessions/pith/store"
)

func needsMigration(t *envelope.Table) bool {
	if t.Header.Version < format.Version {
		return true
	}
	if t.Header.Version > format.Version {
		return false
	}
	for _, f := range t.Faults {
		if f.Kind == envelope.FaultNoID {
			return true
		}
	}
	return false
}

// migrate is a log of an old version in the present one. Only the members that
// migration is about change; everything between entries, damaged lines
// included, is carried over as it is.
func migrate(log io.ReaderAt, t *envelope.Table) (*overlay.Log, error) {
	taken := make(map[string]bool, len(t.Entries))
	for i := range t.Entries {
		taken[t.ID(i)] = true
	}
	newID := func(line []byte, index int) string {
		id := format.LineID(t.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	}
	m := format.NewMigrator(t.Header, newID)
	e := editor{log: log, out: overlay.New(log)}
	if t.HeaderAt == 3 { // nothing but a byte order mark fits before it; pi refuses such a file
		e.at = t.HeaderAt
	}
	e.change(t.HeaderAt, t.HeaderLen, m.Header)
	others := otherValues(t)
	for i := range t.Entries {
		entry := &t.Entries[i]
		for len(others) > 0 && others[0] < entry.Offset {
			m.Skip()
			others = others[1:]
		}
		if e.at == entry.Offset { // records on one line, which pi cannot read
			e.out.Put([]byte{'\n'})
		}
		e.change(entry.Offset, int(entry.Len), m.Entry)
	}
	e.out.Keep(e.at, t.Size())
	if t.Tail() != envelope.TailClean {
		e.out.Put([]byte{'\n'}) // so that it can be appended to
	}
	return e.out, e.err
}

// otherValues are the offsets of JSON values behind the header that are no
// entries. Version 1 counts them when it says from which line on to keep.
func otherValues(t *envelope.Table) []int64 {
	var out []int64
	for _, f := range t.Faults {
		switch f.Kind {
		case envelope.FaultNotObject, envelope.FaultNoType, envelope.FaultExtraHeader:
			if f.Offset > t.HeaderAt {
				out = append(out, f.Offset)
			}
		}
	}
	return out
}

// An editor goes through a log and changes lines of it on the way.
type editor struct {
	log  io.ReaderAt
	out  *overlay.Log
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
	if n, err := e.log.ReadAt(e.line, from); n < length {
		e.err = fmt.Errorf("read at byte %d: %w", from, err)
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
func (s *Session) Migrate() (backup string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.writable(); err != nil {
		return "", err
	}
	for range attempts {
		if s.migrated == nil {
			return "", nil // or another process was faster
		}
		backup, err = s.publishMigrated(nil)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			return backup, s.wrap("migrate", err)
		}
		if err := s.catchUp(""); err != nil {
			return "", err
		}
	}
	return "", s.wrap("migrate", fmt.Errorf("%w: others wrote %d times in between; try again", store.ErrConflict, attempts))
}
