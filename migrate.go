package pith

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
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

// idRoom is about how many bytes migration adds to an entry.
const idRoom = 48

// migrateToDraft writes a log in the present version into a draft. Only the
// members that migration is about change; everything between entries, damaged
// lines included, is carried over as it is.
func migrateToDraft(log io.ReaderAt, old *envelope.Table) (*draft, error) {
	d := &draft{source: old.Size(), data: make([]byte, 0, old.Size()+int64(idRoom*len(old.Entries)))}
	if err := migrate(d, log, old); err != nil {
		return nil, err
	}
	if n := len(d.data); n > 0 && d.data[n-1] != '\n' {
		d.data = append(d.data, '\n') // a draft always ends a line, so that it can be appended to
	}
	return d, nil
}

// migrate writes the log that a table was read from, in the present version.
func migrate(w io.Writer, log io.ReaderAt, t *envelope.Table) error {
	taken := make(map[string]bool, len(t.Entries))
	for i := range t.Entries {
		taken[t.Entries[i].ID] = true
	}
	newID := func(line []byte, index int) string {
		id := format.LineID(t.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	}
	m := format.NewMigrator(t.Header, newID)
	out := bufio.NewWriterSize(w, 1<<16)
	c := copier{log: log, out: out}
	if t.HeaderAt == 3 { // nothing but a byte order mark fits before it; pi refuses such a file
		c.at = t.HeaderAt
	}
	c.change(t.HeaderAt, int64(t.HeaderLen), m.Header)
	others := otherValues(t)
	for i := range t.Entries {
		e := &t.Entries[i]
		for len(others) > 0 && others[0] < e.Offset {
			m.Skip()
			others = others[1:]
		}
		if c.err == nil && c.at == e.Offset { // records on one line, which pi cannot read
			_, c.err = out.Write([]byte{'\n'})
		}
		c.change(e.Offset, int64(e.Len), m.Entry)
	}
	c.copy(t.Size())
	if c.err != nil {
		return c.err
	}
	return out.Flush()
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

// A copier copies a log and changes single stretches of it on the way.
type copier struct {
	log io.ReaderAt
	out io.Writer
	at  int64
	err error
}

// copy carries everything up to the given offset over.
func (c *copier) copy(to int64) {
	if c.err == nil && to > c.at {
		_, c.err = io.Copy(c.out, io.NewSectionReader(c.log, c.at, to-c.at))
		c.at = to
	}
}

func (c *copier) change(from, length int64, f func([]byte) []byte) {
	c.copy(from)
	if c.err != nil {
		return
	}
	line := make([]byte, length)
	if _, err := c.log.ReadAt(line, from); err != nil && err != io.EOF {
		c.err = fmt.Errorf("read at byte %d: %w", from, err)
		return
	}
	_, c.err = c.out.Write(f(line))
	c.at = from + length
}

// NeedsMigration reports whether the file is of an old version that the next
// append, or Migrate, will replace.
func (s *Session) NeedsMigration() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log != nil && s.draft != nil
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
		if s.log == nil || s.draft == nil {
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
