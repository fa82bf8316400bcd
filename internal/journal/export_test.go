package journal

import (
	"context"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
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

// ScanUsual is what the short way through a line finds, as text: the members, then
// the role of the message. ok is false for a line that must go the long way.
func ScanUsual(line []byte) (found string, ok bool) {
	var r Record
	if !r.splitUsual(line) || !r.parts.read(r.spans[keyMessage].Of(line)) {
		return "", false
	}
	return fmt.Sprintf("%v %q", r.spans, r.parts.Role), true
}

// ScanLine returns the result of the slow path for the same line; "" if it is
// not an object.
func ScanLine(line []byte) string {
	var r Record
	if shape, _ := keys.Scan(line, r.spans[:]); shape != jsonl.Object {
		return ""
	}
	role, _ := jsonl.Lookup(r.spans[keyMessage].Of(line), "role")
	return fmt.Sprintf("%v %q", r.spans, role)
}
