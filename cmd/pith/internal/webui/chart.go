package webui

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/page"
)

const (
	mostDays  = 92   // more are shown as weeks
	mostBars  = 400  // a file may claim any year: of more, the last ones
	chartTall = 240. // of the picture, whose width is 1000
)

// chart is a picture of the costs over time: a bar for each day, week or month,
// with a part for each agent or model.
type chart struct {
	Label     string
	Ticks     []string // from the top
	Lines     []string // their heights
	Bars      []bar
	Names     []axisName
	Legend    []series
	Estimated bool
	Unknown   bool
}

type series struct{ Name, Class, Link string }

type bar struct {
	Link, Text, Tip string // the tip has a line for each part
	X, Width        string // of the place
	Parts           []part
	at              time.Time
	spent           map[string]format.Spent
	estimated       map[string]format.Money // the part of spent
	all             format.Spent
}

type part struct{ Class, X, Y, Width, Height string }

type axisName struct {
	Text string
	Odd  bool // left out in a narrow window
}

// colors are the colors of series, which the style sheet names after agents.
var colors = []string{"a-claude", "a-pi", "a-codex", "a-gemini", "a-opencode"}

func newChart(l *cost.Ledger, v url.Values, name string, t times) *chart {
	zone := t.now.Location()
	step := 1
	floor := midnight
	next := func(d time.Time) time.Time { return d.AddDate(0, 0, step) }
	switch name {
	case "week":
		floor, step = monday, 7
	case "month":
		floor = func(d time.Time) time.Time { return time.Date(d.Year(), d.Month(), 1, 0, 0, 0, 0, d.Location()) }
		next = func(d time.Time) time.Time { return d.AddDate(0, 1, 0) }
	}
	c := &chart{}
	for d := floor(t.start); !d.After(t.now); d = next(d) {
		if c.Bars = append(c.Bars, bar{at: d, spent: map[string]format.Spent{}, estimated: map[string]format.Money{}}); len(c.Bars) > mostBars {
			c.Bars = c.Bars[1:]
		}
	}
	key := func(r *cost.Response) string { return page.AgentOf(l.Sessions[r.Session].Root).Root }
	if v.Get("stack") == "model" {
		key = func(r *cost.Response) string { return cmp.Or(base(r.Model), "unknown") }
	}
	sums := map[string]format.Spent{}
	for i := range l.Responses {
		r := &l.Responses[i]
		at := r.Time.In(zone)
		n, ok := slices.BinarySearchFunc(c.Bars, at, func(b bar, at time.Time) int { return b.at.Compare(at) })
		if !ok {
			n--
		}
		if n < 0 || r.Time.IsZero() || at.After(next(c.Bars[n].at)) {
			continue
		}
		k := key(r)
		sums[k] = sums[k].Plus(r.Spent)
		c.Bars[n].spent[k] = c.Bars[n].spent[k].Plus(r.Spent)
		c.Bars[n].all = c.Bars[n].all.Plus(r.Spent)
		if r.Estimated {
			c.Bars[n].estimated[k] += r.Cost
		}
	}
	c.draw(v, name, sums)
	return c
}

