package markdown

import (
	"strings"

	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// table arranges cells in columns. If they do not fit, columns become narrower,
// and their texts are broken.
func (r *renderer) table(n *extast.Table, width int) [][]paint.Span {
	var rows [][][]paint.Span
	columns := 0
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		tone := paint.Plain
		if _, head := row.(*extast.TableHeader); head {
			tone = paint.Strong
		}
		var cells [][]paint.Span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.inline(cell, tone, 0))
		}
		rows = append(rows, cells)
		columns = max(columns, len(cells))
	}
	if columns == 0 {
		return nil
	}
	widths := fit(rows, columns, width-3*(columns-1))
	if widths == nil { // too narrow for columns
		return paint.Wrap([]paint.Span{{Text: string(r.lines(n))}}, width)
	}
	var lines [][]paint.Span
	for i, row := range rows {
		lines = append(lines, rowLines(row, widths)...)
		if i == 0 {
			total := 3 * (columns - 1)
			for _, w := range widths {
				total += w
			}
			lines = append(lines, []paint.Span{{Tone: paint.Dim, Text: strings.Repeat("─", min(total, width))}})
		}
	}
	return lines
}

// fit returns the widths of columns that take at most room cells together, or
// nil if there is too little room.
func fit(rows [][][]paint.Span, columns, room int) []int {
	if room < 4*columns {
		return nil
	}
	widths := make([]int, columns)
	total := 0
	for _, row := range rows {
		for c, cell := range row {
			widths[c] = max(widths[c], paint.Width(cell), 1)
		}
	}
	for _, w := range widths {
		total += w
	}
	for total > room { // the widest is reduced first
		widest := 0
		for c := range widths {
			if widths[c] > widths[widest] {
				widest = c
			}
		}
		step := min(total-room, max(1, widths[widest]/8))
		widths[widest] -= step
		total -= step
	}
	return widths
}

// rowLines returns the lines of one row: as many as its highest cell has.
func rowLines(row [][]paint.Span, widths []int) [][]paint.Span {
	cells := make([][][]paint.Span, len(widths))
	height := 1
	for c := range widths {
		if c < len(row) {
			cells[c] = paint.Wrap(row[c], widths[c])
			height = max(height, len(cells[c]))
		}
	}
	lines := make([][]paint.Span, height)
	for i := range lines {
		for c, w := range widths {
			if c > 0 {
				lines[i] = append(lines[i], paint.Span{Tone: paint.Dim, Text: " │ "})
			}
			used := 0
			if i < len(cells[c]) {
				lines[i] = append(lines[i], cells[c][i]...)
				used = paint.Width(cells[c][i])
			}
			if c < len(widths)-1 {
				lines[i] = append(lines[i], paint.Span{Text: strings.Repeat(" ", max(0, w-used))})
			}
		}
	}
	return lines
}
