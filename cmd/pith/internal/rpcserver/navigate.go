package rpcserver

import (
	"errors"

	"github.com/pith-sessions/pith"
)

// treeMethods read the tree and move the leaf in it. As in pi's API, a question
// about an entry that does not exist has an empty answer, and a move to one is
// an error.
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

func getLeafEntry(c *call) ([]byte, error) {
	e, err := c.session.Leaf()
	if err != nil || e == nil {
		return nothing(err)
	}
	return lineOf(e), nil
}

func getEntry(c *call) ([]byte, error) {
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

func getBranch(c *call) ([]byte, error) {
	from := c.session.LeafID()
	if _, ok := c.present("fromId"); ok {
		from = c.text("fromId")
		if c.bad != nil {
			return nil, c.bad
		}
		if _, err := c.session.View().Find(from); err != nil {
			return []byte("[]"), nil
		}
	}
	path, err := c.session.Path(from)
	if err != nil {
		return nil, err
	}
	return entryList(path)
}

func getChildren(c *call) ([]byte, error) {
	parent := ""
	if _, ok := c.present("parentId"); ok {
		parent = c.text("parentId")
		if c.bad != nil {
			return nil, c.bad
		}
		if _, err := c.session.View().Find(parent); err != nil {
			return []byte("[]"), nil
		}
	}
	ids, err := c.session.View().ChildIDs(parent)
	if err != nil {
		return nil, err
	}
	var l list
	for _, id := range ids {
		e, err := c.session.Entry(id)
		if err != nil {
			return nil, err
		}
		l.add(lineOf(e))
	}
	return l.end(), nil
}

func getLabel(c *call) ([]byte, error) {
	id := c.text("id")
	if c.bad != nil {
		return nil, c.bad
	}
	return textOrNull(c.session.View().Label(id)), nil
}

func branch(c *call) ([]byte, error) {
	id := c.nonEmpty("entryId")
	if c.bad != nil {
		return nil, c.bad
	}
	return nothing(c.session.Branch(id))
}

func resetLeaf(c *call) ([]byte, error) {
	c.session.ResetLeaf()
	return null, nil
}
