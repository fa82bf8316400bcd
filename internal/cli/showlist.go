package cli

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/reader"
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
	return &listing{v: v, what: what, name: name, head: v.title, last: -1, waiting: ration[string]{room: v.roomForPieces()}}
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
	return l.add(at, string(plain.JSON(text)))
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
// when there were no elements.
func (l *listing) end(none string, more ...jsonMember) error {
	if l.v.flags.given("budget") {
		l.v.lost = l.waiting.lost(l.what, len(l.v.chosen.Indexes))
		for _, p := range l.waiting.kept {
			if err := l.print(p.at, p.thing); err != nil {
				return err
			}
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
	if l.v.isJSON() {
		return l.v.closeJSON(more...)
	}
	l.v.end()
	return nil
}

// end prints what stands below every view for reading.
func (v *showing) end() {
	v.printFaults()
	v.printPage(v.lost.exchanges, 0)
}

// A ration keeps the newest of things that take room.
type ration[T any] struct {
	room, used int64 // in tokens
	kept       []portion[T]
	dropped    int
	droppedAt  int // the exchange of the newest that was dropped
}

type portion[T any] struct {
	at    int // the exchange that it is of, by its position among those chosen
	cost  int64
	thing T
}

// add adds the next thing, which takes the room of a text. The newest is kept in
// any case, so that there is always something to see.
func (r *ration[T]) add(at int, thing T, text string) {
	p := portion[T]{at, reader.Tokens(text), thing}
	r.kept = append(r.kept, p)
	r.used += p.cost
	for r.used > r.room && len(r.kept) > 1 {
		r.used -= r.kept[0].cost
		r.dropped, r.droppedAt = r.dropped+1, r.kept[0].at
		r.kept = r.kept[1:]
	}
}

// A loss is what a budget left out of a list.
type loss struct {
	elements  int
	what      string // one of them, in a word
	exchanges int    // how many, from the first one chosen on, are left out altogether
	through   int    // the last exchange of which something is left out, by its position
}

func (r *ration[T]) lost(what string, exchanges int) loss {
	if r.dropped == 0 {
		return loss{}
	}
	l := loss{elements: r.dropped, what: what, through: r.droppedAt, exchanges: exchanges}
	if len(r.kept) > 0 {
		l.exchanges = min(r.kept[0].at, exchanges)
	}
	return l
}

// lossLine says what of a list is left out.
func (v *showing) lossLine() string {
	l := &v.lost
	number := func(at int) int { return v.reading.Number(v.chosen.Indexes[at]) }
	text := fmt.Sprintf("left out for want of room: %s", counted(l.elements, l.what))
	if l.through < 0 {
		return text + "; all of them: " + v.unboundedCommand()
	}
	text += ", up to " + exchangeName(number(l.through))
	if l.through >= l.exchanges { // the rest of that one is on no other page
		text += fmt.Sprintf("; that one in full: %s", *v.turnCommand(number(l.through)))
	}
	return text
}

// fit drops the oldest rows of a table for which there is no room. at are the
// exchanges of the rows, by their positions among those chosen, and more are rows
// that will be added.
func (v *showing) fit(g *grid, at []int, what string, more ...[]string) {
	if !v.flags.given("budget") {
		return
	}
	r := ration[int]{room: v.roomForPieces()}
	for _, row := range append(more, g.head) {
		r.room -= reader.Tokens(rowText(row))
	}
	for i, row := range g.rows {
		r.add(at[i], i, rowText(row))
	}
	v.lost = r.lost(what, len(v.chosen.Indexes))
	g.rows, g.tones = g.rows[r.dropped:], g.tones[r.dropped:]
}

func rowText(cells []string) string {
	text := ""
	for _, cell := range cells {
		text += "  " + cell
	}
	return text
}
