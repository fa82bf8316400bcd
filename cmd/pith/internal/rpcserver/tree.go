package rpcserver

import (
	"context"
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/jsonl"
)

func getTree(_ context.Context, c *call) ([]byte, error) {
	return nest(c.session.View())
}

// nest writes the roots of a view with all their descendants. It keeps its own
// stack, since a conversation is as deep as it is long (pitfall 74).
func nest(v *pith.View) ([]byte, error) {
	lines := v.Reader()
	out := []byte{'['}
	stack := [][]*pith.Node{v.Tree()} // the remaining nodes of each list
	for {
		top := &stack[len(stack)-1]
		if len(*top) == 0 {
			out = append(out, ']')
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return out, nil
			}
			out = append(out, '}') // ends the node whose children ended
			continue
		}
		n := (*top)[0]
		*top = (*top)[1:]
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		line, err := lines.Line(n.Pos)
		if err != nil {
			return nil, err
		}
		out = appendNode(out, n, line.Raw)
		stack = append(stack, n.Children)
	}
}

// appendNode writes a node up to its children.
func appendNode(out []byte, n *pith.Node, line []byte) []byte {
	out = append(append(out, `{"entry":`...), line...)
	if n.Label != "" {
		out = jsonl.AppendString(append(out, `,"label":`...), n.Label)
	}
	if n.LabelTime != "" {
		out = jsonl.AppendString(append(out, `,"labelTimestamp":`...), n.LabelTime)
	}
	return append(out, `,"children":[`...)
}
