package pith

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/store"
)

// resumePoint is where a session stands after loading: see [tree.Stand].
func (s *Session) resumePoint() int {
	entries := s.table.Entries
	at := tree.Stand(len(entries), func(i int) bool { return entries[i].Annotates() }, s.tree.Parent)
	for at != tree.None && entries[at].Kind == envelope.KindLeafRecord {
		at = s.tree.Parent(at) // its target
	}
	return at
}

// LeafID is the id of the entry at which the session stands; "" before the first.
func (s *Session) LeafID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idOf(s.leaf)
}

// Leaf is the entry at which the session stands; nil before the first.
func (s *Session) Leaf() (format.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaf == tree.None {
		return nil, nil
	}
	return s.decode(s.leaf)
}

// Branch moves the leaf to an entry. Nothing is written; the next append makes
// a child of that entry. What others wrote meanwhile is taken as seen.
func (s *Session) Branch(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return s.wrap("move in", ErrClosed)
	}
	i, err := s.find(id)
	if err != nil {
		return err
	}
	s.moveLeaf(i)
	return nil
}

// ResetLeaf moves the leaf before the first entry: the next append is a new root.
func (s *Session) ResetLeaf() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moveLeaf(tree.None)
}

func (s *Session) moveLeaf(i int) {
	s.moved = s.moved || i != s.leaf
	s.leaf, s.stale = i, nil
}

// recordLeaf writes the leaf marker that Close promises.
func (s *Session) recordLeaf() error {
	if !s.moved || s.log == nil || s.stale != nil || s.writable() != nil || s.held() != nil || s.leaf == s.resumePoint() {
		return nil
	}
	leaf := s.idOf(s.leaf)
	_, now := s.timestamp()
	err := s.put(&format.Custom{
		Base:       format.Base{Type: format.TypeCustom, ID: s.freeID(), ParentID: leaf, Timestamp: now},
		CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
	})
	if errors.Is(err, store.ErrConflict) {
		return nil // others wrote meanwhile, and their position counts
	}
	return s.wrap("record the position in", err)
}

// position is find, where "" is the place before the first entry.
func (s *Session) position(id string) (int, error) {
	if id == "" {
		return tree.None, nil
	}
	return s.find(id)
}

func (s *Session) find(id string) (int, error) {
	if i := s.tree.Find(id); i != tree.None {
		return i, nil
	}
	return tree.None, noEntry(id)
}

// BranchWithSummary moves the leaf to an entry, or before the first for "", and
// appends a summary of the branch that was left there. The summary's Base and its
// FromID, the leaf that was left, are given by the session; so call it instead
// of Branch, not after it.
func (s *Session) BranchWithSummary(id string, b format.BranchSummary) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := func() (int, error) { return s.position(id) }
	if _, err := target(); err != nil {
		return "", err
	}
	if err := validJSON("details", b.Details); err != nil {
		return "", err
	}
	from := s.idOf(s.leaf)
	if from == "" {
		from = "root"
	}
	return s.appendLocked(continues, target, func(base format.Base) (format.Entry, error) {
		base.Type = format.TypeBranchSummary
		base.ParentID = id // a summary belongs where it was asked for
		entry := b
		entry.Base, entry.FromID, entry.Details = base, from, compact(b.Details)
		return &entry, nil
	})
}

func validJSON(what string, raw []byte) error {
	if raw != nil && !jsonl.Valid(raw) {
		return fmt.Errorf("%w: %s is not valid JSON", ErrInvalid, what)
	}
	return nil
}

// compact brings raw JSON onto one line.
func compact(raw []byte) []byte {
	if raw == nil {
		return nil
	}
	return jsonl.AppendCompact(nil, raw)
}
