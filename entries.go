package pith

import (
	"iter"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

// Entry is the entry with that id. Of several it is the last one in the file.
func (s *Session) Entry(id string) (format.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.decode(i)
}

// Entries yields all entries in file order, those of all branches. An error
// comes once, last. The sequence can be ranged over again; entries appended
// meanwhile do not show in it.
func (s *Session) Entries() iter.Seq2[format.Entry, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.snapshot()
	return now.walkAll().decoded()
}

// Path yields the entries from a root to an entry, the entry included. For "" it
// is the active branch: that to the leaf. An error comes once, last.
func (s *Session) Path(id string) (iter.Seq2[format.Entry, error], error) {
	v := s.View()
	row, err := v.rowTo(id)
	if err != nil {
		return nil, err
	}
	return v.walk(row).decoded(), nil
}

func (s *Session) decode(i int) (format.Entry, error) {
	if s.closed {
		return nil, s.wrap("read", ErrClosed)
	}
	e := &s.table.Entries[i]
	line := make([]byte, e.Len)
	if _, err := envelope.ReadFull(s.body(), line, e.Offset); err != nil {
		return nil, s.wrap("read", err)
	}
	return format.DecodeEntry(line)
}
