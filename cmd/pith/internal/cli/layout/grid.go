package layout

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// A Grid is a table for reading. Its cells must be safe to print and on one line.
type Grid struct {
	Head  []string // printed in capitals
	Right []bool   // right-aligned columns
	Flex  int      // the column that is cut if the table is too wide
	Rows  [][]string
	Tones []tone.Tone // of the rows; may be shorter
}

func (g *Grid) Add(t tone.Tone, cells ...string) {
	g.Rows = append(g.Rows, cells)
	g.Tones = append(g.Tones, t)
}

// widths returns the widths of the columns in the given number of cells; 0
// means no limit.
func (g *Grid) widths(columns int) []int {
	w := make([]int, len(g.Head))
	for _, row := range append([][]string{g.Head}, g.Rows...) {
		for i, cell := range row {
			w[i] = max(w[i], termsafe.Width(cell))
		}
	}
	if columns > 0 {
		total := Gap * (len(w) - 1)
		for _, n := range w {
			total += n
		}
		if total > columns {
			w[g.Flex] = max(8, w[g.Flex]-(total-columns))
		}
	}
	return w
}

// Print prints the table as text.
func (g *Grid) Print(out Printer, colors tone.Palette, columns int) {
	w := g.widths(columns)
	line := func(t tone.Tone, row []string) {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", Gap))
			}
			cell = termsafe.Fit(cell, w[i])
			if i < len(g.Right) && g.Right[i] {
				b.WriteString(termsafe.PadLeft(cell, w[i]))
			} else {
				b.WriteString(termsafe.Pad(cell, w[i]))
			}
		}
		text := strings.TrimRight(b.String(), " ")
		if columns > 0 {
			text = termsafe.Fit(text, columns)
		}
		out.Print(colors.Paint(t, text) + "\n")
	}
	head := make([]string, len(g.Head))
	for i, word := range g.Head {
		head[i] = strings.ToUpper(word)
	}
	line(tone.Dim, head)
	for i, row := range g.Rows {
		line(g.Tones[i], row)
	}
}

// The title gets the remaining width, but not less than it needs to be
// readable.
const (
	LeastTitle  = 24
	MostProject = 30
	Gap         = 2
)
