// Package entrytree prints the entries of a session as a tree, one row each.
package entrytree

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A Tree contains the visible entries of a session, one row each.
type Tree struct {
	Rows []outline.Row
	// Leaf is the row of the leaf: the last visible one on the active path, or
	// -1.
	Leaf  int
	notes []note // by position of the entry
}

type note struct {
	line   entryline.Line
	silent bool // a response that only carries tool calls
}

// The number of entries, and of rows, that one goroutine handles at a time.
const (
	notesAtOnce = 512
	rowsAtOnce  = 128
)

// A Choice reports whether an entry is shown. silent means a response that only
// carries tool calls, which their results describe; it is false until the entry
// was read.
type Choice func(n *pith.Node, silent bool) bool

// Filtered shows the entries that pass a filter, and of silent responses only
// the leaf. An entry with a label is shown wherever the conversation is,
// whatever its type.
func Filtered(s *pith.Session, filter outline.Filter) Choice {
	leaf := s.LeafID()
	labels := filter == outline.Default || filter == outline.NoTools
	return func(n *pith.Node, silent bool) bool {
		return filter.Keeps(n) && (!silent || n.ID == leaf) || labels && n.Label != ""
	}
}

// Read reads the visible entries, concurrently. Responses are read together
// with tool results, which are described by their calls.
func Read(ctx context.Context, s *pith.Session, shows Choice, shortPath func(string) string) (*Tree, error) {
	all := outline.New(s.View().Tree())
	t := &Tree{Leaf: -1, notes: make([]note, all.Len())}
	if err := t.take(ctx, s, needed(all, shows), entryline.NewDescriber(shortPath)); err != nil {
		return nil, err
	}
	t.Rows = all.Rows(func(n *pith.Node) bool { return shows(n, t.notes[n.Pos].silent) }, nil)
	for i := range t.Rows {
		if t.Rows[i].Node.OnPath {
			t.Leaf = i
		}
	}
	return t, nil
}

// needed returns the positions of the entries that must be read, in file order.
func needed(all *outline.Outline, shows Choice) []int {
	wanted, answers, results := make([]bool, all.Len()), []int(nil), false
	for _, n := range all.Nodes() {
		wanted[n.Pos] = shows(n, false)
		results = results || wanted[n.Pos] && n.Role == format.RoleToolResult
		if n.Role == format.RoleAssistant {
			answers = append(answers, n.Pos)
		}
	}
	if results {
		for _, pos := range answers {
			wanted[pos] = true
		}
	}
	var out []int
	for pos, is := range wanted {
		if is {
			out = append(out, pos)
		}
	}
	return out
}

// take records the descriptions of the entries at some positions.
func (t *Tree) take(ctx context.Context, s *pith.Session, positions []int, d *entryline.Describer) error {
	pieces := slices.Collect(slices.Chunk(positions, notesAtOnce))
	entries := s.View()
	return parallel.Make(ctx, len(pieces), func() func(int) ([]entryline.Brief, error) {
		lines := entries.Reader()
		return func(piece int) ([]entryline.Brief, error) {
			list := make([]entryline.Brief, 0, len(pieces[piece]))
			for line, err := range lines.LinesAt(pieces[piece]) {
				if err != nil {
					return nil, err
				}
				brief, err := d.ReadForLine(line.Raw)
				if err != nil {
					return nil, err
				}
				list = append(list, brief)
			}
			return list, nil
		}
	}, func(piece int, list []entryline.Brief) bool {
		for i, pos := range pieces[piece] {
			t.notes[pos] = note{d.Line(&list[i]), list[i].Silent}
		}
		return true
	})
}

// Line returns the description of a row.
func (t *Tree) Line(row int) entryline.Line { return t.notes[t.Rows[row].Node.Pos].line }

// mostLevels is the maximum depth of gutters without a terminal.
const mostLevels = 40

// A Range is the range of printed rows, up to but not including To.
type Range struct{ From, To int }

// All returns all rows.
func (t *Tree) All() Range { return Range{0, len(t.Rows)} }

// Around returns the n rows nearest to the leaf: more before it than after it.
func (t *Tree) Around(n int) Range {
	from := min(max(0, t.Leaf-3*n/4), len(t.Rows)-n)
	return Range{from, from + n}
}

