package doctor

import (
	"cmp"
	"slices"
	"strings"
)

// pairTries bounds how many calls of one id are held against a result.
const pairTries = 32

// checkPairs finds results without a call, calls that were answered twice on one
// branch, and calls that no branch answers. Contexts are made sound when they
// are sent (see pith.Context.Repaired); the file is a record of what happened, and
// nothing that did not happen is added to it.
func (d *diagnosis) checkPairs() error {
	for _, a := range d.bodies.results {
		c := d.callOf(a)
		switch {
		case c == nil:
			d.entry(OrphanResult, a.entry, "a result of the call %q, which is not before it on its branch", a.id)
		case c.answered >= 0 && d.before.above(c.answered, a.entry):
			d.entry(DuplicateResult, a.entry, "one more result of the call %q", a.id)
		}
		if c != nil {
			c.answered = a.entry
		}
	}
	var open []answer
	for id, calls := range d.bodies.calls {
		for _, c := range calls {
			if c.answered < 0 {
				open = append(open, answer{c.entry, id})
			}
		}
	}
	slices.SortFunc(open, func(a, b answer) int { return cmp.Or(a.entry-b.entry, strings.Compare(a.id, b.id)) })
	return d.checkOpen(open)
}

// checkOpen reads the messages whose calls seem to be open: only now it matters
// whether the answer was broken off, and whether a call is one at all.
func (d *diagnosis) checkOpen(open []answer) error {
	w := walker{view: d.now}
	for _, a := range open {
		e := &d.entries()[a.entry]
		line, err := w.line(a.entry)
		if err != nil {
			return err
		}
		if ids, awaited := callsOf(e.Message(line)); awaited && slices.Contains(ids, a.id) {
			d.entry(DanglingCall, a.entry, "the call %q has no result", a.id)
		}
	}
	return nil
}

// callOf is the call that a result answers: the last of its id above it.
func (d *diagnosis) callOf(a answer) *call {
	calls := d.bodies.calls[a.id]
	for n := len(calls) - 1; n >= max(0, len(calls)-pairTries); n-- {
		if d.before.above(calls[n].entry, a.entry) {
			return &calls[n]
		}
	}
	return nil
}
