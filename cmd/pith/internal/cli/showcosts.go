package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// costs prints every call of a model, in the conversation or beside it, and what
// they add up to: all that were chosen, those too for which a budget has no room.
func (v *showing) costs(ctx context.Context) error {
	var all []inspect.Cost
	var at []int
	err := v.each(ctx, inspect.Detail{MaxContent: 1}, func(i int, x *inspect.Exchange) error {
		all = append(all, x.Costs()...)
		for len(at) < len(all) {
			at = append(at, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var total format.Spent
	for i := range all {
		total = total.Plus(all[i].Spent.Spent)
	}
	models := inspect.ByModel(all)
	runs, err := v.runCosts(ctx)
	if err != nil {
		return err
	}
	if v.isJSON() {
		l := v.list("call", "calls")
		for i := range all {
			if err := l.addJSON(at[i], all[i]); err != nil {
				return err
			}
		}
		return l.end("", func() []jsonMember {
			if v.lean {
				return []jsonMember{{"total", total}}
			}
			return []jsonMember{{"total", total}, {"models", models}, {"subagents", runs}}
		})
	}
	g := grid{
		head: []string{"#", "time", "model", "what", "in", "cached", "written", "out", "cost"}, flex: 2,
		right: []bool{true, false, false, false, true, true, true, true, true},
	}
	for i := range all {
		c := &all[i]
		g.add(toneNone, costCells(strconv.Itoa(c.Number), humanize.Moment(c.Time.Time), oneLine(string(c.Model)), string(c.Kind), c.Spent.Spent)...)
	}
	var sums grid
	addTotals(&sums, len(all), total, models, runs)
	return v.table(&g, at, "call", &sums)
}

// addTotals adds what the calls come to.
func addTotals(g *grid, calls int, total format.Spent, models []inspect.ModelCost, runs *runCosts) {
	if len(models) > 1 {
		for i := range models {
			m := &models[i]
			g.add(toneDim, costCells("", "", cmp.Or(oneLine(string(m.Model)), "other"), humanize.Count(m.Calls, "call"), m.Spent)...)
		}
	}
	g.add(toneBold, costCells("", "", "total", humanize.Count(calls, "call"), total)...)
	if runs != nil {
		g.add(toneDim, costCells("", "", "subagents", humanize.Count(runs.Runs, "run"), runs.Children)...)
		g.add(toneBold, costCells("", "", "together, each counted once", "", runs.All)...)
	}
}

// runCosts is what subagents spent, in JSON. Money of which the session and a
// child's own file both tell counts once in All.
type runCosts struct {
	Runs     int          `json:"runs"`
	Children format.Spent `json:"children"`
	All      format.Spent `json:"all"`
}

// runCosts are the costs of subagents on the whole path; nil when there are none,
// or when only a part of the path was asked for.
func (v *showing) runCosts(ctx context.Context) (*runCosts, error) {
	if v.flags.selects() {
		return nil, nil
	}
	r, err := v.runs(ctx)
	if err != nil || r.Runs == 0 {
		return nil, err
	}
	return &runCosts{r.Runs, r.Children, r.All}, nil
}

func costCells(number, when, model, what string, s format.Spent) []string {
	return []string{number, when, model, what, humanize.Number(s.Input), humanize.Number(s.CacheRead), humanize.Number(s.CacheWrite), humanize.Number(s.Output), humanize.ExactDollars(s.Cost.Micros())}
}
