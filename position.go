package pith

import (
	"cmp"
	"context"
	"errors"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// A position is a tree of entries and a place in it.
type position struct {
	table  *envelope.Table
	tree   *tree.Tree
	labels tree.Labels
	shared bool // views have the tree and the labels
	standing
}

// A standing is where a session is, and what its caller knows.
type standing struct {
	leaf  int
	moved bool        // the leaf was moved and the conversation not continued since
	moves int         // how often the caller moved the leaf
	stale *StaleError // what others wrote and the caller has not decided about
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
	p.moves++
}

// recordLeaf writes the leaf marker that Close promises.
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
// of Branch, not after it. If others removed one of the two entries meanwhile, the
// error is a *StaleError.
func (s *Session) BranchWithSummary(ctx context.Context, id string, b format.BranchSummary) (string, error) {
	if err := validJSON("details", b.Details); err != nil {
		return "", err
	}
	from := s.LeafID()
	return s.append(ctx, addition{
		at: func() (int, error) { return s.findOrStart(id) },
		fits: func(int) error {
			_, err := s.findOrStart(from)
			return err
		},
		build: func(base format.Base, _ int) (format.Entry, error) {
			entry := b
			entry.Base, entry.FromID, entry.Details = base, cmp.Or(from, "root"), compact(b.Details)
			return &entry, nil
		},
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
