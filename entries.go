package pith

import (
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

func (j *journal) decode(i int) (format.Entry, error) {
	if j.closed {
		return nil, j.wrap("read", ErrClosed)
	}
	e := &j.table.Entries[i]
	line := make([]byte, e.Len)
	if _, err := envelope.ReadFull(j.body(), line, e.Offset); err != nil {
		return nil, j.wrap("read", err)
	}
	return format.DecodeEntry(line)
}