// Print prints a range of the rows. They are made concurrently.
func (t *Tree) Print(ctx context.Context, out *console.Output, colors tone.Palette, columns int, part Range) {
	table := printer{tree: t, colors: colors, short: shortIDs(t.Rows), columns: columns, most: mostLevels}
	for i := range t.Rows {
		table.idCells = max(table.idCells, min(termsafe.Width(table.idOf(t.Rows[i].Node)), 12))
	}
	if columns > 0 {
		table.most = max(1, (columns-table.idCells)/6)
	}
	used := sync.Pool{New: func() any { return new([]byte) }}
	pieces := (part.To - part.From + rowsAtOnce - 1) / rowsAtOnce
	for text := range parallel.InOrder(ctx, pieces, func(_ context.Context, p *printer, piece int) *[]byte {
		if p.tree == nil {
			*p = table
		}
		from := part.From + piece*rowsAtOnce
		text := used.Get().(*[]byte)
		*text = p.print((*text)[:0], from, min(from+rowsAtOnce, part.To))
		return text
	}) {
		if _, err := out.Write(*text); err != nil {
			return
		}
		used.Put(text)
	}
}

// idLength is the length of pi's entry ids.
const idLength = 8

// shortIDs returns the printed forms of the ids, if some are longer than pi's.
func shortIDs(rows []outline.Row) map[string]string {
	if !slices.ContainsFunc(rows, func(r outline.Row) bool { return len(r.Node.ID) > idLength }) {
		return nil
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].Node.ID
	}
	return catalog.ShortIDs(ids)
}

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

// print appends the lines of the rows [from, to).
func (p *printer) print(dst []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		dst = append(bytes.TrimRight(p.line(dst, i), " "), '\n')
	}
	return dst
}

// idOf returns the printed form of a node's id.
func (p *printer) idOf(node *pith.Node) string {
	id := node.ID
	if p.short != nil {
		id = p.short[id]
	}
	return termsafe.Line(id)
}

// line appends the line of a row.
func (p *printer) line(dst []byte, i int) []byte {
	node := p.tree.Rows[i].Node
	g := p.tree.Line(i)
	p.draw(i)
	marker := ""
	switch {
	case i == p.tree.Leaf:
		marker = "◆ "
	case node.OnPath:
		marker = "• "
	}
	label := ""
	if node.Label != "" {
		label = "[" + layout.OneLine(node.Label) + "] "
	}
	id := termsafe.Pad(p.idOf(node), p.idCells)
	if p.columns > 0 {
		room := p.columns - termsafe.Width(id) - 2 - termsafe.Width(p.gutter) - termsafe.Width(marker)
		label = termsafe.Fit(label, max(0, room))
		g = g.Cut(max(0, room-termsafe.Width(label)))
	}
	for _, piece := range [...]string{
		p.colors.Dim(id), "  ", p.colors.Dim(p.gutter), p.colors.Paint(tone.User, marker), p.colors.Paint(tone.Warning, label),
		p.colors.Paint(layout.LineTones[g.HeadTone], g.Head), p.colors.Paint(layout.LineTones[g.TextTone], g.Text),
	} {
		dst = append(dst, piece...)
	}
	return dst
}

// draw makes the gutter of a row. If the row is indented by more than most
// cells, the first ones are replaced by their number, so that a tree that
// branches at every step stays readable and its output linear in its size.
func (p *printer) draw(i int) {
	level := p.tree.Rows[i].Level
	from := max(0, level-p.most)
	p.cells = outline.Cells(p.cells[:0], p.tree.Rows, i, from, level)
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

// A Record is one row in JSON, as docs/reference/json.md describes it.
type Record struct {
	ID        view.Text   `json:"id"`
	ParentID  *view.Text  `json:"parentId"`
	Type      format.Type `json:"type"`
	Role      *view.Text  `json:"role"`
	Text      string      `json:"text"`
	Label     *view.Text  `json:"label"`
	LabelTime *view.Text  `json:"labelTimestamp"`
	Depth     int         `json:"depth"`
	Level     int         `json:"level"`
	OnPath    bool        `json:"onPath"`
	Leaf      bool        `json:"leaf"`
}

// Records returns a range of the rows in JSON.
func (t *Tree) Records(part Range) []Record {
	out := make([]Record, 0, part.To-part.From)
	for i := part.From; i < part.To; i++ {
		r := &t.Rows[i]
		record := Record{
			ID: view.Text(r.Node.ID), Type: r.Node.Type, Role: view.TextOrNull(string(r.Node.Role)), Text: t.Line(i).String(),
			Label: view.TextOrNull(r.Node.Label), LabelTime: view.TextOrNull(r.Node.LabelTime),
			Depth: r.Node.Depth, Level: r.Level, OnPath: r.Node.OnPath, Leaf: i == t.Leaf,
		}
		if r.Parent != outline.None {
			id := view.Text(t.Rows[r.Parent].Node.ID)
			record.ParentID = &id
		}
		out = append(out, record)
	}
	return out
}
