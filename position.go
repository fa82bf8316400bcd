package pith

import (
	"slices"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/sessiondir"
)

func (p *position) moveLeaf(i int) {
	p.moved = p.moved || i != p.leaf
	p.leaf, p.stale = i, nil
	p.moves++
}

func (p *position) find(id string) (int, error) {
	if i := p.seen.Find(id); i != journal.None {
		return i, nil
	}
	return journal.None, noEntry(id)
}

// findOrNone is like find, but returns None for "".
func (p *position) findOrNone(id string) (int, error) {
	if id == "" {
		return journal.None, nil
	}
	return p.find(id)
}

func (p *position) freeID() string {
	return sessiondir.NewEntryID(func(id string) bool { return p.seen.Find(id) != journal.None })
}

// onPath returns an error if an entry is not on the path to a parent. The
// caller must hold mu.
func (p *position) onPath(id string, parent int) error {
	i, err := p.find(id)
	if err == nil && !p.seen.IsAncestor(i, parent) {
		err = invalidf(ErrOffBranch, "entry", id, "entry %q is not on the active branch", id)
	}
	return err
}

// see takes the next State of the journal, and returns the number of entries
// added or removed. The entry whose id is own does not count. The leaf stays on
// its entry. If that entry is gone, its nearest remaining ancestor becomes the
// leaf and the session is stale, as it is if others continued the conversation.
func (s *Session) see(next *journal.State, own string) int {
	was := s.seen
	s.seen = next
	var came []string
	continued := false
	add := func(i int) {
		if e := &next.Entries[i]; e.ID != own {
			came = append(came, e.ID)
			continued = continued || !e.Bookkeeping()
		}
	}
	removed, gone := 0, false
	if next.Follows(was) {
		for i := was.Len(); i < next.Len(); i++ {
			add(i)
		}
	} else {
		s.leaf, gone = leafIn(next, was, s.leaf)
		removed = compare(was, next, add)
	}
	if s.stale == nil && (continued || gone) {
		s.stale = &StaleError{Path: s.file}
	}
	if continued {
		s.stale.Entries = append(s.stale.Entries, came...)
	}
	if continued || gone {
		s.stale.Leaf = next.ID(next.Resume())
	}
	return len(came) + removed
}

// leafIn returns the position in next of a leaf, or of its nearest remaining
// ancestor. gone reports whether the entry no longer exists.
func leafIn(next, was *journal.State, leaf int) (_ int, gone bool) {
	if leaf == journal.None {
		return journal.None, false
	}
	for i := leaf; i != journal.None; i = was.Above(i) {
		if there := next.Find(was.ID(i)); there != journal.None {
			return there, i != leaf
		}
	}
	return next.Resume(), true
}

// compare calls add for the entries of next that was lacks, and returns the
// number of entries that next lacks.
func compare(was, next *journal.State, add func(int)) (removed int) {
	for i := range next.Entries {
		if was.Find(next.ID(i)) == journal.None {
			add(i)
		}
	}
	gone := map[string]bool{}
	for i := range was.Entries {
		if id := was.ID(i); next.Find(id) == journal.None {
			gone[id] = true
		}
	}
	return len(gone)
}

// staleError returns a copy, because the session's own error continues to
// change. The caller must hold mu.
func (s *Session) staleError() error {
	if s.stale == nil { // only the entry that the addition refers to is gone
		return &StaleError{Path: s.file, Leaf: s.seen.ID(s.seen.Resume())}
	}
	stale := *s.stale
	stale.Entries = slices.Clone(stale.Entries)
	return &stale
}
