package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// A section is one table.
type section struct {
	name  string
	title string
	build func(*bench, context.Context) ([]trial, error)
	note  string // printed below the table
}

// A trial is the same work for several programs, of which pith is the first.
type trial []contender

// A contender is a program that does the work of a trial.
type contender struct {
	name string
	runs int
	run  func(context.Context) (reading, error)
}

// A reading is the result of one run of a contender; empty if it failed.
type reading struct {
	figures []figure
	counts  map[string]int // the results, which must be equal for all contenders that report them
}

// A figure is one amount with its label, which is the same for all contenders.
type figure struct {
	what   string
	amount float64
	unit   func(float64) string
	goal   goal // of pith; the zero value for none
}

func took(what string, d time.Duration) figure {
	return figure{what: what, amount: d.Seconds(), unit: seconds}
}
func millis(what string, ms float64) figure {
	return figure{what: what, amount: ms / 1e3, unit: seconds}
}
func resident(what string, bytes int64) figure {
	return figure{what: what, amount: float64(bytes), unit: megabytes}
}
func piResident(what string, mb float64) figure { return resident(what, int64(mb*(1<<20))) }

func (f figure) with(g goal) figure {
	f.goal = g
	return f
}

// A goal bounds a figure of pith: most is an amount, or a multiple of the peer's
// figure. The peer is the second contender of the trial.
type goal struct {
	most float64
	peer bool
}

func within(d time.Duration) goal { return atMost(d.Seconds()) }
func atMost(most float64) goal    { return goal{most: most} }
func faster(times float64) goal   { return goal{1 / times, true} }
func over(times float64) goal     { return goal{times, true} }

// cells returns the last two cells of a row: the goal, and whether it was
// reached. peer is zero if it was not measured.
func (g goal) cells(f figure, own, peer float64) string {
	limit, text := g.most, ""
	switch {
	case g.most == 0:
		return " | |"
	case g.peer && g.most < 0.5:
		limit, text = g.most*peer, fmt.Sprintf("%.3gx less", 1/g.most)
	case g.peer:
		limit, text = g.most*peer, fmt.Sprintf("at most %.3gx", g.most)
	default:
		text = f.unit(g.most)
	}
	switch {
	case own == 0 || limit == 0:
		return " " + text + " | |"
	case own <= limit:
		return " " + text + " | yes |"
	}
	return " " + text + " | no |"
}

func seconds(s float64) string {
	switch {
	case s >= 1:
		return digits(s) + " s"
	case s >= 1e-3:
		return digits(s*1e3) + " ms"
	}
	return digits(s*1e6) + " µs"
}

func percent(f float64) string { return fmt.Sprintf("%.3f %%", f) }

func megabytes(n float64) string { return digits(n/1e6) + " MB" }

// digits prints a number with three digits, without an exponent.
func digits(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// measure runs the trials of a section and prints its table.
func (b *bench) measure(ctx context.Context, stdout io.Writer, s section, trials []trial) error {
	var columns []string
	for _, t := range trials {
		for _, c := range t {
			if !slices.Contains(columns, c.name) {
				columns = append(columns, c.name)
			}
		}
	}
	fmt.Fprintf(stdout, "\n### %s\n\n| what | %s | goal | reached |\n| --- |%s --- | --- |\n", s.title, strings.Join(columns, " | "), strings.Repeat(" ---: |", len(columns)))
	for _, t := range trials {
		readings, err := b.alternate(ctx, t)
		if err != nil {
			return err
		}
		for _, row := range rows(t, readings, columns) {
			fmt.Fprintln(stdout, row)
		}
	}
	if s.note != "" {
		fmt.Fprintf(stdout, "\n%s\n", s.note)
	}
	return nil
}

// alternate runs the contenders of a trial in turn, until each has had its
// runs. One that fails gets no more runs, and the table says so; pith must not
// fail.
func (b *bench) alternate(ctx context.Context, t trial) (map[string][]reading, error) {
	out := map[string][]reading{}
	counts := map[string]int{}
	for turn, more := 0, true; more; turn++ {
		more = false
		for _, c := range t {
			if turn >= c.runs || failed(out[c.name]) {
				continue
			}
			more = true
			b.progress.doing(fmt.Sprintf("%s, run %d of %d", c.name, turn+1, c.runs))
			r, err := c.run(ctx)
			if err != nil && (c.name == t[0].name || ctx.Err() != nil) {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if err != nil {
				b.logf("%s failed: %v", c.name, err)
				out[c.name] = []reading{{}}
				continue
			}
			for _, what := range slices.Sorted(maps.Keys(r.counts)) {
				if n, known := counts[what]; known && n != r.counts[what] {
					return nil, fmt.Errorf("%s found %d %s, where %d were found before: nothing can be compared", c.name, r.counts[what], what, n)
				}
				counts[what] = r.counts[what]
			}
			out[c.name] = append(out[c.name], r)
		}
	}
	return out, nil
}

// rows returns the lines of a table: the median, minimum and maximum for pith;
// the median and its ratio to pith's for the others; the goal.
func rows(t trial, readings map[string][]reading, columns []string) []string {
	var out []string
	for _, f := range readings[t[0].name][0].figures {
		own := median(amounts(readings[t[0].name], f.what))
		peer := 0.0
		line := "| " + f.what + " |"
		for _, name := range columns {
			all := amounts(readings[name], f.what)
			switch {
			case failed(readings[name]):
				line += " failed |"
			case len(all) == 0:
				line += " |"
			case name == t[0].name:
				line += fmt.Sprintf(" %s (%s to %s) |", f.unit(own), f.unit(all[0]), f.unit(all[len(all)-1]))
			default:
				peer = median(all)
				line += fmt.Sprintf(" %s, %sx |", f.unit(peer), digits(peer/own))
			}
		}
		out = append(out, line+f.goal.cells(f, own, peer))
	}
	return out
}

func failed(readings []reading) bool { return len(readings) > 0 && readings[0].figures == nil }

// amounts returns the sorted amounts of one figure in several runs.
func amounts(readings []reading, what string) []float64 {
	var out []float64
	for _, r := range readings {
		for _, f := range r.figures {
			if f.what == what && f.amount > 0 { // zero if the system does not report it
				out = append(out, f.amount)
			}
		}
	}
	slices.Sort(out)
	return out
}

// median returns the middle of sorted amounts; zero of none.
func median(sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
