package cli

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A grid is a table for reading, or one in Markdown. Its cells must be harmless
// and on one line.
type grid struct {
	head  []string
	right []bool // which columns stand at the right
	flex  int    // the column that is cut when the table is too wide
	rows  [][]string
	tones []tone // of the rows; may be shorter
}

func (g *grid) add(t tone, cells ...string) {
	g.rows = append(g.rows, cells)
	g.tones = append(g.tones, t)
}

// widths are how many cells the columns take in the given number of cells; 0
// means any number.
func (g *grid) widths(columns int) []int {
	w := make([]int, len(g.head))
	for _, row := range append([][]string{g.head}, g.rows...) {
		for i, cell := range row {
			w[i] = max(w[i], termsafe.Width(cell))
		}
	}
	if columns > 0 {
		total := gap * (len(w) - 1)
		for _, n := range w {
			total += n
		}
		if total > columns {
			w[g.flex] = max(8, w[g.flex]-(total-columns))
		}
	}
	return w
}

// print prints the table as text.
func (g *grid) print(out printer, colors palette, columns int) {
	w := g.widths(columns)
	line := func(t tone, row []string) {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", gap))
			}
			cell = termsafe.Fit(cell, w[i])
			if i < len(g.right) && g.right[i] {
				b.WriteString(termsafe.PadLeft(cell, w[i]))
			} else {
				b.WriteString(termsafe.Pad(cell, w[i]))
			}
		}
		text := strings.TrimRight(b.String(), " ")
		if columns > 0 {
			text = termsafe.Fit(text, columns)
		}
		out.print(colors.paint(t, text) + "\n")
	}
	line(toneDim, g.head)
	for i, row := range g.rows {
		line(g.tones[i], row)
	}
}

// markdown prints the table in Markdown.
func (g *grid) markdown(out printer) {
	line := func(cells []string) { out.print("| " + strings.Join(cells, " | ") + " |\n") }
	line(g.head)
	rule := make([]string, len(g.head))
	for i := range rule {
		rule[i] = "---"
		if i < len(g.right) && g.right[i] {
			rule[i] = "--:"
		}
	}
	line(rule)
	for _, row := range g.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escapeMarkdown(cell)
		}
		line(cells)
	}
	out.print("\n")
}

// printGrid prints a table in the format that was asked for.
func (v *showing) printGrid(g *grid) {
	if v.isMarkdown() {
		g.markdown(v.out)
		return
	}
	g.print(v.out, v.colors, v.columns())
}
