package pith

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// A position is a tree of entries and a place in it, the leaf.
type position struct {
	table  *envelope.Table
	tree   *tree.Tree
	labels tree.Labels
	leaf   int
	moved  bool        // the leaf was moved and the conversation not continued since
	stale  *StaleError // what others wrote and the caller has not decided about
	shared bool        // views have the tree and the labels
}

// resumePoint is where a session stands after loading: see [tree.Stand].
func (p *position) resumePoint() int {
	entries := p.table.Entries
	isNote := func(i int) bool { return entries[i].Annotates() }
	at := tree.Stand(len(entries), isNote, p.tree.Parent)
	if at == tree.None || entries[at].Kind != envelope.KindLeafRecord {
		return at
	}
	for at != tree.None && entries[at].Kind == envelope.KindLeafRecord {
		at = p.tree.Parent(at) // its target
	}
	last := len(entries) - 1
	noted := last
	for noted != tree.None && isNote(noted) {
		noted = p.tree.Parent(noted)
	}
	if noted == at && isNote(last) {
		return last // a note where the record says that the session stands
	}
	return at
}

// LeafID is the id of the entry at which the session stands; "" before the first.
func (s *Session) LeafID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.idOf(s.leaf)
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

func (p *position) moveLeaf(i int) {
	p.moved = p.moved || i != p.leaf
	p.leaf, p.stale = i, nil
}

// recordLeaf writes the leaf marker that Close promises.
func (j *journal) recordLeaf(ctx context.Context) error {
	if !j.moved || j.log == nil || j.stale != nil || j.writable() != nil || j.held(ctx) != nil || j.leaf == j.resumePoint() {
		return nil
	}
	leaf := j.idOf(j.leaf)
	_, now := j.timestamp()
	err := j.put(ctx, &format.Custom{
		Base:       format.Base{ID: j.freeID(), ParentID: leaf, Timestamp: now},
		CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
	})
	if errors.Is(err, store.ErrConflict) {
		return nil // others wrote meanwhile, and their position counts
	}
	return j.wrap("record the position in", err)
}

// findOrStart is find, where "" is the place before the first entry.
func (p *position) findOrStart(id string) (int, error) {
	if id == "" {
		return tree.None, nil
	}
	return p.find(id)
}

func (p *position) find(id string) (int, error) {
	if i := p.tree.Find(id); i != tree.None {
		return i, nil
	}
	return tree.None, noEntry(id)
}

// BranchWithSummary moves the leaf to an entry, or before the first for "", and
// appends a summary of the branch that was left there. The summary's Base and its
// FromID, the leaf that was left, are given by the session; so call it instead
// of Branch, not after it.
func (s *Session) BranchWithSummary(ctx context.Context, id string, b format.BranchSummary) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := func() (int, error) { return s.findOrStart(id) }
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
	return s.appendLocked(ctx, continues, target, func(base format.Base) (format.Entry, error) {
		base.ParentID = id // a summary belongs where it was asked for
		entry := b
		entry.Base, entry.FromID, entry.Details = base, from, compact(b.Details)
		return &entry, nil
	})
}

func validJSON(what string, raw []byte) error {
	if raw != nil && !jsonl.Valid(raw) {
		return invalidf(ErrNotJSON, what, "", "%s is not valid JSON", what)
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

// atLeaf is the place where an entry goes unless it says otherwise.
func (p *position) atLeaf() (int, error) { return p.leaf, nil }

// extend takes what the tree and the labels do not have of the table yet: all
// entries that came since, and the labels from the given one on.
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

// unshare gives the session a tree of its own before it changes, so that views
// keep theirs.
func (p *position) unshare() {
	if p.shared {
		p.tree, p.labels, p.shared = p.tree.Clone(), p.labels.Clone(), false
	}
}

func (p *position) hasConversation() bool {
	for i := range p.table.Entries {
		if p.table.Entries[i].Conversation() {
			return true
		}
	}
	return false
}

func (p *position) freeID() string {
	return sessiondir.NewEntryID(func(id string) bool { return p.tree.Find(id) != tree.None })
}

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
