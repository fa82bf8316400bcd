package show

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect"
)

// mostBudget is more than any output takes. Twice as much does not overflow.
const mostBudget = 1 << 40

// within prints the output of compose, at most as much as the budget allows.
// compose gets the number of tokens for the elements of the view; for 0 it
// prints one element, as short as possible. The text around the elements takes
// room too, so within reduces the number until everything fits. If not even one
// element fits, it sets v.lean, which asks for less text around it.
func (v *showing) within(compose func(room int64) error) error {
	if !v.flags.given("budget") {
		return compose(math.MaxInt64)
	}
	most, took, rounds := v.flags.budget, int64(0), 0
	for _, v.lean = range []bool{false, true} {
		for room := most; room >= 0; rounds++ {
			text, err := v.captured(func() error { return compose(room) })
			if took = inspect.Tokens(text); err != nil || took <= most {
				v.Out.Print(text)
				return err
			}
			step := max(1, room/8)
			if rounds < 3 { // later steps are larger, because a little less may give the same elements
				step = min(step, took-most)
			}
			room -= step // negative after 0
		}
	}
	return exit.Usagef("--budget %d is too small; use at least %d", most, took+took/2)
}

// captured returns what do prints.
func (v *showing) captured(do func() error) (string, error) {
	out, text := v.Out, &bytes.Buffer{}
	defer func() { v.Out = out }()
	v.Out = console.NewOutput(text, out.Terminal)
	if err := do(); err != nil {
		return "", err
	}
	err := v.Out.Flush()
	return text.String(), err
}

// shortText returns the number of characters of a text in a list with a budget:
// at most most, and about an eighth of the budget.
func (v *showing) shortText(most int) int { return int(min(int64(most), max(40, v.flags.budget/2))) }

// A ration keeps the newest elements that fit a number of tokens.
type ration[T any] struct {
	most      int64 // tokens for the kept elements
	used      int64
	kept      []portion[T]
	dropped   int
	droppedAt int // the turn of the newest dropped element
}

type portion[T any] struct {
	at    int // the index of its turn in the chosen ones
	cost  int64
	thing T
}

// add adds the next element, which takes the tokens of text. The newest one is
// always kept.
func (r *ration[T]) add(at int, thing T, text string) {
	p := portion[T]{at, inspect.Tokens(text), thing}
	r.kept = append(r.kept, p)
	r.used += p.cost
	*r = r.shrunk(r.most)
}

// shrunk returns the ration without the oldest elements, so that the rest fits
// room.
func (r ration[T]) shrunk(room int64) ration[T] {
	for r.used > room && len(r.kept) > 1 {
		r.used -= r.kept[0].cost
		r.dropped, r.droppedAt = r.dropped+1, r.kept[0].at
		r.kept = r.kept[1:]
	}
	return r
}

// A loss describes the elements that a budget removed from a list.
type loss struct {
	elements int
	what     string // the noun for one element
	turns    int    // the number of turns, from the first chosen one, that are omitted completely
	through  int    // the index of the last turn with omitted elements
}

func (r *ration[T]) lost(what string) loss {
	if r.dropped == 0 {
		return loss{}
	}
	return loss{elements: r.dropped, what: what, through: r.droppedAt, turns: r.kept[0].at}
}

// parts reports whether a turn is partly omitted, so that the rest is
// counted in elements.
func (l *loss) parts() bool {
	return l.elements > 0 && l.through >= l.turns
}

// lossLine describes the omitted part of a list.
func (v pager) lossLine() string {
	l := &v.lost
	number := func(at int) int { return v.reading.Number(v.chosen.Indexes[at]) }
	return fmt.Sprintf("left out to fit the budget: %s, up to %s", humanize.Count(l.elements, l.what), turnName(number(l.through)))
}

