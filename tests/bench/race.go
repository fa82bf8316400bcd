package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A section is one measured thing, described: what is run on what.
type section struct {
	title  string
	note   string
	trials []trial
}

// A trial is a race of programs on one file. All its rows come from the same
// runs.
type trial struct {
	what       string // for the log
	rows       []row
	contenders []contender
}

// A row is one line of the report for each program.
type row struct {
	key   string // unique in the section; what readings call it
	title string
	unit  unit
	goal  goal
}

// A contender is a program that does the work of a trial.
type contender struct {
	name string
	runs int
	run  func(context.Context) (reading, error)
}

// A reading is what one run of a contender gave, by keys of rows.
type reading struct {
	values map[string]value
	counts map[string]int // what was found; must be the same for all contenders
}

// A value is an amount in the unit of its row, and the CPU time behind it.
type value struct {
	amount float64
	cpu    time.Duration // of all threads; zero when unknown
}

// results are the values of all runs, by contender and key.
type results map[string]map[string][]value

// race runs the contenders in turn until each has had its runs. A contender
// other than the first that fails is out, with the error that says why; the
// first is pith itself, and its error ends the race.
func race(ctx context.Context, t trial) (results, map[string]error, error) {
	got := results{}
	failed := map[string]error{}
	counts := map[string]int{}
	for round := 0; ; round++ {
		ran := false
		for i, c := range t.contenders {
			if round >= c.runs || failed[c.name] != nil {
				continue
			}
			ran = true
			r, err := c.run(ctx)
			switch {
			case ctx.Err() != nil:
				return nil, nil, ctx.Err()
			case err != nil && i == 0:
				return nil, nil, err
			case err != nil:
				failed[c.name] = err
				delete(got, c.name)
				continue
			}
			if err := sameCounts(counts, r.counts, c.name); err != nil {
				return nil, nil, err
			}
			got.add(c.name, r.values)
		}
		if !ran {
			return got, failed, nil
		}
	}
}

func (r results) add(name string, values map[string]value) {
	if r[name] == nil {
		r[name] = map[string][]value{}
	}
	for key, v := range values {
		r[name][key] = append(r[name][key], v)
	}
}

// sameCounts compares what a run found with what all before it found, and
// remembers what is new.
func sameCounts(known, found map[string]int, name string) error {
	for _, what := range slices.Sorted(maps.Keys(found)) {
		n, seen := known[what]
		if seen && n != found[what] {
			return fmt.Errorf("%s found %d %s where a run before it found %d: the programs did not do the same work", name, found[what], what, n)
		}
		known[what] = found[what]
	}
	return nil
}

// measure races all trials of a section and turns the results into figures.
func (b *bench) measure(ctx context.Context, name string, s section) (measured, error) {
	out := measured{Name: name, Title: s.title, Note: s.note}
	figures := figureTable{}
	for _, t := range s.trials {
		b.logf("measuring %s", t.what)
		got, failed, err := race(ctx, t)
		if err != nil {
			return out, fmt.Errorf("%s: %w", t.what, err)
		}
		for _, r := range t.rows {
			line := measuredRow{Key: r.key, Title: r.title, Unit: r.unit}
			for _, c := range t.contenders {
				if f, ok := newFigure(c.name, got[c.name][r.key], failed[c.name]); ok {
					figures.add(r.key, f)
					line.Figures = append(line.Figures, f)
				}
			}
			line.addRatios()
			out.Rows = append(out.Rows, line)
		}
	}
	// A goal may speak of several rows, so all must be there.
	i := 0
	for _, t := range s.trials {
		for _, r := range t.rows {
			r.goal.judge(figures, &out.Rows[i])
			i++
		}
	}
	return out, nil
}
