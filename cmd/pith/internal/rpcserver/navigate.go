package rpcserver

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
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
