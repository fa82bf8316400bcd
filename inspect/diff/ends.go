package diff

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// OtherEnd returns the end of the most recent branch outside the active path:
// the last entry in the file without a child, except for bookkeeping. ok is
// false if the session has no other branch.
func OtherEnd(s *pith.Session) (id string, ok bool) {
	type step struct {
		node *pith.Node
		last *pith.Node // nearest ancestor that is not bookkeeping
	}
	active := map[string]bool{}
	if ids, err := s.View().PathIDs(s.LeafID()); err == nil { // the leaf always has a path
		for _, id := range ids {
			active[id] = true
		}
	}
	var todo []step
	for _, root := range s.View().Tree() {
		todo = append(todo, step{root, nil})
	}
	var found *pith.Node
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !isBookkeeping(at.node.Type) {
			at.last = at.node
		}
		for _, child := range at.node.Children {
			todo = append(todo, step{child, at.last})
		}
		if len(at.node.Children) > 0 || at.last == nil || hasHeir(at.last) || at.last.OnPath || active[at.last.ID] {
			continue // a duplicate id means the later entry
		}
		if found == nil || at.last.Pos > found.Pos {
			found = at.last
		}
	}
	if found == nil {
		return "", false
	}
	return found.ID, true
}

// isBookkeeping reports whether an entry is not part of the conversation. That
// includes the entry that records a leaf.
func isBookkeeping(t format.Type) bool { return t == format.TypeCustom || format.Bookkeeping(t, "") }

// hasHeir reports whether a node has a child that is not bookkeeping.
func hasHeir(n *pith.Node) bool {
	for _, child := range n.Children {
		if !isBookkeeping(child.Type) {
			return true
		}
	}
	return false
}
