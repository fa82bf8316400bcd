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
		onSession("getBranch", "fromId?", getBranch),
		onSession("getTree", "", getTree),
		onSession("getChildren", "parentId", getChildren),
		onSession("getLabel", "id", getLabel),
		onSession("branch", "entryId|branchFromId", branch),
		onSession("resetLeaf", "", resetLeaf),
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
	id := c.text("id")
	if c.bad != nil {
		return nil, c.bad
	}
	e, err := c.session.Entry(id)
	if errors.Is(err, pith.ErrNoEntry) {
		return null, nil
	}
	if err != nil {
		return nil, err
	}
	return lineOf(e), nil
}

func getBranch(_ context.Context, c *call) ([]byte, error) {
	return c.linesAt("fromId", (*pith.View).Path)
}

func getChildren(_ context.Context, c *call) ([]byte, error) {
	return c.linesAt("parentId", (*pith.View).Children)
}

// linesAt returns the lines that positions finds for the entry in a parameter,
// which may be omitted or null. An entry that does not exist has none.
func (c *call) linesAt(param string, positions func(*pith.View, string) ([]int, error)) ([]byte, error) {
	v, id := c.session.View(), ""
	if _, ok := c.present(param); ok {
		id = c.text(param)
		if c.bad != nil {
			return nil, c.bad
		}
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

func getLabel(_ context.Context, c *call) ([]byte, error) {
	id := c.text("id")
	if c.bad != nil {
		return nil, c.bad
	}
	return textOrNull(c.session.View().Label(id)), nil
}

func branch(_ context.Context, c *call) ([]byte, error) {
	id := c.nonEmpty("entryId")
	if c.bad != nil {
		return nil, c.bad
	}
	return nothing(c.session.Branch(id))
}

func resetLeaf(_ context.Context, c *call) ([]byte, error) {
	c.session.ResetLeaf()
	return null, nil
}

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
