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
		onSession("getLeafId", maybe((*pith.Session).LeafID)),
		onSession("getLeafEntry", getLeafEntry),
		onSession("getEntry", getEntry),
		onSession("getBranch", func(_ context.Context, c *call, p *struct {
			FromID *string `json:"fromId"`
		}) (any, error) {
			return linesAt(c.session.View(), p.FromID, (*pith.View).Path)
		}),
		onSession("getTree", nest),
		onSession("getChildren", func(_ context.Context, c *call, p *struct {
			ParentID nullText `json:"parentId" need:"given"`
		}) (any, error) {
			return linesAt(c.session.View(), p.ParentID.text, (*pith.View).Children)
		}),
		onSession("getLabel", getLabel),
		onSession("branch", branch).whenQuiet(),
		onSession("resetLeaf", does((*pith.Session).ResetLeaf)).whenQuiet(),
	}
}

func getLeafEntry(_ context.Context, c *call, _ *none) (any, error) {
	v := c.session.View()
	if v.Leaf() < 0 {
		return nil, nil
	}
	line, err := v.Line(v.Leaf())
	return line.Raw, err
}

// idParam names an entry.
type idParam struct {
	ID string `json:"id" need:"given"`
}

func getEntry(_ context.Context, c *call, p *idParam) (any, error) {
	e, err := c.session.Entry(p.ID)
	if errors.Is(err, pith.ErrNoEntry) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return lineOf(e), nil
}

// linesAt returns the lines that positions finds for an entry, or without one for "". An
// entry that does not exist has none.
func linesAt(v *pith.View, id *string, positions func(*pith.View, string) ([]int, error)) (any, error) {
	if id != nil {
		if _, err := v.Find(*id); err != nil {
			return []byte("[]"), nil
		}
	}
	at, err := positions(v, valueOf(id))
	if err != nil {
		return nil, err
	}
	return lineList(v, at)
}

func getLabel(_ context.Context, c *call, p *idParam) (any, error) {
	return orNull(c.session.View().Label(p.ID)), nil
}

type branchParams struct {
	EntryID string `json:"entryId|branchFromId" need:"value"`
}

func branch(_ context.Context, c *call, p *branchParams) (any, error) {
	return nil, c.session.Branch(p.EntryID)
}

// nest implements the method getTree. It keeps its own stack, since a
// conversation is as deep as it is long (pitfall 74).
func nest(_ context.Context, c *call, _ *none) (any, error) {
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
