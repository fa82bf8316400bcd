package pith

import (
	"cmp"
	"context"

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
