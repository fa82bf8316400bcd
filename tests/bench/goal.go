package main

import "fmt"

// pithName is what pith is called among the contenders.
const pithName = "pith"

// A verdict says what became of a goal.
type verdict string

const (
	met         verdict = "met"
	aimMet      verdict = "met, and the aim"
	missed      verdict = "missed"
	notMeasured verdict = "not measured"
)

// A goal is what a row is expected to show. The zero goal expects nothing: the
// row only reports.
type goal struct {
	text  string
	check func(t figureTable, key string) verdict
	// measured says what the verdict rests on where no column does; may be nil.
	measured func(t figureTable, key string) string
}

// judge fills in what a row says about its goal.
func (g goal) judge(t figureTable, r *measuredRow) {
	if g.check == nil {
		return
	}
	r.Goal, r.Verdict = g.text, g.check(t, r.Key)
	if g.measured != nil && r.Verdict != notMeasured {
		r.Measured = g.measured(t, r.Key)
	}
}

// figureTable has the figures of a section by contender and key of the row,
// without those of contenders that failed.
type figureTable map[string]map[string]figure

func (t figureTable) add(key string, f figure) {
	if f.Failed != "" {
		return
	}
	if t[f.By] == nil {
		t[f.By] = map[string]figure{}
	}
	t[f.By][key] = f
}

// own is pith's figure of a row.
func (t figureTable) own(key string) (figure, bool) {
	f, ok := t[pithName][key]
	return f, ok && f.Median > 0
}

// smallestRatio is how many times pith's amount every other contender needs at
// least.
func (t figureTable) smallestRatio(key string) (float64, bool) {
	own, ok := t.own(key)
	if !ok {
		return 0, false
	}
	smallest, found := 0.0, false
	for name, figures := range t {
		other, ok := figures[key]
		if name == pithName || !ok {
			continue
		}
		if ratio := other.Median / own.Median; !found || ratio < smallest {
			smallest, found = ratio, true
		}
	}
	return smallest, found
}

// atLeast is the goal that every pi needs so many times what pith needs.
func atLeast(times float64) goal { return atLeastAiming(times, times) }

// atLeastAiming is atLeast with a higher ratio that would be better still.
func atLeastAiming(times, aim float64) goal {
	text := fmt.Sprintf("≥ %gx", times)
	if aim > times {
		text += fmt.Sprintf(", aim %gx", aim)
	}
	return goal{text: text, check: func(t figureTable, key string) verdict {
		ratio, ok := t.smallestRatio(key)
		switch {
		case !ok:
			return notMeasured
		case ratio < times:
			return missed
		case aim > times && ratio >= aim:
			return aimMet
		}
		return met
	}}
}

// atMost is a limit on pith's own amount.
func atMost(limit float64, u unit) goal {
	return within("≤ "+u.text(limit), func(own float64) bool { return own <= limit })
}

// noLess is the least that pith's own amount may be.
func noLess(limit float64, u unit) goal {
	return within("≥ "+u.text(limit), func(own float64) bool { return own >= limit })
}

func within(text string, good func(own float64) bool) goal {
	return goal{text: text, check: func(t figureTable, key string) verdict {
		own, ok := t.own(key)
		switch {
		case !ok:
			return notMeasured
		case !good(own.Median):
			return missed
		}
		return met
	}}
}

// linearTolerance is how much more a unit of the larger input may cost than
// one of the smaller before the cost counts as growing faster than the input.
// Caches, pages and the collector account for less; with a quadratic cost it
// would be the growth of the input.
const linearTolerance = 2

// linearFrom is the goal that pith's cost grows like the input: from that of
// another row, whose input is smaller by the factor. The best runs are
// compared, because whatever else the machine does only adds.
func linearFrom(smaller string, factor float64) goal {
	growth := func(t figureTable, key string) (float64, bool) {
		before, ok1 := t.own(smaller)
		after, ok2 := t.own(key)
		return after.Min / before.Min, ok1 && ok2
	}
	return goal{
		text: "linear",
		check: func(t figureTable, key string) verdict {
			grown, ok := growth(t, key)
			switch {
			case !ok:
				return notMeasured
			case grown > factor*linearTolerance:
				return missed
			}
			return met
		},
		measured: func(t figureTable, key string) string {
			grown, _ := growth(t, key)
			return fmt.Sprintf("%s for %gx the input", ratioText(grown), factor)
		},
	}
}
