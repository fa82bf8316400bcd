package journal

import (
	"context"
	"io"
)

var ErrRescan = errRescan

// Extend reads what follows a State.
func (s *State) Extend(r io.ReaderAt, size int64) (*State, error) {
	return s.extend(context.Background(), r, size)
}

// With returns the State that has more entries.
func (s *State) With(more ...Entry) *State {
	next := s.follow(0)
	next.Entries = append(next.Entries, more...)
	return next.done(0)
}

// Written makes a State of lines as they are written.
type Written struct{ *writer }

func NewWritten() Written { return Written{newWriter()} }

// End returns the State of what was written.
func (w Written) End() (*State, error) {
	err := w.flush()
	return w.state(nil), err
}
