// Package entrytree prints the entries of a session as a tree, one row each.
package entrytree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A Tree contains the visible entries of a session, one row each. It is small:
// the descriptions of the entries of a large session are read when they are
// printed.
type Tree struct {
	Rows *outline.Rows
	// Leaf is the row of the leaf: the last visible one on the active path, or
	// -1.
	Leaf  int
	view  *pith.View
	lines lines
}

// rowsAtOnce is the number of rows that one goroutine prints at a time.
const rowsAtOnce = 128

// A Choice reports whether the entry at a position is shown. silent means a
// response that only carries tool calls, which their results describe; it is
// false until the entry was read.
type Choice func(v *pith.View, pos int, silent bool) bool

// Filtered shows the entries that pass a filter, and of silent responses only
// the leaf. An entry with a label is shown wherever the conversation is,
// whatever its type.
func Filtered(filter outline.Filter) Choice {
	labels := filter == outline.Default || filter == outline.NoTools
	return func(v *pith.View, pos int, silent bool) bool {
		kind, role := v.Kind(pos)
		label := func() string { return v.At(pos).Label }
		return filter.Keeps(kind, role, label) && (!silent || pos == v.Leaf()) || labels && label() != ""
	}
}

// Read finds the visible entries.
func Read(ctx context.Context, s *pith.Session, shows Choice, shortPath func(string) string) (*Tree, error) {
	return read(ctx, s, shows, lines{path: shortPath, most: mostKept})
}

func read(ctx context.Context, s *pith.Session, shows Choice, l lines) (*Tree, error) {
	v := s.View()
	l.view = v
	t := &Tree{view: v, lines: l}
	if err := t.lines.read(ctx, func(pos int) bool { return shows(v, pos, false) }); err != nil {
		return nil, err
	}
	t.Rows = outline.New(v.DepthFirst(), v.Leaf()).Rows(func(pos int) bool { return shows(v, pos, t.lines.isSilent(pos)) }, nil)
	t.Leaf = t.Rows.Nearest(v.Leaf())
	return t, nil
}

// Lines returns the descriptions of a range of rows.
func (t *Tree) Lines(part Range) ([]entryline.Line, error) {
	return t.lines.reader().describe(t.Rows.All(part.From, part.To))
}

// mostLevels is the maximum depth of gutters without a terminal.
const mostLevels = 40

// A Range is the range of printed rows, up to but not including To.
type Range struct{ From, To int }

// All returns all rows.
func (t *Tree) All() Range { return Range{0, t.Rows.Len()} }

// Fit returns the rows around the leaf that fit a budget. print prints a range of rows,
// between which is a separator that is nowhere in a row.
func (t *Tree) Fit(room present.Budget, separator string, print func(out *console.Output, part Range) error) (Range, error) {
	if room == 0 {
		return t.All(), nil
	}
	var text bytes.Buffer
	out := console.NewOutput(&text, false)
	if err := errors.Join(print(out, t.All()), out.Flush()); err != nil {
		return Range{}, err
	}
	upTo := []int64{0} // tokens of the rows before each
	for line := range strings.SplitAfterSeq(text.String(), separator) {
		upTo = append(upTo, upTo[len(upTo)-1]+inspect.Tokens(line))
	}
	n := sort.Search(t.Rows.Len(), func(n int) bool {
		part := t.Around(n + 1)
		return upTo[part.To]-upTo[part.From] > int64(room)
	})
	return t.Around(max(1, min(n, t.Rows.Len()))), nil
}

// Around returns the n rows nearest to the leaf: more before it than after it.
func (t *Tree) Around(n int) Range {
	from := min(max(0, t.Leaf-3*n/4), t.Rows.Len()-n)
	return Range{from, from + n}
}

// Print prints a range of the rows. They are made concurrently.
func (t *Tree) Print(ctx context.Context, out *console.Output, colors tone.Palette, columns int, part Range) error {
	table := printer{tree: t, colors: colors, columns: columns, most: mostLevels}
	table.measureIDs()
	if columns > 0 {
		table.most = max(1, (columns-table.idCells)/6)
	}
	return t.print(ctx, out, part, func() appender {
		p := table
		return func(dst []byte, i int, row outline.Row, line entryline.Line) []byte {
			return append(bytes.TrimRight(p.line(dst, i, row, line), " "), '\n')
		}
	})
}

// An appender appends row i to dst.
type appender func(dst []byte, i int, row outline.Row, line entryline.Line) []byte

