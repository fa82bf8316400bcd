package doctor

import "slices"

// checkPairs finds results without a call, calls with two results on one
// branch, and calls without a result. pith.Context.Repaired fixes these in
// contexts; a repair writes the equivalent into the file: a stray result
// becomes a message that quotes it, and an open call gets a result that reports
// that there is none.
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

// regains describes the effect of repairing parents on a call and its result.
const regains = "repair the parent, which reunites the call and its result"

// checkThread matches the results of one id with its calls.
func (d *diagnosis) checkThread(id string, t *thread, pairs []pair) {
	var regained map[int]bool
	if d.after != d.before {
		regained = make(map[int]bool)
		for _, p := range t.pairs(nil, d.after) {
			if p.call != nil {
				p.call.regained, regained[p.result] = true, true
			}
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

// An openCall is a call without a result, and the result to add.
type openCall struct {
	answer
	result []byte
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
		if ids, awaited := callsOf(msg); awaited {
			d.checkAnswer(entry, msg, slices.DeleteFunc(ids, func(id string) bool {
				isOpen := seems[id]
				delete(seems, id) // a message may contain it twice
				return !isOpen
			}))
		}
	}
	return nil
}

func (d *diagnosis) checkAnswer(entry int, msg []byte, open []string) {
	results := resultsFor(msg)
	working := d.busy && d.isEnd(d.lastResult(entry))
	for _, id := range open {
		if !d.entry(DanglingCall, entry, "call %q has no result", id) {
			continue
		}
		switch result := results[id]; {
		case d.bodies.callBy(entry, id).regained:
			d.fix(regains)
		case result == nil:
			d.fix("") // it cannot be answered, because it does not name its tool
		case working:
			d.fix("")
			d.explain("the tool may still be running: the file was just written to; check again when no program is using the session")
		default:
			d.waiting.calls = append(d.waiting.calls, openCall{answer{entry, id}, result})
		}
	}
}
