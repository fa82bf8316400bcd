package pith

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// A position is a tree of entries and a leaf in it.
type position struct {
	table  *envelope.Table
	tree   *tree.Tree
	labels tree.Labels
	shared bool // views share the tree and the labels
	standing
}

// standing holds the leaf and the changes that the caller knows about.
type standing struct {
	leaf  int
	moved bool        // the leaf was moved and nothing appended since
	moves int         // how often the caller moved the leaf
	stale *StaleError // changes by others that the caller has not decided about
}

// resumePoint returns the leaf of a session after loading: the last entry, of
// whatever kind. OpenClaw's record of a leaf stands for its target.
func (p *position) resumePoint() int {
	at := p.table.Len() - 1
	for at != tree.None && p.table.At(at).Kind == envelope.KindLeafRecord {
		at = p.tree.Parent(at) // its target
	}
	return at
}

// LeafID returns the id of the leaf, or "" before the first entry.
func (s *Session) LeafID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idOf(s.leaf)
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
	if err != nil {
		return err
	}
	s.moveLeaf(i)
	return nil
}

// ResetLeaf moves the leaf before the first entry: the next append adds a new
// root.
func (s *Session) ResetLeaf() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moveLeaf(tree.None)
}

func (p *position) moveLeaf(i int) {
	p.moved = p.moved || i != p.leaf
	p.leaf, p.stale = i, nil
	p.moves++
}

// recordLeaf writes the leaf marker that Close documents.
func (j *journal) recordLeaf(ctx context.Context) error {
	if j.log == nil || j.writable() != nil {
		return nil
	}
	j.mu.Lock()
	moved := j.moved && j.stale == nil && j.leaf != j.resumePoint()
	at := spot{id: j.freeID(), parentID: j.idOf(j.leaf), moves: j.moves}
	j.mu.Unlock()
	if !moved || j.held(ctx) != nil {
		return nil
	}
	_, now := j.timestamp()
	err := j.put(ctx, &format.Custom{
		Base:       format.Base{ID: at.id, ParentID: at.parentID, Timestamp: now},
		CustomType: format.LeafCustomType, Data: format.LeafData(at.parentID),
	}, at)
	if errors.Is(err, store.ErrConflict) {
		return nil // others wrote, and their leaf takes precedence
	}
	return j.wrap("record the position in", err)
}

// findOr is like find, but returns other for "".
func (p *position) findOr(id string, other int) (int, error) {
	if id == "" {
		return other, nil
	}
	return p.find(id)
}

func (p *position) find(id string) (int, error) {
	if i := p.tree.Find(id); i != tree.None {
		return i, nil
	}
	return tree.None, noEntry(id)
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
		at: func() (int, error) { return s.findOr(id, tree.None) },
		fits: func(int) error {
			_, err := s.findOr(from, tree.None)
			return err
		},
		build: func(base format.Base, _ int) (format.Entry, error) {
			entry := b
			entry.Base, entry.FromID, entry.Details = base, cmp.Or(from, "root"), details
			return &entry, nil
		},
	})
}

// oneLine returns raw JSON, if there is any, on one line.
func oneLine(what string, raw []byte) (json.RawMessage, error) {
	switch {
	case raw == nil:
		return nil, nil
	case !jsonl.Valid(raw):
		return nil, invalidf(ErrNotJSON, what, "", "%s is not valid JSON", what)
	}
	return jsonl.AppendCompact(nil, raw), nil
}

// extend adds the table's new entries to the tree, and its labels from the
// given index on.
func (p *position) extend(labels int) {
	p.unshare()
	p.tree.Extend()
	p.applyLabels(labels)
}

func (p *position) applyLabels(from int) {
	for _, l := range p.table.Labels[from:] {
		p.labels.Apply(l.Target, l.Label, l.Timestamp)
	}
}

func (p *position) idOf(i int) string {
	if i == tree.None {
		return ""
	}
	return p.table.ID(i)
}

// unshare copies the tree before the session changes it, so that views keep
// theirs.
func (p *position) unshare() {
	if p.shared {
		p.tree, p.labels, p.shared = p.tree.Clone(), p.labels.Clone(), false
	}
}

func (p *position) hasConversation() bool {
	for i := range p.table.Len() {
		if p.table.At(i).Conversation() {
			return true
		}
	}
	return false
}

func (p *position) freeID() string {
	return sessiondir.NewEntryID(func(id string) bool { return p.tree.Find(id) != tree.None })
}

// Entry returns the entry with that id. If several have it, Entry returns the
// last one in the file.
func (s *Session) Entry(id string) (format.Entry, error) {
	s.mu.Lock()
	i, err := s.find(id)
	if err == nil && s.closed {
		err = s.wrap("read", ErrClosed)
	}
	now := s.snapshot()
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	line, err := now.rawLine(i)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line)
}
