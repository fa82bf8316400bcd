package diff

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"slices"
)

// OtherEnd returns the end of the most recent branch outside the active path:
// the last entry in the file without a child, except for bookkeeping. ok is
// false if the session has no other branch.
func OtherEnd(s *pith.Session) (id string, ok bool) {
	var found *pith.Node
	for _, n := range Ends(s) {
		if !n.OnPath && (found == nil || n.Pos > found.Pos) {
			found = n
		}
	}
	if found == nil {
		return "", false
	}
	return found.ID, true
}

// Ends returns the last entry of every branch. Bookkeeping at the end of a branch does
// not count. At most one of them is on the current path.
func Ends(s *pith.Session) []*pith.Node {
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
	var ends []*pith.Node
	known := map[*pith.Node]bool{}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !isBookkeeping(at.node.Type) {
			at.last = at.node
		}
		for _, child := range at.node.Children {
			todo = append(todo, step{child, at.last})
		}
		if len(at.node.Children) > 0 || at.last == nil || known[at.last] || hasHeir(at.last) {
			continue
		}
		if active[at.last.ID] && !at.last.OnPath {
			continue // an id that occurs twice names the later entry
		}
		known[at.last] = true
		ends = append(ends, at.last)
	}
	return ends
}

// isBookkeeping reports whether an entry is not part of the conversation. That
// includes the entry that records a leaf.
func isBookkeeping(t format.Type) bool { return t == format.TypeCustom || format.Bookkeeping(t, "") }

// hasHeir reports whether a node has a child that is not bookkeeping.
func hasHeir(n *pith.Node) bool {
	return slices.ContainsFunc(n.Children, func(child *pith.Node) bool { return !isBookkeeping(child.Type) })
}
