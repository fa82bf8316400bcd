package rpcserver

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/sessiondir"
)

// read opens the session in a file for one call.
func (c *call) read(ctx context.Context, path string) (*pith.Session, error) {
	o := c.server.engineOptions()
	o.ReadOnly = true
	return pith.Open(ctx, sessiondir.ExpandPath(path, ""), o)
}

func show(ctx context.Context, c *call) ([]byte, error) {
	path, view, leaf := c.text("path"), c.text("view"), c.text("leafId")
	turns := c.text("turns")
	most, budget := c.count("maxContent", 0), c.count("budget", 0)
	s, err := c.read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r, err := inspect.Open(s, inspect.Scope{Leaf: leaf})
	if err != nil {
		return nil, err
	}
	chosen, err := r.Select(turns)
	if err != nil {
		return nil, &paramError{"turns", err.Error()}
	}
	v := viewing{reading: r, view: view, most: most, budget: int64(budget)}
	if view == "issues" {
		if v.failed, err = r.FailedRuns(); err != nil {
			return nil, err
		}
	}
	return v.answer(ctx, chosen)
}

// A viewing renders turns in one of the views.
type viewing struct {
	reading *inspect.Reading
	view    string
	most    int
	budget  int64 // 0 means no limit
	failed  inspect.FailedRuns
}

// answer returns the items from the first chosen turn, as many as fit the budget.
// next selects the turns of the following ones.
func (v *viewing) answer(ctx context.Context, chosen []int) ([]byte, error) {
	var items list
	done, used := 0, int64(0)
	for _, i := range chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		raw, err := v.item(i, v.most)
		if err != nil {
			return nil, err
		}
		if raw == nil { // not part of the view
			done++
			continue
		}
		if used += inspect.Tokens(string(raw)); v.budget > 0 && used > v.budget {
			if done > 0 {
				break
			}
			if raw, err = v.item(i, inspect.Short.MaxContent(v.most)); err != nil {
				return nil, err
			}
		}
		items.add(raw)
		done++
	}
	next := v.reading.Numbers(chosen[done:])
	return object{}.Raw("items", items.end()).Number("total", int64(len(chosen))).TextOrNull("next", next), nil
}

// item returns one turn in the view; nil if the view omits it.
func (v *viewing) item(i, most int) ([]byte, error) {
	x, err := v.reading.Turn(i, inspect.Detail{MaxContent: most})
	if err != nil {
		return nil, err
	}
	switch v.view {
	case "toc":
		return json.Marshal(x.Contents())
	case "costs":
		return json.Marshal(x.Costs())
	case "issues":
		t := x.Issues(v.failed, i == v.reading.Len()-1)
		if len(t.Issues) == 0 {
			return nil, nil
		}
		return json.Marshal(t)
	case "tools":
		x.Items = slices.DeleteFunc(x.Items, func(it inspect.Item) bool { return it.Tool == nil })
		if len(x.Items) == 0 {
			return nil, nil
		}
	}
	return json.Marshal(x)
}

func subagents(ctx context.Context, c *call) ([]byte, error) {
	path, leaf := c.text("path"), c.text("leafId")
	s, err := c.read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	r, err := subagent.Read(ctx, s, subagent.Options{Leaf: leaf})
	if err != nil {
		return nil, err
	}
	leaf = cmp.Or(leaf, s.LeafID())
	return view.Marshal(view.SubagentsOf(s, leaf, false, r))
}

// difference implements the method diff: two leaves of a session, or two
// sessions.
func difference(ctx context.Context, c *call) ([]byte, error) {
	paths := [2]string{c.text("path"), c.text("otherPath")}
	leaves := [2]string{c.text("leafId"), c.text("otherLeafId")}
	paths[1] = cmp.Or(paths[1], paths[0])
	var sides [2]diff.Side
	for i := range sides {
		s, err := c.read(ctx, paths[i])
		if err != nil {
			return nil, err
		}
		defer s.Close()
		leaves[i] = cmp.Or(leaves[i], s.LeafID())
		sides[i] = diff.Side{Session: s, Leaf: leaves[i]}
	}
	d, err := diff.Compare(ctx, sides[0], sides[1])
	if err != nil {
		return nil, err
	}
	return view.Marshal(view.DiffOf(sides[0], sides[1], d))
}
