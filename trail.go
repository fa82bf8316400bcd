package pith

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
)

// A Trail is the path from a root to an entry, as it stood when it was asked for.
// It is not a copy: lines are read when they are asked for, and what lies between
// is not touched. Positions count from the root. A Trail must not be used by two
// goroutines at once, but there can be several of one path.
type Trail struct{ view *walk }

// Trail is the path to an entry; for "", before the first one, it is empty.
func (s *Session) Trail(id string) (*Trail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	now := s.snapshot()
	return &Trail{now.walk(s.tree.Path(i))}, nil
}

// Trail is the path that the context was built from.
func (c *Context) Trail() *Trail { return &Trail{c.view.anew()} }

// Start says where on its path the context begins: first is the position of the
// first entry that it takes, compaction that of the compaction which stands for
// all entries before first, or -1 when there is none.
func (c *Context) Start() (first, compaction int) { return c.plan.First, c.plan.Boundary }

// Len is the number of entries.
func (t *Trail) Len() int { return t.view.Len() }

// ID is the id of the entry at a position; "" when it has none.
func (t *Trail) ID(pos int) string { return t.view.ID(pos) }

// Type is the type of the entry at a position; "" for one that pith does not know.
func (t *Trail) Type(pos int) format.Type { return t.view.At(pos).Kind.Type() }

// Role is the role of the message at a position; "" for what is no message, or has
// a role that pith does not know.
func (t *Trail) Role(pos int) format.Role { return t.view.At(pos).Role.Name() }

// Line is the entry at a position as it stands in the file. It stays valid until
// the next call of a method that reads.
func (t *Trail) Line(pos int) (json.RawMessage, error) { return t.view.Line(pos) }

// Message is the message of a message entry as it stands in the file; nil when
// it has none. It stays valid as that of Line does.
func (t *Trail) Message(pos int) (json.RawMessage, error) {
	line, err := t.view.Line(pos)
	if err != nil {
		return nil, err
	}
	return t.view.At(pos).Message(line), nil
}

// Entry is the entry at a position.
func (t *Trail) Entry(pos int) (format.Entry, error) {
	line, err := t.view.Line(pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(append([]byte(nil), line...))
}
