package pith

import (
	"iter"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
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

// Has reports whether the session has an entry with that id.
func (s *Session) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.Find(id) != tree.None
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

// Lines yields all entries in file order without decoding them. The bytes of a
// line stay valid until the next one is taken. An error comes once, last.
func (s *Session) Lines() iter.Seq2[Line, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return (&View{mu: &s.mu, snapshot: s.snapshot()}).Reader().Lines()
}

// Path yields the entries from a root to an entry, the entry included: to
// LeafID, the active path. For "", before the first entry, there are none.
func (s *Session) Path(id string) (iter.Seq2[format.Entry, error], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	now := s.snapshot()
	return now.walk(s.tree.Path(i)).decoded(), nil
}

// PathIDs are the ids of Path.
func (s *Session) PathIDs(id string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.idsOf(s.tree.Path(i)), nil
}

// Children are the ids of an entry's direct children in file order; for "", of
// the roots.
func (s *Session) Children(id string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.idsOf(tree.RowOf(s.tree.Children(i))), nil
}

// CommonAncestor is the deepest entry on the paths to both; "" if there is none.
func (s *Session) CommonAncestor(a, b string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(a)
	if err != nil {
		return "", err
	}
	k, err := s.find(b)
	if err != nil {
		return "", err
	}
	return s.idOf(s.tree.CommonAncestor(i, k)), nil
}

func (s *Session) idsOf(row tree.Row) []string {
	s.ownIDs(row)
	out := make([]string, row.Len())
	for k, i := range row.All() {
		out[k] = s.idOf(i)
	}
	return out
}

// ownIDs makes the ids of a row cheap, where it has so many that it pays.
func (s *Session) ownIDs(row tree.Row) {
	if row.Len() > s.table.Len()/4 {
		s.table.OwnIDs()
	}
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
