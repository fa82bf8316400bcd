package doctor

import "slices"

// checkPairs finds results without a call, calls with two results on one
// branch, and calls without a result. pith.Context.Repaired fixes these in
// contexts. A repair makes a stray result a message that quotes it, because
// providers reject it; a call without a result is left alone, because every
// program adds one when it sends the call.
func (d *diagnosis) checkPairs() error {
	d.waiting.results = make(map[int]bool)
	var open []answer
	var room []pair
	for id, t := range d.bodies.threads {
		room = t.pairs(room[:0], d.before)
		d.checkThread(id, t, room)
		for _, c := range t.calls {
			if !c.answered {
				open = append(open, answer{c.entry, id})
			}
		}
	}
	slices.SortFunc(open, func(a, b answer) int { return a.entry - b.entry })
	return d.checkOpen(open)
}

// regains describes the effect of repairing parents on a result.
const regains = "repair the parent, which reunites the call and its result"

// checkThread matches the results of one id with its calls.
func (d *diagnosis) checkThread(id string, t *thread, pairs []pair) {
	regained := make(map[int]bool)
	if d.after != d.before {
		for _, p := range t.pairs(nil, d.after) {
			regained[p.result] = p.call != nil
		}
	}
	for _, p := range pairs {
		switch {
		case p.call == nil:
			if !d.entry(OrphanResult, p.result, "a result of call %q, which is not before it on its branch", id) {
				continue
			}
			if regained[p.result] {
				d.fix(regains)
				continue
			}
			d.waiting.results[p.result] = false
		case p.again:
			if d.entry(DuplicateResult, p.result, "another result of call %q", id) {
				d.waiting.results[p.result] = true
			}
		default:
			p.call.answered = true
		}
	}
}

// checkOpen parses the messages whose calls seem to be open. Only now it
// matters whether the response was interrupted, and whether a call really is
// one.
func (d *diagnosis) checkOpen(open []answer) error {
	w := walker{view: d.now}
	for len(open) > 0 {
		entry := open[0].entry
		line, err := w.line(entry)
		if err != nil {
			return err
		}
		seems := map[string]bool{}
		for ; len(open) > 0 && open[0].entry == entry; open = open[1:] {
			seems[open[0].id] = true
		}
		msg := d.now.state.At(entry).Message(line)
		ids, awaited := callsOf(msg)
		for _, id := range ids {
			if awaited && seems[id] {
				d.entry(DanglingCall, entry, "call %q has no result", id)
			}
			delete(seems, id) // a message may contain it twice
		}
	}
	return nil
}
