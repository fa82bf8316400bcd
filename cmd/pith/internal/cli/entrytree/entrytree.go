// Package entrytree prints the entries of a session as a tree, a row for each.
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
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/jsonout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
)

// Notes are what the rows of a tree say, by the position of their entries.
type Notes []note

type note struct {
	Line   entryline.Line
	silent bool // an answer that only carries tool calls
}

// How many entries one goroutine tells, and how many rows it makes, before another
// takes over.
const (
	notesAtOnce = 512
	rowsAtOnce  = 128
)

// Take reads every entry once, on several processors.
func Take(ctx context.Context, s *pith.Session, homely func(string) string) (Notes, error) {
	notes := make(Notes, s.View().Len())
	g := entryline.NewDescriber(homely)
	err := parallel.Make(ctx, (len(notes)+notesAtOnce-1)/notesAtOnce, func() func(int) ([]entryline.Brief, error) {
		lines := s.View().Reader()
		return func(piece int) ([]entryline.Brief, error) {
			from := piece * notesAtOnce
			list := make([]entryline.Brief, min(notesAtOnce, len(notes)-from))
			for i := range list {
				line, err := lines.Line(from + i)
				if err == nil {
					list[i], err = g.Read(line.Raw)
				}
				if err != nil {
					return nil, err
				}
			}
			return list, nil
		}
	}, func(piece int, list []entryline.Brief) bool {
		for i := range list {
			notes[piece*notesAtOnce+i] = note{g.Line(&list[i]), list[i].Silent}
		}
		return true
	})
	return notes, err
}

// Shows reports whether a filter lets an entry through.
func (n Notes) Shows(node *pith.Node, filter, leaf string) bool {
	return outline.Filter(filter).Keeps(node) && (!n[node.Pos].silent || node.ID == leaf)
}

// Offers reports whether an entry is suggested when one is to be named: what the
// filter shows, and all that is labelled.
func (n Notes) Offers(filter string) func(*pith.Node) bool {
	return func(node *pith.Node) bool { return node.Label != "" || n.Shows(node, filter, "") }
}

// LeafRow is the row at which the session stands: the last one on the active
// path that is shown; -1 when there is none.
func LeafRow(rows []outline.Row) int {
	at := -1
	for i := range rows {
		if rows[i].Node.OnPath {
			at = i
		}
	}
	return at
}

// mostLevels is how deep gutters are drawn where no terminal sets a limit.
const mostLevels = 40

// A Range is the rows that are printed, up to but not including To.
type Range struct{ From, To int }

// All are all rows.
func All(rows []outline.Row) Range { return Range{0, len(rows)} }

// Around are n of so many rows that are nearest to where the session stands: more of
// what led there than of what follows.
func Around(leaf, n, total int) Range {
	from := min(max(0, leaf-3*n/4), total-n)
	return Range{from, from + n}
}

// Print prints a part of the rows. They are made on several processors.
func Print(ctx context.Context, out *console.Output, colors tone.Palette, columns int, rows []outline.Row, part Range, leaf int, notes Notes) {
	table := printer{colors: colors, rows: rows, notes: notes, leaf: leaf, short: shortIDs(rows), columns: columns, most: mostLevels}
	for i := range rows {
		table.idCells = max(table.idCells, min(termsafe.Width(table.idOf(rows[i].Node)), 12))
	}
	if columns > 0 {
		table.most = max(1, (columns-table.idCells)/6)
	}
	used := sync.Pool{New: func() any { return new([]byte) }}
	pieces := (part.To - part.From + rowsAtOnce - 1) / rowsAtOnce
	for text := range parallel.InOrder(ctx, pieces, func(_ context.Context, p *printer, piece int) *[]byte {
		if p.rows == nil {
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

// idLength is how long the ids are that pi gives to entries.
const idLength = 8

// shortIDs is what is printed of the ids, where some are longer than pi's.
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

// A printer makes the lines of the rows of a tree.
type printer struct {
	colors  tone.Palette
	rows    []outline.Row
	notes   Notes
	leaf    int
	short   map[string]string // id to what is printed of it; nil where that is the whole id
	idCells int
	columns int // of the terminal; 0 means any number
	most    int // levels of a gutter
	cells   []outline.Cell
	drawn   []outline.Cell // those that gutter shows, with the first ones left out
	left    int            // how many were
	gutter  string
}

// print appends the lines of the rows [from, to).
func (p *printer) print(dst []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		dst = append(bytes.TrimRight(p.line(dst, i), " "), '\n')
	}
	return dst
}

// idOf is what is printed of a node's id.
func (p *printer) idOf(node *pith.Node) string {
	id := node.ID
	if p.short != nil {
		id = p.short[id]
	}
	return termsafe.Line(id)
}

// line appends the line of a row.
func (p *printer) line(dst []byte, i int) []byte {
	node := p.rows[i].Node
	g := p.notes[node.Pos].Line
	p.draw(i)
	marker := ""
	switch {
	case i == p.leaf:
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

// draw makes what stands before a row. Of a row that is set in deeper than most
// cells the first ones are left out and told by their number, so that a tree that
// branches at every step stays readable and its output linear in its size.
func (p *printer) draw(i int) {
	level := p.rows[i].Level
	from := max(0, level-p.most)
	p.cells = outline.Cells(p.cells[:0], p.rows, i, from, level)
	if from == p.left && slices.Equal(p.cells, p.drawn) {
		return // as before the row above, where nothing branches
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

// A Record is one row in JSON, as docs/cli.md describes it.
type Record struct {
	ID        jsonout.Text  `json:"id"`
	ParentID  *jsonout.Text `json:"parentId"`
	Type      format.Type   `json:"type"`
	Role      *jsonout.Text `json:"role"`
	Text      string        `json:"text"`
	Label     *jsonout.Text `json:"label"`
	LabelTime *jsonout.Text `json:"labelTimestamp"`
	Depth     int           `json:"depth"`
	Level     int           `json:"level"`
	OnPath    bool          `json:"onPath"`
	Leaf      bool          `json:"leaf"`
}

func (n Notes) Records(rows []outline.Row, leaf int) []Record {
	out := make([]Record, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = Record{
			ID: jsonout.Text(r.Node.ID), Type: r.Node.Type, Role: jsonout.TextOrNull(string(r.Node.Role)), Text: n[r.Node.Pos].Line.String(),
			Label: jsonout.TextOrNull(r.Node.Label), LabelTime: jsonout.TextOrNull(r.Node.LabelTime),
			Depth: r.Node.Depth, Level: r.Level, OnPath: r.Node.OnPath, Leaf: i == leaf,
		}
		if r.Parent != outline.None {
			id := jsonout.Text(rows[r.Parent].Node.ID)
			out[i].ParentID = &id
		}
	}
	return out
}
