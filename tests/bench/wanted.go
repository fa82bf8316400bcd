package main

import (
	"fmt"
	"io"
)

// A wish is how a figure should lie to another one of the same run.
type wish struct {
	what  string
	times float64 // how many times faster than pi at least; 0 means that most counts
	most  float64 // how many times what opening costs at most
}

// opening is the figure that wishes with most are compared with.
const opening = "a process that opens PATH and ends"

// wishes are what the project wants to hold. They are told below the tables and
// never fail a run: a busy machine would.
var wishes = []wish{
	{what: "pith context PATH --json", times: 25},
	{what: firstList, times: 15},
	{what: "tree of the open session", times: 10},
	{what: "pith name PATH", most: 1.1},
	{what: "pith tree PATH", most: 1.1},
	{what: "pith show PATH --last 20", most: 1.1},
}

// note keeps the medians of a figure by the names of the programs. Of two sections
// with the same figure the first counts.
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

// printWishes is the table of what is wanted, for the figures that were measured.
func (b *bench) printWishes(stdout io.Writer, peer string) {
	head := "\n### What is wanted, and what this run gave\n\n| what | wanted | measured |\n| --- | ---: | ---: |\n"
	for _, w := range wishes {
		own := b.medians[w.what]["pith"]
		wanted, ratio := fmt.Sprintf("%sx %s at least", digits(w.times), peer), b.medians[w.what][peer]/own
		if w.most > 0 {
			wanted, ratio = fmt.Sprintf("%sx opening at most", digits(w.most)), own/b.medians[opening]["pith"]
		}
		if own > 0 && ratio > 0 && ratio < 1e9 {
			fmt.Fprintf(stdout, "%s| %s | %s | %sx |\n", head, w.what, wanted, digits(ratio))
			head = ""
		}
	}
}