// A listing prints the list of a view, element by element. With a budget it
// collects the elements, and the oldest make room for the newest. Without one
// it prints them as they come.
type listing struct {
	v    *showing
	what string // the noun for one element
	name string // the name of the list in JSON
	head func() // prints the text above the list
	// above returns the text before the elements of the turn at an index of
	// the chosen ones. Nil means none.
	above func(at int) string

	count   int // of elements, including omitted ones
	printed int
	last    int // the index whose above text was printed last
	waiting ration[string]
}

// list starts the list of a view.
func (v *showing) list(what, name string) *listing {
	return &listing{v: v, what: what, name: name, head: v.pager().title, last: -1, waiting: ration[string]{most: v.flags.budget}}
}

// add adds an element of a turn: record in JSON, and what text returns otherwise.
func (l *listing) add(at int, record any, text func() string) error {
	l.count++
	if !l.v.JSON {
		return l.addText(at, text())
	}
	raw, err := present.JSON(record)
	if err != nil {
		return err
	}
	return l.addText(at, string(termsafe.JSON(raw)))
}

func (l *listing) addText(at int, text string) error {
	if l.v.flags.given("budget") {
		l.waiting.add(at, text, text)
		return nil
	}
	return l.print(at, text)
}

// begin prints the text before the first element.
func (l *listing) begin() error {
	if l.v.JSON {
		return l.v.openJSON(l.name, l.v.lost.turns)
	}
	l.head()
	return nil
}

func (l *listing) print(at int, text string) error {
	if l.printed == 0 {
		if err := l.begin(); err != nil {
			return err
		}
	}
	switch {
	case l.v.JSON:
		if l.printed > 0 {
			l.v.Out.Print(",")
		}
	case l.above != nil && at != l.last:
		l.v.Out.Print(l.above(at))
	}
	l.v.Out.Print(text)
	l.printed, l.last = l.printed+1, at
	return nil
}

// end prints the collected elements and the text below the list. none is the
// text for an empty list; more returns further members of the JSON object.
func (l *listing) end(none string, more func() []jsonMember) error {
	return l.v.within(func(room int64) error {
		kept := l.waiting.shrunk(room)
		l.v.lost = kept.lost(l.what)
		if l.v.flags.given("budget") {
			l.printed, l.last = 0, -1 // the previous output did not fit
		}
		for _, p := range kept.kept {
			if err := l.print(p.at, p.thing); err != nil {
				return err
			}
		}
		if l.printed == 0 {
			if err := l.begin(); err != nil {
				return err
			}
			if !l.v.JSON && none != "" && len(l.v.chosen.Indexes) > 0 {
				l.v.Out.Print("\n" + none + "\n")
			}
		}
		if !l.v.JSON {
			l.v.end()
			return nil
		}
		var members []jsonMember
		if more != nil {
			members = more()
		}
		return l.v.closeJSON(members...)
	})
}

// end prints the text below every view for people.
func (v *showing) end() {
	v.printFaults()
	v.pager().printPage(v.lost.turns, 0)
}

// table prints a table below the title, and the rows of sums under it. at holds
// the turns of the rows, as indexes of the chosen ones. Rows that do not
// fit the budget are omitted, the oldest first.
func (v tableView) table(g *layout.Grid, at []int, what string, sums *layout.Grid) error {
	r := ration[int]{most: math.MaxInt64}
	if v.flags.given("budget") {
		r.most = v.flags.budget
		for i, row := range g.Rows {
			r.add(at[i], i, rowText(row))
		}
	}
	return v.within(func(room int64) error {
		kept := r.shrunk(room)
		v.lost = kept.lost(what)
		shown := *g
		shown.Rows, shown.Tones = slices.Concat(g.Rows[kept.dropped:], sums.Rows), slices.Concat(g.Tones[kept.dropped:], sums.Tones)
		v.pager().title()
		if len(shown.Rows) > 0 {
			shown.Print(v.Out, v.Colors, v.Width())
		}
		v.end()
		return nil
	})
}

func rowText(cells []string) string { return strings.Join(cells, "  ") }
