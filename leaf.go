package pith

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// LeafID returns the id of the leaf, or "" before the first entry.
func (s *Session) LeafID() string {
	v := s.View()
	return v.state.ID(v.leaf)
}

// Branch moves the leaf to an entry. Nothing is written; the next append adds a
// child to that entry. Branch also marks changes by other writers as seen.
func (s *Session) Branch(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.wrap("move in", ErrClosed)
	}
	i, err := s.find(id)
	if err == nil {
		s.moveLeaf(i)
	}
	return err
}

// ResetLeaf moves the leaf before the first entry: the next append adds a new
// root.
func (s *Session) ResetLeaf() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moveLeaf(journal.None)
}

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

// BranchWithSummary moves the leaf to an entry, or before the first entry for
// "", and appends a summary of the branch that it leaves. The session sets the
// summary's Base and its FromID, the previous leaf, so call it instead of
// Branch, not after it. If another writer removed one of the two entries,
// BranchWithSummary returns a *StaleError.
func (s *Session) BranchWithSummary(ctx context.Context, id string, b format.BranchSummary) (string, error) {
	details, err := oneLine("details", b.Details)
	if err != nil {
		return "", err
	}
	from := s.LeafID()
	return s.append(ctx, addition{
		at: func() (int, error) { return s.findOrNone(id) },
		fits: func(int) error {
			_, err := s.findOrNone(from)
			return err
		},
		build: func(base format.Base, _ int) (format.Entry, error) {
			entry := b
			entry.Base, entry.FromID, entry.Details = base, cmp.Or(from, "root"), details
			return &entry, nil
		},
	})
}

// Refresh reads entries that other writers added, and returns the number of
// entries added or removed. The leaf does not move: see Follow. If another
// writer removed the leaf entry, its nearest remaining ancestor becomes the
// leaf.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	if err := s.takePen(ctx); err != nil {
		return 0, s.wrap("read", err)
	}
	defer s.dropPen()
	if s.closed {
		return 0, s.wrap("read", ErrClosed)
	}
	return s.catchUp(ctx)
}

// catchUp is Refresh for callers that hold the pen. If other writers continued
// the conversation, the session is stale until the caller decides.
func (s *Session) catchUp(ctx context.Context) (int, error) {
	next, err := s.journal.Refresh(ctx)
	if err != nil {
		return 0, s.wrap("read", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.see(next, ""), nil
}

// Follow moves the leaf to the end of the conversation in the file, as of the
// last read by Open, Refresh or a refused append.
func (s *Session) Follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaf, s.stale, s.moved = s.seen.Resume(), nil, false
}

// Stay keeps the leaf although other writers continued elsewhere. The next
// append starts a separate branch.
func (s *Session) Stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = nil
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

// recordLeaf writes the leaf marker that Close documents.
func (s *Session) recordLeaf(ctx context.Context) error {
	if !s.written || s.writable() != nil {
		return nil
	}
	s.mu.Lock()
	moved := s.moved && s.stale == nil && s.leaf != s.seen.Resume()
	at := spot{id: s.freeID(), parentID: s.seen.ID(s.leaf), moves: s.moves}
	s.mu.Unlock()
	if !moved || s.held(ctx) != nil {
		return nil
	}
	_, now := s.timestamp()
	err := s.put(ctx, &format.Custom{
		Base:       format.Base{ID: at.id, ParentID: at.parentID, Timestamp: now},
		CustomType: format.LeafCustomType, Data: format.LeafData(at.parentID),
	}, at)
	if errors.Is(err, journal.ErrChanged) {
		return nil // others wrote, and their leaf takes precedence
	}
	return s.wrap("record the position in", err)
}
