package compact

// findCut returns the first item of a context that keeps about that many
// tokens. Items are counted from the end of the path. ok is false if there is
// no possible cut.
func (t *tail) findCut(keep int64) (at int, ok bool, err error) {
	found, err := t.search(keep, nil)
	if err != nil {
		return 0, false, err
	}
	if found.passed > found.at {
		orphans, err := t.orphans(found.open, found.seen)
		if err != nil {
			return 0, false, err
		}
		if len(orphans) > 0 {
			if found, err = t.search(keep, orphans); err != nil {
				return 0, false, err
			}
		}
	}
	if found.at < 0 {
		return 0, false, nil
	}
	if found.exceeded && t.isRecovery(found.at) {
		found.at--
	}
	at, err = t.absorb(found.at)
	return at, err == nil, err
}

// A place is the result of a search for a cut.
type place struct {
	at       int  // the cut, or -1
	exceeded bool // the budget was exceeded
	seen     int  // number of items visited
	// open holds the ids of calls whose results were visited but which were not
	// visited themselves.
	open map[string]bool
	// passed is the last possible cut that was rejected because it lies between
	// a call and its result, or -1.
	passed int
}

// search walks back until the budget is exceeded and returns the nearest cut:
// the one after that point if any, otherwise the first before it, which is the
// call whose result alone exceeds the budget. If the budget is not exceeded, it
// returns the first cut of the context.
//
// A cut must not lie between a call and its results (pitfall 102). Results
// without a call in the context would forbid every cut before them, so they are
// passed as ignored.
func (t *tail) search(keep int64, ignored map[string]bool) (place, error) {
	p := place{at: -1, passed: -1, open: map[string]bool{}}
	sum := int64(0)
	for ; !p.exceeded || p.at < 0; p.seen++ {
		it, err := t.at(p.seen)
		if err != nil || it == nil {
			return p, err
		}
		for _, id := range it.results {
			if !ignored[id] {
				p.open[id] = true
			}
		}
		for _, id := range it.calls {
			delete(p.open, id)
		}
		switch {
		case it.cut && len(p.open) == 0:
			p.at = p.seen
		case it.cut:
			p.passed = p.seen
		}
		sum += it.tokens
		p.exceeded = p.exceeded || it.tokens > 0 && sum >= keep
	}
	return p, nil
}

// orphans returns those of the calls that are in no item from k on, counted
// backwards, and so not in the context. A call is close to its results, so the
// whole context is scanned only if there are orphans.
func (t *tail) orphans(calls map[string]bool, k int) (map[string]bool, error) {
	for ; len(calls) > 0; k++ {
		it, err := t.at(k)
		if err != nil || it == nil {
			return calls, err
		}
		for _, id := range it.calls {
			delete(calls, id)
		}
	}
	return nil, nil
}

// isRecovery reports whether only a failed and hidden response follows the
// item. Then the input that was too large for it can be summarized as well;
// otherwise the next attempt would fail too.
func (t *tail) isRecovery(at int) bool {
	suffix := t.items[:at]
	hidden := map[string]bool{}
	failed := false
	for i := range suffix {
		it := &suffix[i]
		if it.compaction || it.visible {
			return false
		}
		if it.hidden {
			hidden[t.trail.path.ID(it.pos)] = true
			failed = failed || it.answer
		}
	}
	for i := range suffix {
		if e := suffix[i].edit; e != nil && e.Replacement != nil && !hidden[e.TargetID] {
			return false
		}
	}
	return failed
}

// absorb moves a cut over preceding entries that no model sees, so that they
// stay with the entries that they belong to. It stops at a compaction (pitfall
// 103).
func (t *tail) absorb(at int) (int, error) {
	for {
		before, err := t.at(at + 1)
		if err != nil || before == nil || before.compaction || before.visible {
			return at, err
		}
		at++
	}
}

// turnOf returns the start of the turn that a cut splits, or -1 if the cut is
// at the start of a turn or no turn starts before it.
//
// An absorbed entry does not start a turn, so the turn before it counts as
// split although all of it is summarized. pi does the same; the difference is
// which of two prompts the summarizer gets.
func (t *tail) turnOf(at int) (int, error) {
	for k := at; ; k++ {
		it, err := t.at(k)
		if err != nil || it == nil {
			return -1, err
		}
		if it.turn {
			if k == at {
				return -1, nil
			}
			return k, nil
		}
	}
}

// canSummarize reports whether an item from k on, counted backwards, can be
// summarized.
func (t *tail) canSummarize(k int) (bool, error) {
	for ; ; k++ {
		it, err := t.at(k)
		if err != nil || it == nil {
			return false, err
		}
		if it.summarizable {
			return true, nil
		}
	}
}
