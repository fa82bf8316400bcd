package list

import (
	"math"
	"strings"

	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/amount"
)

type usageRow struct {
	label string
	cost.Group
}

// printUsage prints sums: with bars on a terminal, else as a table with all
// numbers.
func (a *Commands) printUsage(u *ops.Spending) {
	if len(u.Groups) == 0 {
		a.Note("no usage recorded")
		return
	}
	rows := make([]usageRow, len(u.Groups))
	for i := range rows {
		rows[i] = usageRow{a.usageLabel(u.By, &u.Groups[i]), u.Groups[i].Group}
	}
	total := usageRow{"total", u.Total}
	if a.Out.Terminal {
		a.printChart(rows, &total)
	} else {
		a.printSums(rows, &total, string(u.By))
	}
	if u.Total.Unpriced > 0 {
		a.Note("%s without a known cost; the totals do not include them", humanize.Count(int(u.Total.Unpriced), "response"))
	}
	if u.Prices != "" {
		a.Note("~ is estimated by the published prices of %s", u.Prices)
	}
	if n := u.Total.CacheWarms; n > 0 {
		a.Note("%s included in the cost, not in the responses", humanize.Count(n, "cache warm-up"))
	}
	if n := u.Copies.Responses; n > 0 {
		a.Note("not counted again: %s copied into forks and subagents, %s", humanize.Count(n, "response"), amount.Cost(u.Copies.Spent))
	}
}

func (u *usageRow) price() string { return amount.CostCell(u.Spent) }

func (a *Commands) printSums(groups []usageRow, total *usageRow, by string) {
	g := layout.Grid{
		Head:  []string{by, "sessions", "responses", "in", "cached", "written", "out", "tokens", "cost"},
		Right: []bool{false, true, true, true, true, true, true, true, true},
	}
	row := func(t tone.Tone, u *usageRow) {
		cells := []string{termsafe.Fit(layout.Flatten(u.label), layout.TitleCells)}
		for _, n := range []int64{int64(u.Sessions), int64(u.Responses), u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Tokens} {
			cells = append(cells, humanize.Number(n))
		}
		g.Add(t, append(cells, u.price())...)
	}
	for i := range groups {
		row(tone.None, &groups[i])
	}
	row(tone.Bold, total)
	g.Print(a.Out, a.Colors, a.Width())
}

const (
	leastLabel = 10
	mostLabel  = 40
	leastBar   = 8
	mostBar    = 50
)

// printChart prints a bar for each sum, proportional to the largest: by cost
// or, if none is recorded, by tokens.
func (a *Commands) printChart(groups []usageRow, total *usageRow) {
	value := func(u *usageRow) int64 { return int64(u.Cost) }
	if total.Cost == 0 {
		value = func(u *usageRow) int64 { return u.Tokens }
	}
	var most int64
	label, cost, tokens := termsafe.Width(total.label), 0, 0
	for i := range groups {
		most = max(most, value(&groups[i]))
		cost = max(cost, len(groups[i].price()))
		groups[i].label = termsafe.Fit(layout.Flatten(groups[i].label), min(mostLabel, max(leastLabel, a.Width()/3)))
		label = max(label, termsafe.Width(groups[i].label))
	}
	cost, tokens = max(cost, len(total.price())), len(humanize.Number(total.Tokens))
	bar := min(mostBar, a.Width()-label-cost-tokens-3*layout.Gap)
	if bar < leastBar {
		bar = 0
	}
	line := func(t tone.Tone, u *usageRow, drawn string) {
		space := strings.Repeat(" ", layout.Gap)
		text := termsafe.Pad(u.label, label) + space
		if bar > 0 {
			text += termsafe.Pad(drawn, bar) + space
		}
		text += termsafe.PadLeft(u.price(), cost) + space + termsafe.PadLeft(humanize.Number(u.Tokens), tokens)
		a.Out.Print(a.Colors.Paint(t, termsafe.Fit(text, a.Width())) + "\n")
	}
	for i := range groups {
		line(tone.None, &groups[i], barOf(value(&groups[i]), most, bar))
	}
	line(tone.Bold, total, "")
}

// barOf returns a bar for a value, in halves of a cell. A value above 0 has at
// least one half.
func barOf(value, most int64, cells int) string {
	if value <= 0 || most <= 0 || cells <= 0 {
		return ""
	}
	halves := max(1, int(math.Round(float64(value)/float64(most)*float64(2*cells))))
	return strings.Repeat("█", halves/2) + strings.Repeat("▌", halves%2)
}
