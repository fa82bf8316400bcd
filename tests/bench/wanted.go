package main

import (
	"fmt"
	"io"
)

// A wish is a wanted ratio of two figures of the same run.
type wish struct {
	what  string
	times float64 // at least so much faster than pi; 0 means that most applies
	most  float64 // at most this multiple of opening
}

// opening is the figure that wishes with most are compared with.
const opening = "a process that opens PATH and ends"

// wishes are the targets of the project. They are printed below the tables and
// never fail a run, since the machine may be busy.
var wishes = []wish{
	{what: "pith context PATH --json", times: 25},
	{what: firstList, times: 15},
	{what: "tree of the open session", times: 10},
	{what: "pith name PATH", most: 1.1},
	{what: "pith tree PATH", most: 1.1},
	{what: "pith show PATH --last 20", most: 1.1},
}

// note records the median of a figure by program. If two sections have the same
// figure, the first counts.
func (b *bench) note(what, name string, amount float64) {
	if b.medians == nil {
		b.medians = map[string]map[string]float64{}
	}
	if b.medians[what] == nil {
		b.medians[what] = map[string]float64{}
	}
	if _, known := b.medians[what][name]; !known {
		b.medians[what][name] = amount
	}
}

// printWishes prints the table of targets for the figures that were measured.
func (b *bench) printWishes(stdout io.Writer, peer string) {
	head := "\n### Targets, and results of this run\n\n| what | target | measured |\n| --- | ---: | ---: |\n"
	for _, w := range wishes {
		own := b.medians[w.what]["pith"]
		wanted, ratio := fmt.Sprintf("at least %sx %s", digits(w.times), peer), b.medians[w.what][peer]/own
		if w.most > 0 {
			wanted, ratio = fmt.Sprintf("at most %sx opening", digits(w.most)), own/b.medians[opening]["pith"]
		}
		if own > 0 && ratio > 0 && ratio < 1e9 {
			fmt.Fprintf(stdout, "%s| %s | %s | %sx |\n", head, w.what, wanted, digits(ratio))
			head = ""
		}
	}
}
