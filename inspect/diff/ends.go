package diff

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// OtherEnd is the end of the most recent branch that the active path is not on:
// the last entry in the file that nothing follows, bookkeeping aside. ok is false
// when the session has no other branch.
func OtherEnd(s *pith.Session) (id string, ok bool) {
	type step struct {
		node *pith.Node
		last *pith.Node // the last one above that is no bookkeeping
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
			continue // an id that occurs twice names the later entry
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

// isBookkeeping reports whether an entry is no part of what was said and done. The
// entry that records a position is none either.
func isBookkeeping(t format.Type) bool { return t == format.TypeCustom || format.Bookkeeping(t, "") }

// hasHeir reports whether something that is no bookkeeping follows a node at once.
func hasHeir(n *pith.Node) bool {
	for _, child := range n.Children {
		if !isBookkeeping(child.Type) {
			return true
		}
	}
	return false
}
