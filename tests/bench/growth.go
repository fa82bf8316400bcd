package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// An axis is a size that grows, with the figures that may grow with it.
type axis struct {
	title  string
	sizes  []string
	amount []float64
	rows   []curve
}

// A curve is one kind of work and the labels of its figures, one for each size.
type curve struct {
	what    string
	figures []string
}

// each returns a curve whose labels come from the sizes.
func each[T any](what string, label func(T) string, sizes ...T) curve {
	c := curve{what: what}
	for _, s := range sizes {
		c.figures = append(c.figures, label(s))
	}
	return c
}

func labeled(format string) func(int) string {
	return func(n int) string { return fmt.Sprintf(format, n) }
}

var axes = []axis{
	{"the size of a session", []string{"10 MB", "100 MB", "1 GB"}, []float64{10, 100, 1000}, []curve{
		each("open and read the context", labeled("%d MB, open + context"), 10, 100, 1000),
		each("memory of that", labeled("%d MB, peak memory of that"), 10, 100, 1000),
		each("`pith context --json`, empty cache", labeled(contextFirst), 10, 100, 1000),
		each("`pith context --json`, again", labeled(contextAgain), 10, 100, 1000),
	}},
	{"the number of sessions", []string{"1,000", "10,000", "100,000"}, []float64{1e3, 1e4, 1e5}, []curve{
		each("`find -printf`", findOf, crowds...),
		each("`pith ls --all --limit 30`, the first", firstListOf, crowds...),
		each("`pith ls --all --limit 30`, nothing changed", listAgainOf, crowds...),
		each("memory of that", listPeakOf, crowds...),
		each("first screen of the app", firstScreen, crowds...),
		each("a key in the list", func(n int) string { return keysIn("list", n) + ", median" }, crowds...),
	}},
	{"the number of entries", []string{"1 million", "5 million", "10 million"}, []float64{1, 5, 10}, []curve{
		each("`pith tree`, processor time", labeled("pith tree, %d million: time of the processor, the first time"), 1, 5, 10),
		each("`pith tree`, memory", labeled("pith tree, %d million: peak memory, the first time"), 1, 5, 10),
		each("`pith show`, processor time", labeled("pith show, %d million: time of the processor, the first time"), 1, 5, 10),
		each("`pith show`, memory", labeled("pith show, %d million: peak memory, the first time"), 1, 5, 10),
		each("search, best first, 95 of 100", labeled(bestOf), 1, 5, 10),
		each("search, newest first, 95 of 100", labeled(newestOf), 1, 5, 10),
	}},
}

// growth returns the exponent of a curve between its first and last measured
// point: 0 if it is constant, 1 if it is linear. ok is false with fewer than two
// points.
func (b *bench) growth(a axis, c curve) (exponent float64, ok bool) {
	var x, y []float64
	for i, figure := range c.figures {
		if amount := b.results[figure].medians["pith"]; amount > 0 {
			x, y = append(x, a.amount[i]), append(y, amount)
		}
	}
	if len(x) < 2 {
		return 0, false
	}
	last := len(x) - 1
	return math.Log(y[last]/y[0]) / math.Log(x[last]/x[0]), true
}

// kind names the growth of an exponent. Noise of a factor of 1.5 over two
// orders of magnitude is 0.09.
func kind(exponent float64) string {
	switch {
	case exponent < 0.15:
		return "constant"
	case exponent < 0.85:
		return "less than linear"
	case exponent < 1.15:
		return "linear"
	}
	return "more than linear"
}

// printGrowth prints one table for each axis of which something was measured.
func (b *bench) printGrowth(w io.Writer) {
	for _, a := range axes {
		head := fmt.Sprintf("\n### Growth with %s\n\n| what | %s | growth |\n| --- |%s --- |\n", a.title, strings.Join(a.sizes, " | "), strings.Repeat(" ---: |", len(a.sizes)))
		for _, c := range a.rows {
			exponent, ok := b.growth(a, c)
			if !ok {
				continue
			}
			fmt.Fprintf(w, "%s| %s |", head, c.what)
			head = ""
			for _, figure := range c.figures {
				cell := " "
				if r := b.results[figure]; r.medians["pith"] > 0 {
					cell = " " + r.unit(r.medians["pith"]) + " "
				}
				fmt.Fprintf(w, "%s|", cell)
			}
			fmt.Fprintf(w, " %s |\n", kind(exponent))
		}
	}
}

// growthChart draws the curves of each axis, as multiples of their first
// points, with both scales logarithmic. The dashed line is linear growth.
func (b *bench) growthChart() string {
	const left, wide, high, gap = 60, 400, 200, 70
	var s strings.Builder
	height := len(axes)*(high+gap) + 20
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 %d" font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="How costs grow with sizes">`+"\n", height)
	s.WriteString("<style>rect{fill:#fff}text{fill:#24292f}.frame{fill:none;stroke:#8b949e}.linear{stroke:#8b949e;stroke-dasharray:5 5}.curve{fill:none;stroke:#0f766e;stroke-width:2}" +
		"@media (prefers-color-scheme:dark){rect{fill:#0d1117}text{fill:#e6edf3}.curve{stroke:#2dd4bf}}</style>\n")
	fmt.Fprintf(&s, `<rect width="900" height="%d" rx="8"/>`+"\n", height)
	for i, a := range axes {
		top, last := float64(40+i*(high+gap)), len(a.amount)-1
		span := math.Log(a.amount[last] / a.amount[0])
		x := func(n int) float64 { return left + wide*math.Log(a.amount[n]/a.amount[0])/span }
		y := func(times float64) float64 { return top + high - high*math.Max(0, math.Log(times))/span }
		fmt.Fprintf(&s, `<text x="%d" y="%.0f">Growth with %s</text><path class="frame" d="M%d %.0fV%.0fH%d"/><line class="linear" x1="%d" y1="%.0f" x2="%d" y2="%.0f"/>`+"\n",
			left, top-14, a.title, left, top, top+high, left+wide, left, top+high, left+wide, top)
		for n, size := range a.sizes {
			fmt.Fprintf(&s, `<text x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", x(n), top+high+18, size)
		}
		fmt.Fprintf(&s, `<text x="%d" y="%.0f" text-anchor="end">1x</text><text x="%d" y="%.0f" text-anchor="end">%gx</text>`+"\n", left-6, top+high+4, left-6, top+4, a.amount[last]/a.amount[0])
		type ending struct {
			at   float64
			text string
		}
		var ends []ending
		for _, c := range a.rows {
			if _, ok := b.growth(a, c); !ok {
				continue
			}
			first, path, at := 0.0, "", 0.0
			for n, figure := range c.figures {
				amount := b.results[figure].medians["pith"]
				if amount == 0 {
					continue
				}
				if first == 0 {
					first = amount
				}
				at = y(amount / first)
				path += fmt.Sprintf("%.1f,%.1f ", x(n), at)
			}
			fmt.Fprintf(&s, `<polyline class="curve" points="%s"/>`+"\n", strings.TrimSpace(path))
			ends = append(ends, ending{at, strings.ReplaceAll(c.what, "`", "")})
		}
		slices.SortFunc(ends, func(a, b ending) int { return int(a.at - b.at) })
		low := math.Inf(-1) // labels do not overlap
		for _, e := range ends {
			low = math.Max(e.at+4, low+16)
			fmt.Fprintf(&s, `<text x="%d" y="%.0f">%s</text>`+"\n", left+wide+10, low, e.text)
		}
	}
	s.WriteString("</svg>\n")
	return s.String()
}
