package cli

import (
	"math"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

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
	return &listing{v: v, what: what, name: name, head: v.title, last: -1, waiting: ration[string]{most: v.flags.budget}}
}

// add adds an element of an exchange, as text.
func (l *listing) add(at int, text string) error {
	l.count++
	if l.v.flags.given("budget") {
		l.waiting.add(at, text, text)
		return nil
	}
	return l.print(at, text)
}

// addJSON adds an element in JSON.
func (l *listing) addJSON(at int, value any) error {
	text, err := marshal(value)
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
			l.v.out.print(",")
		}
	case l.above != nil && at != l.last:
		l.v.out.print(l.above(at))
	}
	l.v.out.print(text)
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
				l.v.out.print("\n" + none + "\n")
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
	v.printPage(v.lost.exchanges, 0)
}

// table prints a table below the title, and the rows of sums under it. at are the
// exchanges of the rows, by their positions among those chosen. Rows for which a
// budget has no room are left out, the oldest first.
func (v *showing) table(g *grid, at []int, what string, sums *grid) error {
	r := ration[int]{most: math.MaxInt64}
	if v.flags.given("budget") {
		r.most = v.flags.budget
		for i, row := range g.rows {
			r.add(at[i], i, rowText(row))
		}
	}
	return v.within(func(room int64) error {
		kept := r.shrunk(room)
		v.lost = kept.lost(what)
		shown := *g
		shown.rows, shown.tones = slices.Concat(g.rows[kept.dropped:], sums.rows), slices.Concat(g.tones[kept.dropped:], sums.tones)
		v.title()
		if len(shown.rows) > 0 {
			v.printGrid(&shown)
		}
		v.end()
		return nil
	})
}

func rowText(cells []string) string { return strings.Join(cells, "  ") }
