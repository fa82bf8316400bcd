package show

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
)

// A tableView prints the tables: contents and costs.
type tableView struct{ *showing }

// contents prints a line for each turn.
func (v tableView) contents(ctx context.Context) error {
	l := v.list("row", "rows")
	g := layout.Grid{Head: []string{"#", "time", "errors", "cost", "message"}, Right: []bool{true, false, true, true}, Flex: 4}
	var at []int
	err := v.each(ctx, inspect.Detail{MaxContent: 400}, func(i int, x *inspect.Turn) error {
		row := x.Contents()
		found, err := v.snippets(v.chosen.Indexes[i])
		if err != nil {
			return err
		}
		if v.JSON {
			return l.add(i, contentsRecord{row, found}, nil)
		}
		g.Add(rowTone(&row), contentsCells(&row)...)
		for _, s := range found {
			g.Add(tone.Dim, "", "", "", "", "  "+layout.OneLine(string(s.EntryID))+": "+layout.OneLine(string(s.Text)))
		}
		for len(at) < len(g.Rows) {
			at = append(at, i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if v.JSON {
		return l.end("", nil)
	}
	return v.table(&g, at, "row", &layout.Grid{})
}

// A contentsRecord is a row in JSON, with the matches of a search.
type contentsRecord struct {
	inspect.Row
	Snippets []inspect.Snippet `json:"snippets,omitempty"`
}

// shownSnippets is the number of matches shown for one turn.
const shownSnippets = 3

// snippets returns the matches of the search in a turn.
func (v tableView) snippets(index int) ([]inspect.Snippet, error) {
	if v.flags.search == "" {
		return nil, nil
	}
	return v.reading.Snippets(index, v.flags.search, shownSnippets)
}

func rowTone(row *inspect.Row) tone.Tone {
	if row.Number == 0 {
		return tone.Dim
	}
	return tone.None
}

func contentsCells(row *inspect.Row) []string {
	title := layout.OneLine(string(row.Title))
	if row.Number == 0 {
		title = fmt.Sprintf("(before the first message: %s)", humanize.Count(row.Entries, "entry"))
	}
	if row.Compacted {
		title = "[compacted] " + title
	}
	for _, label := range row.Labels {
		title = "[" + layout.OneLine(string(label)) + "] " + title
	}
	errors := ""
	if row.Errors > 0 {
		errors = strconv.Itoa(row.Errors)
	}
	when := strings.TrimSuffix(humanize.Time(row.Time.Time), "unknown")
	return []string{strconv.Itoa(row.Number), when, errors, amount.CostCell(row.Spent), withTools(title, row.Tools, 5)}
}

// costs prints every model call, inside or outside of the conversation, and
// their totals. The totals include the calls that the budget omits.
func (v tableView) costs(ctx context.Context) error {
	var all []inspect.Cost
	var at []int
	err := v.each(ctx, inspect.Detail{MaxContent: 1}, func(i int, x *inspect.Turn) error {
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
	if v.JSON {
		l := v.list("call", "calls")
		for i := range all {
			if err := l.add(at[i], all[i], nil); err != nil {
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
	g := layout.Grid{
		Head: []string{"#", "time", "model", "what", "in", "cached", "written", "out", "cost"}, Flex: 2,
		Right: []bool{true, false, false, false, true, true, true, true, true},
	}
	for i := range all {
		c := &all[i]
		g.Add(tone.None, costCells(strconv.Itoa(c.Number), humanize.Moment(c.Time.Time), layout.OneLine(string(c.Model)), string(c.Kind), c.Spent.Spent)...)
	}
	var sums layout.Grid
	addTotals(&sums, len(all), total, models, runs)
	return v.table(&g, at, "call", &sums)
}

// addTotals adds the totals of the calls.
func addTotals(g *layout.Grid, calls int, total format.Spent, models []inspect.ModelCost, runs *runCosts) {
	if len(models) > 1 {
		for i := range models {
			m := &models[i]
			g.Add(tone.Dim, costCells("", "", cmp.Or(layout.OneLine(string(m.Model)), "other"), humanize.Count(m.Calls, "call"), m.Spent)...)
		}
	}
	g.Add(tone.Bold, costCells("", "", "total", humanize.Count(calls, "call"), total)...)
	if runs != nil {
		g.Add(tone.Dim, costCells("", "", "subagents", humanize.Count(runs.Runs, "run"), runs.Children)...)
		g.Add(tone.Bold, costCells("", "", "total, each counted once", "", runs.All)...)
	}
}

// runCosts is the cost of subagents, in JSON. A cost recorded both in the
// session and in a child's own file counts once in All.
type runCosts struct {
	Runs     int          `json:"runs"`
	Children format.Spent `json:"children"`
	All      format.Spent `json:"all"`
}

// runCosts returns the cost of subagents on the whole path. It returns nil if
// there are none, or if only a part of the path is selected.
func (v tableView) runCosts(ctx context.Context) (*runCosts, error) {
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
	return []string{number, when, model, what, humanize.Number(s.Input), humanize.Number(s.CacheRead), humanize.Number(s.CacheWrite), humanize.Number(s.Output), amount.ExactCell(s)}
}