// draw makes the parts of the bars, the largest series at the bottom.
func (c *chart) draw(v url.Values, unit string, sums map[string]format.Spent) {
	tokens := v.Get("show") == "tokens"
	size := func(s format.Spent) float64 { return float64(s.Cost.Micros()) / 1e6 }
	say := money
	if tokens {
		size = func(s format.Spent) float64 { return float64(s.Tokens) }
		say = func(s format.Spent) string { return humanize.Short(s.Tokens) + " tokens" }
	}
	keys := make([]string, 0, len(sums))
	for k := range sums {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(size(sums[b]), size(sums[a])), cmp.Compare(a, b))
	})
	classes, names := map[string]string{}, map[string]string{}
	for i, k := range keys {
		filter := "source"
		if names[k], classes[k] = page.AgentOf(k).Name, page.AgentOf(k).Class; v.Get("stack") == "model" {
			filter, names[k], classes[k] = "model", k, "a-other"
			if i < len(colors) {
				classes[k] = colors[i]
			}
		}
		if size(sums[k]) > 0 && len(c.Legend) < 8 {
			c.Legend = append(c.Legend, series{names[k], classes[k], address(v, "q", ops.Refine(query.Query{}, filter, k))})
		}
	}
	top := 0.
	for i := range c.Bars {
		top = max(top, size(c.Bars[i].all))
	}
	each := roundStep(top)
	count := max(1, int(math.Ceil(top/each-1e-9)))
	for n := count; n >= 0; n-- {
		c.Lines = append(c.Lines, fmt.Sprintf("%.1f", chartTall*float64(count-n)/float64(count)))
		c.Ticks = append(c.Ticks, tick(each*float64(n), each, tokens))
	}
	slot := 1000 / float64(len(c.Bars))
	gap := min(3, slot/8)
	number := func(f float64) string { return fmt.Sprintf("%.1f", f) }
	for i := range c.Bars {
		b := &c.Bars[i]
		x, wide := float64(i)*slot, slot-2*gap
		b.X, b.Width = number(x), number(slot)
		total := say(b.all)
		if b.all.IsZero() {
			total = "nothing"
		}
		told := []string{barName(b.at, unit) + ": " + total}
		y := chartTall
		for _, k := range keys {
			s := b.spent[k]
			if s.IsZero() {
				continue
			}
			line := names[k] + " " + say(s)
			if s.Estimated && !tokens {
				line, c.Estimated = line+" estimated", true
			}
			told = append(told, line)
			parts := []float64{size(s), 0} // recorded, estimated
			if !tokens {
				parts[1] = float64(b.estimated[k].Micros()) / 1e6
				parts[0] -= parts[1]
			}
			for i, class := range []string{"v " + classes[k], "v " + classes[k] + " e"} {
				if high := chartTall * parts[i] / (each * float64(count)); high > 0.05 {
					y -= high
					b.Parts = append(b.Parts, part{class, number(x + gap), number(y), number(wide), number(high)})
				}
			}
		}
		if b.all.Unpriced > 0 && !tokens {
			c.Unknown = true
			b.Parts = append(b.Parts, part{"v q", number(x + gap), number(y - 8), number(wide), "6"})
		}
		b.Tip, b.Text = strings.Join(told, "\n"), told[0]
		if len(told) > 1 {
			b.Text += "; " + strings.Join(told[1:], "; ")
		}
		b.Link = "/?" + url.Values{"q": {strings.TrimSpace(v.Get("q") + " since:" + b.at.Format(time.DateOnly) + " until:" + lastDay(b.at, unit).Format(time.DateOnly))}}.Encode()
	}
	c.name(unit)
	what := "Cost"
	if tokens {
		what = "Tokens"
	}
	c.Label = what + " by " + unit + ", stacked by " + cmp.Or(v.Get("stack"), "agent") + ". The table below has the sums."
}

// lastDay returns the last day of a bar.
func lastDay(at time.Time, unit string) time.Time {
	switch unit {
	case "week":
		return at.AddDate(0, 0, 6)
	case "month":
		return at.AddDate(0, 1, -1)
	}
	return at
}

func barName(at time.Time, unit string) string {
	switch unit {
	case "week":
		return at.Format("2 January") + " to " + lastDay(at, unit).Format("2 January")
	case "month":
		return at.Format("January 2006")
	}
	return at.Format("Mon 2 January")
}

// name names about six bars: Mondays, or the first of a month.
func (c *chart) name(unit string) {
	starts := func(b *bar) bool { return b.at.Weekday() == time.Monday }
	layout := "2 Jan"
	switch {
	case unit == "month":
		starts, layout = func(*bar) bool { return true }, "Jan 06"
	case unit == "week" || len(c.Bars) > 60:
		starts = func(b *bar) bool { return b.at.Day() <= 7 && (unit == "week" || b.at.Day() == 1) }
	case len(c.Bars) <= 10:
		starts, layout = func(*bar) bool { return true }, "Mon 2"
	}
	named, marks := 0, 0
	for i := range c.Bars {
		if starts(&c.Bars[i]) {
			marks++
		}
	}
	every := marks/8 + 1
	for i := range c.Bars {
		n := axisName{}
		if starts(&c.Bars[i]) { // the last bars have no room for a name
			if named++; (named-1)%every == 0 && i < len(c.Bars)-(len(c.Bars)+9)/20 {
				n.Text, n.Odd = c.Bars[i].at.Format(layout), (named-1)/every%2 == 1
			}
		}
		c.Names = append(c.Names, n)
	}
}

// roundStep returns the distance of ticks: 1, 2 or 5 times a power of ten, with
// at most five ticks up to top.
func roundStep(top float64) float64 {
	if top <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(top/4)))
	for _, times := range []float64{1, 2, 5, 10} {
		if top/(unit*times) <= 4+1e-9 {
			return unit * times
		}
	}
	return unit * 10
}

func tick(value, step float64, tokens bool) string {
	switch {
	case value == 0 && !tokens:
		return "$0"
	case tokens:
		return humanize.Short(int64(math.Round(value)))
	case step >= 1:
		return fmt.Sprintf("$%.0f", value)
	case step >= 0.1:
		return fmt.Sprintf("$%.1f", value)
	case step >= 0.01:
		return fmt.Sprintf("$%.2f", value)
	}
	return fmt.Sprintf("$%.3g", value)
}
