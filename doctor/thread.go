package doctor

import "slices"

// A thread holds the calls with one id, and their results, in file order. Some
// models restart their numbering with each turn, so there can be many.
type thread struct {
	calls   []call
	results []int
	// Nearly every thread has one call and one result: room for them.
	callRoom   [1]call
	resultRoom [1]int
}

type call struct {
	entry    int
	answered bool
}

// call records that an entry makes the call. It records each entry once.
func (t *thread) call(i int) {
	if n := len(t.calls); n == 0 || t.calls[n-1].entry != i {
		t.calls = append(t.calls, call{entry: i})
	}
}

// A pair is a result and the call that it answers: the nearest one above it, or
// nil.
type pair struct {
	result int
	call   *call
	again  bool // another result of the call is above it
}

func (t *thread) pairs(out []pair, f *forest) []pair {
	if len(t.calls) > 1 || len(t.results) > 1 {
		return t.pairMany(out, f)
	}
	for _, r := range t.results {
		p := pair{result: r}
		if len(t.calls) > 0 && f.above(t.calls[0].entry, r) {
			p.call = &t.calls[0]
		}
		out = append(out, p)
	}
	return out
}

// pairMany processes the thread in traversal order, so that the calls above a
// result are on a stack when it is reached.
func (t *thread) pairMany(out []pair, f *forest) []pair {
	calls := make([]*call, len(t.calls))
	for i := range t.calls {
		calls[i] = &t.calls[i]
	}
	slices.SortFunc(calls, func(a, b *call) int { return int(f.enter[a.entry] - f.enter[b.entry]) })
	results := slices.Clone(t.results)
	slices.SortFunc(results, func(a, b int) int { return int(f.enter[a] - f.enter[b]) })

	var stack openCalls
	for _, r := range results {
		for ; len(calls) > 0 && f.enter[calls[0].entry] < f.enter[r]; calls = calls[1:] {
			stack = append(stack.above(f, calls[0].entry), pendingCall{call: calls[0]})
		}
		stack = stack.above(f, r)
		if len(stack) == 0 {
			out = append(out, pair{result: r})
			continue
		}
		top := &stack[len(stack)-1]
		for n := len(top.answers); n > 0 && !f.above(top.answers[n-1], r); n-- {
			top.answers = top.answers[:n-1]
		}
		out = append(out, pair{r, top.call, len(top.answers) > 0})
		top.answers = append(top.answers, r)
	}
	return out
}

// openCalls are the calls above the current entry of a traversal, each with its
// results there.
type openCalls []pendingCall

type pendingCall struct {
	*call
	answers []int
}

// above drops the calls that are not above an entry.
func (s openCalls) above(f *forest, i int) openCalls {
	for len(s) > 0 && !f.above(s[len(s)-1].entry, i) {
		s = s[:len(s)-1]
	}
	return s
}
