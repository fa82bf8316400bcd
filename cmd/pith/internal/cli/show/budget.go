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
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/inspect"
)

// leastBudget is the smallest number of tokens that an output can be fitted into.
const leastBudget = 100

// mostBudget is more than any output takes. Twice as much can be computed with.
const mostBudget = 1 << 40

// within prints what compose prints, and with a budget no more than that. compose
// is given the tokens that the elements of the view may take; for 0 it prints one
// element, as short as it gets. What stands around the elements takes room too, so
// they get less until all of it fits. Where not even one element fits, v.lean asks
// for less around it.
func (v *showing) within(compose func(room int64) error) error {
	if !v.flags.given("budget") {
		return compose(math.MaxInt64)
	}
	budget, took, rounds := v.flags.budget, int64(0), 0
	for _, v.lean = range []bool{false, true} {
		for room := budget; room >= 0; rounds++ {
			text, err := v.captured(func() error { return compose(room) })
			if took = inspect.Tokens(text); err != nil || took <= budget {
				v.Out.Print(text)
				return err
			}
			step := max(1, room/8)
			if rounds < 3 { // later ones are larger, because less by little may be the same elements
				step = min(step, took-budget)
			}
			room -= step // below 0 after 0
		}
	}
	return exit.Usagef("--budget %d has no room for the newest of this; give at least --budget %d", budget, took+took/2)
}

// shortText is how many characters of one text a list shows with a budget: so many,
// and at most about an eighth of the budget.
func (v *showing) shortText(most int) int { return int(min(int64(most), max(40, v.flags.budget/2))) }

// captured is what do prints.
func (v *showing) captured(do func() error) (string, error) {
	out := v.Out
	defer func() { v.Out = out }()
	var text bytes.Buffer
	v.Out = console.NewOutput(&text, out.Terminal)
	if err := do(); err != nil {
		return "", err
	}
	err := v.Out.Flush()
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
	through   int    // the last exchange of which something is left out, by its position; -1 for lists that are not by exchanges
}

func (r *ration[T]) lost(what string) loss {
	if r.dropped == 0 {
		return loss{}
	}
	return loss{elements: r.dropped, what: what, through: r.droppedAt, exchanges: r.kept[0].at}
}

// parts reports whether an exchange is not wholly here and not wholly left out, so
// that the rest has to be told by elements.
func (l *loss) parts() bool {
	return l.elements > 0 && (l.through < 0 || l.through >= l.exchanges)
}

// lossLine says what of a list is left out.
func (v pager) lossLine() string {
	l := &v.lost
	number := func(at int) int { return v.reading.Number(v.chosen.Indexes[at]) }
	text := fmt.Sprintf("left out for want of room: %s", humanize.Count(l.elements, l.what))
	if l.through < 0 {
		return text
	}
	return text + ", up to " + exchangeName(number(l.through))
}

// A listing is the list that a view prints, element by element. With a budget the
// elements wait until all are known, and the oldest make room for the newest;
// without one they are printed as they come, however many there are.
type listing struct {
	v    *showing
	what string // one element, in a word
	name string // of the list in JSON
	head func() // prints what stands above the list
	// above is printed before the elements of an exchange, given by its position
	// among those chosen. Nil means nothing.
	above func(at int) string

	count   int // of elements, those left out too
	printed int
	last    int // the position above which was printed last
	waiting ration[string]
}

// list begins the list of a view.
func (v *showing) list(what, name string) *listing {
	return &listing{v: v, what: what, name: name, head: v.pager().title, last: -1, waiting: ration[string]{most: v.flags.budget}}
}

// add adds an element of an exchange, as text.
func (l *listing) add(at int, text string) error {
	l.count++
	if rest := l.v.flags.rest; rest > 0 && l.count > rest {
		return nil
	}
	if l.v.flags.given("budget") {
		l.waiting.add(at, text, text)
		return nil
	}
	return l.print(at, text)
}

// addJSON adds an element in JSON.
func (l *listing) addJSON(at int, value any) error {
	text, err := view.Marshal(value)
	if err != nil {
		return err
	}
	return l.add(at, string(termsafe.JSON(text)))
}

// begin prints what stands before the first element.
func (l *listing) begin() error {
	if l.v.isJSON() {
		return l.v.openJSON(l.name, l.v.lost.exchanges)
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
	case l.v.isJSON():
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

// end prints what waits, and what stands below the list. none is what is said
// when there were no elements; more is what the view has to say besides in JSON.
func (l *listing) end(none string, more func() []jsonMember) error {
	return l.v.within(func(room int64) error {
		kept := l.waiting.shrunk(room)
		l.v.lost = kept.lost(l.what)
		if l.v.flags.given("budget") {
			l.printed, l.last = 0, -1 // what was printed before did not fit
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
			if !l.v.isJSON() && none != "" && len(l.v.chosen.Indexes) > 0 {
				l.v.Out.Print("\n" + none + "\n")
			}
		}
		if !l.v.isJSON() {
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

// end prints what stands below every view for reading.
func (v *showing) end() {
	v.printFaults()
	v.pager().printPage(v.lost.exchanges, 0)
}

// table prints a table below the title, and the rows of sums under it. at are the
// exchanges of the rows, by their positions among those chosen. Rows for which a
// budget has no room are left out, the oldest first.
func (v tableView) table(g *layout.Grid, at []int, what string, sums *layout.Grid) error {
	if rest := v.flags.rest; rest > 0 && rest < len(g.Rows) {
		g.Rows, g.Tones = g.Rows[:rest], g.Tones[:rest]
	}
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
			v.printGrid(&shown)
		}
		v.end()
		return nil
	})
}

func rowText(cells []string) string { return strings.Join(cells, "  ") }
