package live

import (
	"context"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// Forks returns the entries of the path to end at which other branches continue, and
// the number of branches of the session. Bookkeeping does not make a branch.
func (l *Session) Forks(ctx context.Context, end string) (blocks.Forks, error) {
	v := l.Current().View()
	path, err := v.Path(end)
	if err != nil {
		return nil, err
	}
	active, err := v.Path("")
	if err != nil {
		return nil, err
	}
	current := make(map[int]bool, len(active))
	for _, pos := range active {
		current[pos] = true
	}
	r := ways{ctx: ctx, view: v, current: current}
	forks := blocks.Forks{}
	next := -1
	for i := len(path) - 1; i >= -1; i-- {
		id := ""
		if i >= 0 {
			id = v.At(path[i]).ID
		}
		children, err := v.Children(id)
		if err != nil {
			return nil, err
		}
		if len(children) > 1 {
			if f, err := r.fork(id, children, next); err != nil {
				return nil, err
			} else if f != nil {
				forks[id] = f
			}
		}
		if i >= 0 {
			next = path[i]
		}
	}
	return forks, ctx.Err()
}

type ways struct {
	ctx     context.Context
	view    *pith.View
	current map[int]bool // positions on the path to the leaf
}

// fork returns the branches at an entry, the shown one first; nil if there is only one.
func (r *ways) fork(id string, children []int, shown int) (*blocks.Fork, error) {
	f := &blocks.Fork{At: id}
	for _, child := range children {
		w, err := r.way(child)
		if err != nil {
			return nil, err
		}
		if w.Entries == 0 {
			continue
		}
		w.Shown, w.Current = child == shown, r.current[child]
		if w.Shown {
			f.Ways = append([]blocks.Way{w}, f.Ways...)
		} else {
			f.Ways = append(f.Ways, w)
		}
	}
	if len(f.Ways) < 2 {
		return nil, nil
	}
	return f, nil
}

// mostPriced is the number of entries of a branch from which its cost is not computed.
const mostPriced = 5000

// way describes the branch that begins with an entry.
func (r *ways) way(first int) (w blocks.Way, err error) {
	v := r.view
	w.First = v.At(first).ID
	last := -1
	var said []int
	seen := map[int]bool{}
	for todo := []int{first}; len(todo) > 0; {
		pos := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pos] {
			continue // a damaged file may contain cycles
		}
		seen[pos] = true
		e := v.At(pos)
		if w.Label == "" {
			w.Label = e.Label
		}
		if !isBookkeeping(e.Type) {
			w.Entries++
			said = append(said, pos)
			if pos > last {
				last, w.End = pos, e.ID
			}
		}
		children, err := v.Children(e.ID)
		if err != nil {
			return w, err
		}
		for i := len(children) - 1; i >= 0; i-- {
			todo = append(todo, children[i])
		}
	}
	for _, pos := range said[:min(len(said), mostPriced)] {
		if r.ctx.Err() != nil {
			return w, r.ctx.Err()
		}
		e, err := v.Entry(pos)
		if err != nil {
			continue // damaged
		}
		spent, _ := prices.Entry(e)
		w.Spent = w.Spent.Plus(spent)
		if w.Text == "" && v.At(pos).Role == format.RoleUser {
			w.Text = title(entryline.Copy(e))
		}
	}
	if w.Text == "" && len(said) > 0 {
		if e, err := v.Entry(said[0]); err == nil {
			w.Text = title(entryline.Copy(e))
		}
	}
	return w, nil
}

// longestTitle is the maximum length of the title of a branch, in cells.
const longestTitle = 200

func title(text string) string {
	return termsafe.Fit(strings.Join(strings.Fields(text[:min(len(text), 2000)]), " "), longestTitle)
}

// isBookkeeping reports whether entries of a type describe the session.
func isBookkeeping(t format.Type) bool {
	switch t {
	case format.TypeLabel, format.TypeContextEdit, format.TypeCustom, format.TypeModelChange,
		format.TypeThinkingLevelChange, format.TypeSessionInfo, format.TypeUsage:
		return true
	}
	return false
}

// Left describes what going back from the current entry leaves: the entries of the path
// from one on, and the number of prompts among them.
func (l *Session) Left(ctx context.Context, first string) (w blocks.Way, turns int, err error) {
	v := l.Current().View()
	path, err := v.Path("")
	if err != nil {
		return w, 0, err
	}
	on := false
	for _, pos := range path {
		e := v.At(pos)
		if on = on || e.ID == first; !on || isBookkeeping(e.Type) {
			continue
		}
		w.Entries++
		if e.Role == format.RoleUser {
			turns++
		}
		if w.Entries > mostPriced || ctx.Err() != nil {
			continue
		}
		if entry, err := v.Entry(pos); err == nil {
			spent, _ := prices.Entry(entry)
			w.Spent = w.Spent.Plus(spent)
		}
	}
	return w, turns, ctx.Err()
}
