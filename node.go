package pith

import (
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
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
	for i := range nodes {
		e := &v.state.Entries[i]
		label, _ := v.state.Label(e.ID)
		nodes[i] = Node{ID: e.ID, Pos: i, Type: e.Kind.Type(), Role: e.Role.Name(), Label: label.Text, LabelTime: label.Time}
		for _, k := range v.state.Ordered(i) {
			nodes[i].Children = append(nodes[i].Children, &nodes[k])
		}
	}
	var roots []*Node
	for _, i := range v.state.Ordered(journal.None) {
		roots = append(roots, &nodes[i])
	}
	for _, i := range v.state.Path(v.leaf) {
		nodes[i].OnPath = true
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
