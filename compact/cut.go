package compact

// findCut looks for the item that a context begins with which keeps about that
// many tokens. Items are counted from the end of the path. ok is false when there
// is nowhere to cut.
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

// A place is where a search for a cut has ended.
type place struct {
	at       int  // the cut; -1 for none
	exceeded bool // the budget was used up
	seen     int  // how many items were looked at
	// open are the calls that results among these items belong to, and that are
	// not among them.
	open map[string]bool
	// passed is the last item that would be a cut, did it not stand between a
	// result and its call; -1 for none.
	passed int
}

// search walks back until the budget is used up and returns the cut nearest to
// that place: behind it if there is one, else the first before it, which is where
// the call stands whose result alone is larger than the budget. Without a place
// that exceeds the budget it is the first cut of the context.
//
// Nowhere between a call and its results can be cut (pitfall 102). Results whose
// call is nowhere in the context would forbid every cut before them: they are to
// be ignored.
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

// orphans are those of these calls that are in no item from k on, counted
// backwards, and so nowhere in the context. A call stands close before its
// results, so that the whole context is looked at only if there are orphans.
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
