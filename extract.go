package pith

import (
	"fmt"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Extract makes a new session of the path from a root to an entry, or to the
// leaf for "". Entries keep their ids and times. Label entries are left out and
// the labels set anew at the end, with their times; what hung below a label
// hangs below the label's parent; a compaction that kept messages from a label
// on keeps them from the next entry on (pitfalls 127 to 129). The display name
// is kept. The source is not changed.
//
// The new file appears complete or not at all; a path without a message of the
// user or the assistant waits for one, as a new session does.
func (s *Session) Extract(id string) (*Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	path := s.tree.Path(i)
	if len(path) == 0 {
		return nil, fmt.Errorf("%w: the session has no entry to extract", ErrInvalid)
	}
	x := extraction{s: s, view: s.view(path), moved: map[string]string{}, kept: map[string]bool{}}
	if err := x.run(); err != nil {
		return nil, err
	}
	h := s.childHeader(s.cwd)
	n, err := newDraft(h, x.out, s.opt)
	if err != nil {
		return nil, err
	}
	return n, s.settleChild(n)
}

// childHeader is the header of a session that comes from this one.
func (s *Session) childHeader(cwd string) *format.Header {
	now, stamp := s.timestamp()
	return &format.Header{Version: format.Version, ID: NewSessionID(now), Timestamp: stamp, Cwd: cwd, ParentSession: s.file}
}

// settleChild gives a child the parent's name and a file beside the parent's.
func (s *Session) settleChild(n *Session) error {
	n.opt.ID, n.opt.Cwd, n.opt.ParentSession, n.opt.ReadOnly = "", "", "", false
	n.cwd = s.cwd
	leaf := n.leaf
	if name := s.name(); name != "" && name != n.name() {
		_, err := n.append(describes, func(b format.Base) (format.Entry, error) {
			b.Type = format.TypeSessionInfo
			return &format.SessionInfo{Base: b, Name: name}, nil
		})
		if err != nil {
			return err
		}
		leaf = n.leaf
	}
	n.leaf, n.moved = leaf, false
	if s.file == "" {
		return nil
	}
	n.dir = s.dir
	n.file = filepath.Join(s.dir, fileName(n.table.Header))
	if !n.hasConversation() {
		return nil
	}
	_, err := n.publish(nil)
	return n.wrap("create", err)
}

// An extraction collects the lines of a path for a new session.
type extraction struct {
	s       *Session
	view    *view
	out     []byte
	parent  string            // id of the last entry kept
	waiting []string          // ids of labels since then
	moved   map[string]string // id of a label left out to the id of the next entry kept
	kept    map[string]bool
}

func (x *extraction) run() error {
	for pos := range x.view.chosen {
		e := x.view.At(pos)
		if e.Kind == envelope.KindLabel {
			x.waiting = append(x.waiting, e.ID)
			continue
		}
		line, err := x.view.Line(pos)
		if err != nil {
			return err
		}
		x.keep(e, line)
	}
	x.labels()
	return nil
}

// keep takes one entry, changing only what its new place demands.
func (x *extraction) keep(e *envelope.Entry, line []byte) {
	for _, label := range x.waiting {
		x.moved[label] = e.ID
	}
	x.waiting = x.waiting[:0]
	if e.Parent != x.parent {
		line = jsonl.Set(line, "parentId", idJSON(x.parent))
	}
	if e.Kind == envelope.KindCompaction {
		raw, _ := jsonl.Lookup(line, "firstKeptEntryId")
		first, _ := jsonl.String(raw)
		if next, ok := x.moved[first]; ok && first != e.ID {
			line = jsonl.Set(line, "firstKeptEntryId", idJSON(next))
		}
	}
	x.out = append(append(x.out, line...), '\n')
	x.parent = e.ID
	x.kept[e.ID] = true
}

// labels writes the labels of the entries kept, one below the other at the end.
func (x *extraction) labels() {
	for _, l := range x.s.labels.All() {
		if !x.kept[l.Target] {
			continue
		}
		id := newEntryID(func(id string) bool { return x.kept[id] })
		x.kept[id] = true
		x.out = format.AppendEntry(x.out, &format.Label{
			Base:     format.Base{Type: format.TypeLabel, ID: id, ParentID: x.parent, Timestamp: l.Time},
			TargetID: l.Target, Label: l.Text,
		})
		x.out = append(x.out, '\n')
		x.parent = id
	}
}

func idJSON(id string) []byte {
	if id == "" {
		return []byte("null")
	}
	return jsonl.AppendString(nil, id)
}
