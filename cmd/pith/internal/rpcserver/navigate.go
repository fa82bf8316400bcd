package rpcserver

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// treeMethods returns the methods that read the tree and move the leaf. As in
// pi's API, a query about an entry that does not exist has an empty result, and
// a move to one is an error.
func treeMethods() []*method {
	return []*method{
		onSession("getLeafId", "", maybe((*pith.Session).LeafID)),
		onSession("getLeafEntry", "", getLeafEntry),
		onSession("getEntry", "id", getEntry),
		onSession("getBranch", "fromId?", linesAt("fromId", (*pith.View).Path)),
		onSession("getTree", "", nest),
		onSession("getChildren", "parentId:textOrNull", linesAt("parentId", (*pith.View).Children)),
		onSession("getLabel", "id", getLabel),
		onSession("branch", "entryId|branchFromId:name", branch),
		onSession("resetLeaf", "", does((*pith.Session).ResetLeaf)),
	}
}

func getLeafEntry(_ context.Context, c *call) ([]byte, error) {
	v := c.session.View()
	if v.Leaf() < 0 {
		return null, nil
	}
	line, err := v.Line(v.Leaf())
	return line.Raw, err
}

func getEntry(_ context.Context, c *call) ([]byte, error) {
	e, err := c.session.Entry(c.text("id"))
	if errors.Is(err, pith.ErrNoEntry) {
		return null, nil
	}
	if err != nil {
		return nil, err
	}
	return lineOf(e), nil
}

// linesAt returns a method for the lines that positions finds for the entry in a
// parameter, which may be omitted or null. An entry that does not exist has none.
func linesAt(param string, positions func(*pith.View, string) ([]int, error)) handler {
	return func(_ context.Context, c *call) ([]byte, error) {
		v, id := c.session.View(), ""
		if c.json(param) != nil {
			id = c.text(param)
			if _, err := v.Find(id); err != nil {
				return []byte("[]"), nil
			}
		}
		at, err := positions(v, id)
		if err != nil {
			return nil, err
		}
		return lineList(v, at)
	}
}

func getLabel(_ context.Context, c *call) ([]byte, error) {
	return textOrNull(c.session.View().Label(c.text("id"))), nil
}

func branch(_ context.Context, c *call) ([]byte, error) {
	return nothing(c.session.Branch(c.text("entryId")))
}

// nest implements the method getTree. It keeps its own stack, since a
// conversation is as deep as it is long (pitfall 74).
func nest(_ context.Context, c *call) ([]byte, error) {
	v := c.session.View()
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
