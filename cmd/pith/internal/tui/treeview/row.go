package treeview

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/format"
)

// drawRow draws one entry: cursor, gutters, markers, label, text. Everything
// but the cursor is shifted left by pan cells.
func (d *drawing) drawRow(width, i, pan int) string {
	cursor := paint.Span{Text: "  "}
	if i == d.at {
		cursor = paint.Span{Tone: paint.Accent, Text: "› "}
	}
	r := d.rows.At(i)
	cell := min(pan/cellWidth, r.Level) // hidden gutters are not made
	spans := []paint.Span{cursor}
	for _, s := range drop(d.rowSpans(r, cell, cell+width/cellWidth+1), pan-cell*cellWidth) {
		if i == d.at && s.Tone == paint.Plain {
			s.Tone = paint.Strong
		}
		spans = append(spans, s)
	}
	if i == d.at {
		return d.theme.Selected(width, spans...)
	}
	return d.theme.Line(width, spans...)
}

const cellWidth = 3

// rowSpans returns a row after its cursor, with its gutters from one cell to
// another.
func (d *drawing) rowSpans(r outline.Row, from, to int) []paint.Span {
	gutter := ""
	for _, c := range d.rows.Cells(nil, r, from, to) {
		gutter += cellText(&r, c)
	}
	spans := []paint.Span{{Tone: paint.Dim, Text: gutter}}
	if r.Level > to {
		return spans // the rest is outside the window
	}
	if r.Folded && !r.Branch {
		spans = append(spans, paint.Span{Tone: paint.Accent, Text: "⊞ "})
	}
	if r.OnPath {
		spans = append(spans, paint.Span{Tone: paint.Accent, Text: "• "})
	}
	if e := d.o.Tree.At(r.Pos); e.Label != "" {
		spans = append(spans, paint.Span{Tone: paint.Warning, Text: "[" + termsafe.Fit(e.Label, 60) + "] "})
		if d.labelTimes {
			spans = append(spans, paint.Span{Tone: paint.Muted, Text: d.labelTime(e.LabelTime)})
		}
	}
	n, read := d.notes.of(r.Pos)
	if !read {
		return append(spans, paint.Span{Tone: paint.Dim, Text: "…"})
	}
	return append(spans, paint.Span{Tone: n.HeadTone, Text: n.Head}, paint.Span{Tone: n.TextTone, Text: n.Text})
}

// cellText returns the text of a gutter cell. A connector shows what can be
// folded.
func cellText(r *outline.Row, c outline.Cell) string {
	if c != outline.Tee && c != outline.Corner {
		return c.String()
	}
	arm := "├"
	if c == outline.Corner {
		arm = "└"
	}
	switch {
	case r.Folded:
		return arm + "⊞ "
	case r.Foldable:
		return arm + "⊟ "
	}
	return arm + "─ "
}

// before returns the number of cells before the label of a row.
func before(r outline.Row) int {
	n := r.Level * cellWidth
	if r.Folded && !r.Branch {
		n += 2
	}
	if r.OnPath {
		n += 2
	}
	return n
}

// rowWidth returns the number of cells of a row after its cursor.
func (d *drawing) rowWidth(r outline.Row) int {
	n := before(r)
	if e := d.o.Tree.At(r.Pos); e.Label != "" {
		n += termsafe.Width(termsafe.Fit(e.Label, 60)) + 3
		if d.labelTimes {
			n += termsafe.Width(d.labelTime(e.LabelTime))
		}
	}
	note, _ := d.notes.of(r.Pos)
	return n + termsafe.Width(termsafe.Line(note.Head)) + termsafe.Width(termsafe.Line(note.Text))
}

// pan returns the shift to the left at which the text of the selected row is
// visible (pitfall 146).
func (d *drawing) pan(top, end, room int) int {
	widest := 0
	for _, r := range d.rows.All(top, end) {
		widest = max(widest, d.rowWidth(r))
	}
	begins := before(d.rows.At(d.at))
	if widest <= room || begins <= room-min(20, max(4, room/3)) {
		return 0
	}
	return max(0, min(widest-room, begins-min(12, max(2, room/4))))
}

// drop removes cells from the start of spans.
func drop(spans []paint.Span, cells int) []paint.Span {
	for len(spans) > 0 && cells > 0 {
		text := termsafe.Line(spans[0].Text)
		cut := 0
		for i, r := range text {
			if cells <= 0 {
				break
			}
			cells -= termsafe.Width(string(r))
			cut = i + len(string(r))
		}
		if cut < len(text) {
			return append([]paint.Span{{Tone: spans[0].Tone, Text: text[cut:]}}, spans[1:]...)
		}
		spans = spans[1:]
	}
	return spans
}

// labelTime returns when a label was set: the day only if it is not today, the
// year only if it is not this one.
func (d *drawing) labelTime(stamp string) string {
	at, ok := format.ParseTime(stamp)
	if !ok {
		return ""
	}
	now := d.o.Now()
	at = at.In(now.Location())
	clock := at.Format("15:04")
	day := fmt.Sprintf("%d/%d ", int(at.Month()), at.Day())
	switch {
	case sameDay(at, now):
		return clock + " "
	case at.Year() == now.Year():
		return day + clock + " "
	}
	return at.Format("06/") + day + clock + " "
}

func sameDay(a, b time.Time) bool { return a.Year() == b.Year() && a.YearDay() == b.YearDay() }
