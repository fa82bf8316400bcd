package pith

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
)

// A Node is an entry in the tree of a session. Its body is read when it is asked for.
type Node struct {
	ID        string
	Pos       int         // of the entry among all, in file order; ids can occur twice
	Type      format.Type // "" for a type that pith does not know; the entry says
	Role      format.Role // of a message
	Label     string
	LabelTime string // timestamp of the label entry, as written
	OnPath    bool   // lies on the path to the leaf
	Depth     int    // roots have 0
	Children  []*Node

	view *View
}

// Entry is the entry itself.
func (n *Node) Entry() (format.Entry, error) { return n.view.Entry(n.Pos) }

// nodes makes the tree, with the ids of a table.
func (v *View) nodes(table *envelope.Table) []*Node {
	nodes := make([]Node, table.Len())
	for i := range nodes {
		e, n := &table.Entries[i], &nodes[i]
		n.ID, n.Pos, n.Type, n.Role, n.view = table.ID(i), i, e.Kind.Type(), e.Role.Name(), v
	}
	if v.labels.Len() > 0 {
		for i := range nodes {
			if label, ok := v.labels.Of(nodes[i].ID); ok {
				nodes[i].Label, nodes[i].LabelTime = label.Text, label.Time
			}
		}
	}
	for _, i := range v.tree.Path(v.leaf).All() {
		nodes[i].OnPath = true
	}
	roots := v.link(nodes)
	number(roots)
	return roots
}

// link gives every node its children, and returns those that are nobody's.
func (s *snapshot) link(nodes []Node) (roots []*Node) {
	links := make([]*Node, len(nodes)) // one array for all lists of children
	for i := range nodes {
		links[i] = &nodes[i]
	}
	// Nearly every entry has one child, the one behind it.
	for i := 1; i < len(nodes); i++ {
		if s.table.Follows(i) {
			nodes[i-1].Children = links[i : i+1 : i+1]
		}
	}
	for _, i := range s.tree.Forks() {
		kids := s.tree.AppendOrdered(nil, i)
		nodes[i].Children = make([]*Node, len(kids))
		for k, child := range kids {
			nodes[i].Children[k] = &nodes[child]
		}
	}
	roots = make([]*Node, 0, 1)
	for _, i := range s.tree.Roots() {
		roots = append(roots, &nodes[i])
	}
	return roots
}

// number sets the depth of every node, walking with a list instead of the stack.
func number(roots []*Node) {
	todo := append([]*Node(nil), roots...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for len(n.Children) == 1 { // a chain needs no list
			n.Children[0].Depth = n.Depth + 1
			n = n.Children[0]
		}
		for _, c := range n.Children {
			c.Depth = n.Depth + 1
			todo = append(todo, c)
		}
	}
}