// print prints a range of the rows as they are made. Every goroutine has an
// appender of its own.
func (t *Tree) print(ctx context.Context, out *console.Output, part Range, newAppender func() appender) error {
	used := sync.Pool{New: func() any { return new([]byte) }}
	pieces := (part.To - part.From + rowsAtOnce - 1) / rowsAtOnce
	return parallel.Make(ctx, pieces, func() func(int) (*[]byte, error) {
		lines, add := t.lines.reader(), newAppender()
		return func(piece int) (*[]byte, error) {
			from := part.From + piece*rowsAtOnce
			rows := t.Rows.All(from, min(from+rowsAtOnce, part.To))
			list, err := lines.describe(rows)
			if err != nil {
				return nil, err
			}
			text := used.Get().(*[]byte)
			*text = (*text)[:0]
			for i, row := range rows {
				*text = add(*text, i, row, list[i-from])
			}
			return text, nil
		}
	}, func(_ int, text *[]byte) bool {
		_, err := out.Write(*text)
		used.Put(text)
		return err == nil
	})
}

// idLength is the length of pi's entry ids.
const idLength = 8

// measureIDs finds the printed forms of the ids, if some are longer than pi's,
// and the width of their column.
func (p *printer) measureIDs() {
	lines := &p.tree.lines
	for _, row := range p.tree.Rows.All(0, p.tree.Rows.Len()) {
		if (lines.wide || row.Pos >= len(lines.kept)) && len(p.tree.view.At(row.Pos).ID) > idLength {
			p.short = ops.Shortest(slices.Collect(p.tree.ids()))
			break
		}
	}
	for id := range p.tree.ids() {
		p.idCells = max(p.idCells, min(termsafe.Width(p.shown(id)), mostIDCells))
		if p.idCells == mostIDCells || p.short == nil && p.idCells == idLength {
			return // no id is wider
		}
	}
}

// ids yields the ids of the rows.
func (t *Tree) ids() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, row := range t.Rows.All(0, t.Rows.Len()) {
			if !yield(t.view.At(row.Pos).ID) {
				return
			}
		}
	}
}

// mostIDCells is the maximum width of the column of ids.
const mostIDCells = 12

// A printer makes the lines of a tree.
type printer struct {
	tree    *Tree
	colors  tone.Palette
	short   map[string]string // id to its printed form; nil if that is the whole id
	idCells int
	columns int // of the terminal; 0 means no limit
	most    int // maximum levels of a gutter
	cells   []outline.Cell
	drawn   []outline.Cell // the cells of gutter, with the first ones left out
	left    int            // number of cells left out
	gutter  string
}

// shown returns the printed form of an id.
func (p *printer) shown(id string) string {
	if p.short != nil {
		id = p.short[id]
	}
	return termsafe.Line(id)
}

// line appends the line of row i.
func (p *printer) line(dst []byte, i int, row outline.Row, g entryline.Line) []byte {
	p.draw(row)
	marker := ""
	switch {
	case i == p.tree.Leaf:
		marker = "◆ "
	case row.OnPath:
		marker = "• "
	}
	label := ""
	e := p.tree.view.At(row.Pos)
	if e.Label != "" {
		label = "[" + layout.OneLine(e.Label) + "] "
	}
	id := termsafe.Pad(p.shown(e.ID), p.idCells)
	if p.columns > 0 {
		room := p.columns - termsafe.Width(id) - 2 - termsafe.Width(p.gutter) - termsafe.Width(marker)
		label = termsafe.Fit(label, max(0, room))
		g = g.Cut(max(0, room-termsafe.Width(label)))
	}
	for _, piece := range [...]string{
		p.colors.Dim(id), "  ", p.colors.Dim(p.gutter), p.colors.Paint(tone.User, marker), p.colors.Paint(tone.Warning, label),
		p.colors.Paint(g.HeadTone, g.Head), p.colors.Paint(g.TextTone, g.Text),
	} {
		dst = append(dst, piece...)
	}
	return dst
}

// draw makes the gutter of a row. If the row is indented by more than most
// cells, the first ones are replaced by their number, so that a tree that
// branches at every step stays readable and its output linear in its size.
func (p *printer) draw(row outline.Row) {
	from := max(0, row.Level-p.most)
	p.cells = p.tree.Rows.Cells(p.cells[:0], row, from, row.Level)
	if from == p.left && slices.Equal(p.cells, p.drawn) {
		return // the same as for the row above, if nothing branches
	}
	p.left, p.drawn = from, append(p.drawn[:0], p.cells...)
	var gutter []byte
	if from > 0 {
		gutter = fmt.Appendf(gutter, "…%d ", from)
	}
	for _, c := range p.cells {
		gutter = append(gutter, c.String()...)
	}
	p.gutter = string(gutter)
}
