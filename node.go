package pith

import (
	"slices"

	"github.com/pith-sessions/pith/format"
)

// A Node is an entry in the tree of a session. The view reads the entry by its
// position.
type Node struct {
	ID        string
	Pos       int         // index in file order; ids can occur twice
	Type      format.Type // "" for a type unknown to pith; see the entry
	Role      format.Role // of a message
	Label     string
	LabelTime string // timestamp of the label entry, as written
	OnPath    bool   // whether it is on the path to the leaf
	Depth     int    // roots have depth 0
	Children  []*Node
}

// Tree returns the roots of the session with their descendants. Children are
// ordered by time. Entries whose parent is missing are roots.
func (v *View) Tree() []*Node {
	nodes := make([]Node, v.Len())
	children := make([]int, v.Len()) // how many each has
	var roots []*Node
	for i := range nodes {
		e := &v.state.Entries[i]
		label, _ := v.state.Label(e.ID)
		nodes[i] = Node{ID: e.ID, Pos: i, Type: e.Kind.Type(), Role: e.Role.Name(), Label: label.Text, LabelTime: label.Time}
		if parent := v.state.Above(i); parent >= 0 {
			children[parent]++
		} else {
			roots = append(roots, &nodes[i])
		}
	}
	for _, i := range v.state.Path(v.leaf) {
		nodes[i].OnPath = true
	}
	lists := make([]*Node, len(nodes)-len(roots)) // backing array of all lists of children
	for i, n := range children {
		nodes[i].Children, lists = lists[:0:n], lists[n:]
	}
	for i := range nodes {
		if parent := v.state.Above(i); parent >= 0 {
			nodes[parent].Children = append(nodes[parent].Children, &nodes[i])
		}
	}
	for i, n := range children {
		if n > 1 {
			for k, pos := range v.state.Ordered(i) {
				nodes[i].Children[k] = &nodes[pos]
			}
		}
	}
	for todo := slices.Clone(roots); len(todo) > 0; { // no recursion: a session can be deep
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range n.Children {
			c.Depth = n.Depth + 1
			todo = append(todo, c)
		}
	}
	return roots
}
