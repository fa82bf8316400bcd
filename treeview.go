package pith

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/tree"
)

// A Node is an entry in the tree of a session, without its body.
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
}

// Tree is the whole session: its roots, each with its descendants. Children are
// ordered by time. Entries whose parent is missing are roots.
func (s *Session) Tree() []*Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.tree.Len()
	nodes := make([]Node, n)
	for i := range nodes {
		e := &s.table.Entries[i]
		nodes[i] = Node{ID: e.ID, Pos: i, Type: e.Kind.Type(), Role: e.Role.Name()}
		if label, ok := s.labels.Of(e.ID); ok {
			nodes[i].Label, nodes[i].LabelTime = label.Text, label.Time
		}
	}
	for i := s.leaf; i != tree.None; i = s.tree.Parent(i) {
		nodes[i].OnPath = true
	}
	links := make([]*Node, 0, n) // one array for all lists of children
	var kids []int
	for i := range nodes {
		from := len(links)
		kids = s.tree.AppendOrdered(kids[:0], i)
		for _, k := range kids {
			links = append(links, &nodes[k])
		}
		if len(links) > from {
			nodes[i].Children = links[from:len(links):len(links)]
		}
	}
	roots := make([]*Node, 0, 1)
	for _, i := range s.tree.Roots() {
		roots = append(roots, &nodes[i])
	}
	number(roots)
	return roots
}

// number sets the depth of every node, walking with a list instead of the stack.
func number(roots []*Node) {
	todo := append([]*Node(nil), roots...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range n.Children {
			c.Depth = n.Depth + 1
			todo = append(todo, c)
		}
	}
}
