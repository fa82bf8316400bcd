package conversation

import (
	"maps"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// A document contains the exchanges of a session, as far as they are read and
// drawn.
type document struct {
	size     int           // number of exchanges
	parts    map[int]*part // by index; only those that are in use
	renderer blocks.Renderer
	forks    blocks.Forks
	// folds is how blocks are folded that were not toggled, and openThinking whether
	// thinking is not.
	folds        folds
	openThinking bool
}

// folds is how blocks are folded.
type folds uint8

const (
	usualFolds folds = iota // failed calls and short runs are open
	allOpen
	allFolded
)

// longRun is the number of calls from which a run is folded.
const longRun = 9

// A part is an exchange.
type part struct {
	exchange *inspect.Turn // nil until it is read
	blocks   []blocks.Block
	current  bool         // unchanged since it was read
	reading  bool         // it is being read
	drawn    []drawing    // by item
	open     map[int]bool // blocks whose fold differs from the general one
	whole    map[int]bool // blocks that are drawn completely
	err      error
}

// part returns the exchange at an index. If it is not in use, changes to it are
// lost.
func (d *document) part(i int) *part {
	if p := d.parts[i]; p != nil {
		return p
	}
	return &part{}
}

// use returns the exchange at an index, to change it.
func (d *document) use(i int) *part {
	if d.parts == nil {
		d.parts = make(map[int]*part)
	}
	if d.parts[i] == nil {
		d.parts[i] = &part{}
	}
	return d.parts[i]
}

// resizeTo sets the number of exchanges.
func (d *document) resizeTo(n int) {
	d.size = n
	maps.DeleteFunc(d.parts, func(i int, _ *part) bool { return i >= n })
}

// A drawing contains the lines of a block, once they are made. A block that
// shows nothing has none.
type drawing struct {
	lines []string
	made  bool
}

// An item is a block, identified by its exchange and its index in it.
type item struct{ part, item int }

// A spot is a line of an item.
type spot struct {
	item
	line int
}

// before reports whether an item is above another.
func (i item) before(o item) bool {
	return i.part < o.part || i.part == o.part && i.item < o.item
}

// before reports whether a spot is above another.
func (s spot) before(o spot) bool {
	return s.item.before(o.item) || s.item == o.item && s.line < o.line
}

func (d *document) resize(width int) {
	if w := textWidth(width); w != d.renderer.Width {
		d.renderer.Width = w
		d.redraw()
	}
}

// setTheme reports whether the theme is another one.
func (d *document) setTheme(t *paint.Theme) bool {
	if t == d.renderer.Theme {
		return false
	}
	d.renderer.Theme = t
	d.redraw()
	return true
}

// setForks sets the forks of the path.
func (d *document) setForks(f blocks.Forks) {
	d.forks = f
	for _, p := range d.parts {
		p.arrange(f)
	}
}

func (p *part) arrange(f blocks.Forks) {
	p.blocks = nil
	if p.exchange != nil {
		p.blocks = blocks.Of(p.exchange, f)
	}
	p.drawn = make([]drawing, max(len(p.blocks), 1))
}

// redraw discards the drawn lines.
func (d *document) redraw() {
	for _, p := range d.parts {
		clear(p.drawn)
	}
}

// put stores an exchange that was read, or the error.
func (d *document) put(i int, x *inspect.Turn, err error) {
	p := d.use(i)
	p.exchange, p.err = x, err
	p.current, p.reading = true, false
	p.arrange(d.forks)
}

// keep drops the exchanges outside a range, but remembers what was unfolded
// there.
func (d *document) keep(from, to int) {
	for i, p := range d.parts {
		switch {
		case i >= from && i <= to || p.exchange == nil:
		case len(p.open) > 0 || len(p.whole) > 0:
			*p = part{open: p.open, whole: p.whole}
		default:
			delete(d.parts, i)
		}
	}
}

// abandon records that no reads are in progress.
func (d *document) abandon() {
	for _, p := range d.parts {
		p.reading = false
	}
}

// lines returns the lines of a block, drawn once.
func (d *document) lines(at item) []string {
	p := d.part(at.part)
	if p.exchange == nil {
		if p.err != nil {
			return []string{d.renderer.Theme.Line(d.renderer.Width, paint.Span{Tone: paint.Error, Text: "cannot read this entry: " + p.err.Error()})}
		}
		return []string{d.renderer.Theme.Line(d.renderer.Width, paint.Span{Tone: paint.Dim, Text: "…"})}
	}
	if at.item >= len(p.blocks) {
		return nil
	}
	drawn := &p.drawn[at.item]
	if !drawn.made {
		drawn.made = true
		drawn.lines = nil
		if !d.hidden(at) {
			r := d.renderer
			r.Whole = p.whole[at.item]
			drawn.lines = append(make([]string, d.lead(at)), r.Draw(&p.blocks[at.item], d.isOpen(at))...)
		}
	}
	return drawn.lines
}

// lead returns the number of blank lines above a block.
func (d *document) lead(at item) int {
	p := d.part(at.part)
	switch {
	case at.item >= len(p.blocks), at.part == 0 && at.item == 0:
		return 0
	case p.blocks[at.item].InRun:
		return 0
	case at.item > 0 && p.blocks[at.item-1].Kind == blocks.Model:
		return 0
	}
	return 1
}

// block returns a block; nil if it is not read.
func (d *document) block(at item) *blocks.Block {
	if p := d.part(at.part); at.item < len(p.blocks) {
		return &p.blocks[at.item]
	}
	return nil
}

// hidden reports whether a block is a call in a folded run that did not fail.
func (d *document) hidden(at item) bool {
	b := d.block(at)
	if b == nil || !b.InRun || b.Failed() {
		return false
	}
	head, _ := d.head(at)
	return !d.isOpen(head)
}

// head returns the head of the run that a call is in; ok is false if it is in none.
func (d *document) head(at item) (head item, ok bool) {
	p := d.part(at.part)
	for i := min(at.item, len(p.blocks)-1); i >= 0; i-- {
		switch {
		case p.blocks[i].Kind == blocks.Run:
			return item{at.part, i}, true
		case !p.blocks[i].InRun:
			return at, false
		}
	}
	return at, false
}

func (d *document) height(it item) int { return len(d.lines(it)) }

// items returns the number of items of a part; an unread part counts as one.
func (d *document) items(part int) int { return max(1, len(d.part(part).drawn)) }

// next returns the item after another; ok is false at the end.
func (d *document) next(it item) (item, bool) {
	switch {
	case it.part >= d.size:
		return it, false
	case it.item+1 < d.items(it.part):
		return item{it.part, it.item + 1}, true
	case it.part+1 < d.size:
		return item{it.part + 1, 0}, true
	}
	return it, false
}

// previous returns the item before another; ok is false at the start.
func (d *document) previous(it item) (item, bool) {
	switch {
	case it.item > 0:
		return item{it.part, min(it.item, d.items(it.part)) - 1}, true
	case it.part > 0:
		return item{it.part - 1, d.items(it.part-1) - 1}, true
	}
	return it, false
}

func (d *document) last() item {
	if d.size == 0 {
		return item{}
	}
	p := d.size - 1
	return item{p, d.items(p) - 1}
}

// lastShown returns the last item that shows anything; ok is false if none
// does.
func (d *document) lastShown() (at item, ok bool) {
	if d.size == 0 {
		return item{}, false
	}
	at, ok = d.last(), true
	for ok && d.height(at) == 0 {
		at, ok = d.previous(at)
	}
	return at, ok
}

// bottom returns the spot from which the given number of last lines is shown.
func (d *document) bottom(lines int) spot {
	if d.size == 0 {
		return spot{}
	}
	at := d.last()
	for {
		h := d.height(at)
		if h >= lines {
			return spot{at, h - max(lines, 0)}
		}
		lines -= h
		before, ok := d.previous(at)
		if !ok {
			return spot{item: at}
		}
		at = before
	}
}

// clamp returns an existing spot near s: an exchange may have other items now.
func (d *document) clamp(s spot) spot {
	s.item.item = min(s.item.item, d.items(s.part)-1)
	s.line = max(0, min(s.line, d.height(s.item)-1))
	return s
}

// by returns the spot a number of lines below another, or above it if negative.
func (d *document) by(at spot, lines int) spot {
	to, _ := d.move(at, lines, func(int, int) bool { return false })
	return to
}

// walk is like by, but stops at an unread exchange: left is the number of
// remaining lines.
func (d *document) walk(at spot, lines int) (to spot, left int) {
	return d.move(at, lines, func(part, left int) bool { return left == 0 || d.unread(part) })
}

// move goes a number of lines down, or up if negative. At another item it asks
// stop, with the exchange and the number of remaining lines, whether to end there.
func (d *document) move(at spot, lines int, stop func(part, left int) bool) (to spot, left int) {
	for lines < 0 {
		if -lines <= at.line {
			at.line += lines
			return at, 0
		}
		lines += at.line
		before, ok := d.previous(at.item)
		switch {
		case !ok:
			return spot{item: at.item}, 0
		case stop(before.part, lines):
			return spot{item: before}, lines
		}
		at = spot{before, d.height(before)}
	}
	for {
		rest := d.height(at.item) - at.line
		if lines < rest {
			at.line += lines
			return at, 0
		}
		after, ok := d.next(at.item)
		if !ok {
			return spot{at.item, max(0, d.height(at.item)-1)}, 0
		}
		lines -= rest
		at = spot{item: after}
		if stop(at.part, lines) {
			return at, lines
		}
	}
}

func (d *document) unread(part int) bool {
	p := d.part(part)
	return p.exchange == nil && p.err == nil
}

// find returns the block of an entry in an exchange that is read.
func (d *document) find(p Place) (item, bool) {
	if p.EntryID == "" {
		return item{}, false
	}
	list := d.part(p.Turn).blocks
	for i := range list {
		if list[i].Kind != blocks.Model && list[i].Kind != blocks.Run && list[i].Holds(p.EntryID) {
			return item{p.Turn, i}, true
		}
	}
	return item{}, false
}

// isOpen reports whether a block is shown in full.
func (d *document) isOpen(at item) bool {
	b := d.block(at)
	if b == nil {
		return false
	}
	open := d.folds == allOpen
	switch {
	case d.folds != usualFolds:
	case b.Kind == blocks.Run:
		open = len(b.Calls) < longRun
	case b.Kind == blocks.Thinking:
		open = d.openThinking
	case b.Kind == blocks.Call:
		open = b.Failed()
	}
	return open != d.part(at.part).open[at.item]
}

// toggle folds or unfolds one block.
func (d *document) toggle(at item) {
	p := d.part(at.part)
	if p.exchange == nil || at.item >= len(p.drawn) {
		return
	}
	if p.open == nil {
		p.open = make(map[int]bool)
	}
	p.open[at.item] = !p.open[at.item]
	clear(p.drawn) // also of the calls of a run
}

// unfold shows a block completely.
func (d *document) unfold(at item) {
	p := d.part(at.part)
	if p.whole == nil {
		p.whole = make(map[int]bool)
	}
	p.whole[at.item] = true
	if head, ok := d.head(at); ok && !d.isOpen(head) {
		d.toggle(head)
	}
	p.drawn[at.item] = drawing{}
	if !d.isOpen(at) {
		d.toggle(at)
	}
}

// refold folds everything in the next way: all open, then all folded.
func (d *document) refold() {
	if d.folds == allOpen {
		d.folds = allFolded
	} else {
		d.folds = allOpen
	}
	d.foldAgain()
}

// foldAgain forgets which blocks were toggled.
func (d *document) foldAgain() {
	for _, p := range d.parts {
		p.open = nil
	}
	d.redraw()
}
