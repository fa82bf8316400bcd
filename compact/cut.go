package compact

// findCut looks for the item that a context begins with which keeps about that
// many tokens. Items are counted from the end of the path. ok is false when there
// is nowhere to cut.
func (t *tail) findCut(keep int64) (at int, ok bool, err error) {
	at, exceeded, orphans, err := t.search(keep, nil)
	if err == nil && len(orphans) > 0 {
		at, exceeded, _, err = t.search(keep, orphans)
	}
	if err != nil || at < 0 {
		return 0, false, err
	}
	if exceeded && t.isRecovery(at) {
		at--
	}
	at, err = t.absorb(at)
	return at, err == nil, err
}

// search walks back until the budget is used up and returns the cut nearest to
// that place: behind it if there is one, else the first before it, which is where
// the call stands whose result alone is larger than the budget. Without a place
// that exceeds the budget it is the first cut of the context.
//
// Nowhere between a call and its results can be cut (pitfall 102). Results whose
// call is nowhere in the context would forbid every cut; they are returned as
// orphans, to search again without them.
func (t *tail) search(keep int64, ignored map[string]bool) (at int, exceeded bool, orphans map[string]bool, err error) {
	at = -1
	sum := int64(0)
	open := map[string]bool{} // calls whose results were seen
	for k := 0; !exceeded || at < 0; k++ {
		it, err := t.at(k)
		if err != nil {
			return 0, false, nil, err
		}
		if it == nil {
			return at, exceeded, open, nil
		}
		for _, id := range it.results {
			if !ignored[id] {
				open[id] = true
			}
		}
		for _, id := range it.calls {
			delete(open, id)
		}
		if it.cut && len(open) == 0 {
			at = k
		}
		sum += it.tokens
		exceeded = exceeded || it.tokens > 0 && sum >= keep
	}
	return at, exceeded, nil, nil
}

// isRecovery reports whether behind the item comes nothing but an attempt that
// failed and was hidden. Then the input that was too large for it can be
// summarised as well, or the next attempt would fail like the last.
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

// absorb moves a cut over the entries before it that no model sees, so that they
// stay with what they were written for. It does not go past a compaction
// (pitfall 103).
func (t *tail) absorb(at int) (int, error) {
	for {
		before, err := t.at(at + 1)
		if err != nil || before == nil || before.compaction || before.visible {
			return at, err
		}
		at++
	}
}

// turnOf finds the beginning of the turn that a cut goes through, or -1 when the
// cut is where a turn begins, or when none begins before it.
//
// An entry that was absorbed begins no turn, so the turn before it counts as cut
// through although all of it is summarised. pi does the same; the difference is
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

// tells reports whether an item from k on, counted backwards, can be summarised.
func (t *tail) tells(k int) (bool, error) {
	for ; ; k++ {
		it, err := t.at(k)
		if err != nil || it == nil {
			return false, err
		}
		if it.told {
			return true, nil
		}
	}
}
