package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
)

// leastBudget is the smallest number of tokens that an output can be fitted into.
const leastBudget = 100

// mostBudget is more than any output takes. Twice as much can be computed with.
const mostBudget = 1 << 40

// within prints what compose prints, and with a budget no more than that. compose
// is given the tokens that the elements of the view may take; for 0 it prints one
// element, as short as it gets. It is called until the whole fits, with what
// stands around the elements: then v.lean asks for less of that.
func (v *showing) within(compose func(room int64) error) error {
	if !v.flags.given("budget") {
		return compose(math.MaxInt64)
	}
	budget := v.flags.budget
	room := budget
	for round := 0; ; round++ {
		text, err := v.captured(func() error { return compose(room) })
		if err != nil {
			return err
		}
		switch took := inspect.Tokens(text); {
		case took <= budget:
			v.out.print(text)
			return nil
		case room > 0:
			step := max(1, room/8)
			if round < 3 { // later ones are larger, because less by little may be the same elements
				step = min(step, took-budget)
			}
			room -= step
		case !v.lean:
			v.lean, room = true, budget
		default:
			return &roomError{took}
		}
	}
}

// A roomError says that a budget has no room for anything.
type roomError struct{ took int64 } // tokens of the least that can be printed

func (e *roomError) Error() string { return fmt.Sprintf("the least to print takes %d tokens", e.took) }

// refuse makes of a budget without room an error that names one with room. With
// more room elements are told in more words, so it has to be tried.
func (v *showing) refuse(ctx context.Context, small *roomError) error {
	budget := v.flags.budget
	for {
		v.flags.setBudget(small.took)
		v.lean = false
		_, err := v.captured(func() error { return v.print(ctx) })
		if err == nil {
			return usagef("--budget %d has no room for the newest of this; give at least --budget %d", budget, v.flags.budget)
		}
		if !errors.As(err, &small) {
			return err
		}
	}
}

// setBudget changes the budget, as if it had been given.
func (f *showFlags) setBudget(tokens int64) {
	f.budget = tokens
	f.repeat[slices.Index(f.repeat, "--budget")+1] = strconv.FormatInt(tokens, 10)
}

// shortText is how many characters of one text a list shows with a budget: so many,
// and at most about an eighth of the budget.
func (v *showing) shortText(most int) int { return int(min(int64(most), max(40, v.flags.budget/2))) }

// captured is what do prints.
func (v *showing) captured(do func() error) (string, error) {
	out := v.out
	defer func() { v.out = out }()
	var text bytes.Buffer
	v.out = newOutput(&text, out.terminal)
	if err := do(); err != nil {
		return "", err
	}
	err := v.out.flush()
	return text.String(), err
}

// A ration keeps the newest of things that take room, in tokens.
type ration[T any] struct {
	most      int64 // room for what is kept
	used      int64
	kept      []portion[T]
	dropped   int
	droppedAt int // the exchange of the newest that was dropped
}

type portion[T any] struct {
	at    int // the exchange that it is of, by its position among those chosen
	cost  int64
	thing T
}

// add adds the next thing, which takes the room of a text. The newest is kept in
// any case, so that there is always something to see.
func (r *ration[T]) add(at int, thing T, text string) {
	p := portion[T]{at, inspect.Tokens(text), thing}
	r.kept = append(r.kept, p)
	r.used += p.cost
	*r = r.shrunk(r.most)
}

// shrunk is the ration without the oldest, so that the rest takes no more room
// than that.
func (r ration[T]) shrunk(room int64) ration[T] {
	for r.used > room && len(r.kept) > 1 {
		r.used -= r.kept[0].cost
		r.dropped, r.droppedAt = r.dropped+1, r.kept[0].at
		r.kept = r.kept[1:]
	}
	return r
}

// A loss is what a budget left out of a list.
type loss struct {
	elements  int
	what      string // one of them, in a word
	exchanges int    // how many, from the first one chosen on, are left out altogether
	through   int    // the last exchange of which something is left out, by its position
}

func (r *ration[T]) lost(what string) loss {
	if r.dropped == 0 {
		return loss{}
	}
	return loss{elements: r.dropped, what: what, through: r.droppedAt, exchanges: r.kept[0].at}
}

// lossLine says what of a list is left out.
func (v *showing) lossLine() string {
	l := &v.lost
	number := func(at int) int { return v.reading.Number(v.chosen.Indexes[at]) }
	text := fmt.Sprintf("left out for want of room: %s", humanize.Count(l.elements, l.what))
	if l.through < 0 {
		return text + "; all of them: " + v.unboundedCommand()
	}
	text += ", up to " + exchangeName(number(l.through))
	if l.through >= l.exchanges { // the rest of that one is on no other page
		text += fmt.Sprintf("; that one in full: %s", *v.turnCommand(number(l.through)))
	}
	return text
}
