package treeview

import (
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

func (m *Model) resize(width, height int) {
	m.width, m.height = width, height
	m.page = max(1, height-m.headLines(width)-m.footLines())
	pane := 0
	if width >= previewFrom {
		pane = width * 2 / 5
	}
	m.preview.resize(pane)
	if m.question != nil && m.question.text != nil {
		m.question.resize(width, height)
	}
}

// lowHeight is the height of a window that has room for the keys and rules around the
// rows. A lower one has a line above the rows and one below.
const lowHeight = 12

// footLines returns the number of lines below the rows.
func (m *Model) footLines() int {
	if m.height < lowHeight {
		return 1
	}
	return 3
}

// headLines returns the number of lines above the rows.
func (m *Model) headLines(width int) int {
	d := &drawing{m, paint.New(true, false)}
	return len(d.head(width))
}

// first returns the first shown row, given the selected one.
func (m *Model) first() int { return max(0, min(m.at-m.page/2, m.rows.Len()-m.page)) }

// View draws the tree.
func (m *Model) View(t *paint.Theme, width, height int) string {
	if m.question != nil {
		lines := append([]string{t.Rule(width), ""}, m.question.view(t, m.o.Keys, width)...)
		return paint.Block(height, dialog.Low(append(lines, "", t.Rule(width)), height, 2+m.question.line())...)
	}
	d := &drawing{m, t}
	lines := d.head(width)
	foot := []string{d.statusLine(width), "", t.Rule(width)}[:m.footLines()]
	room := max(0, height-len(lines)-len(foot))
	if m.label != nil {
		lines = append(lines, dialog.Low(d.labelBox(width), room, labelLine)...)
	} else {
		lines = append(lines, d.body(width, room)...)
	}
	return paint.Block(height, append(paint.Fill(lines, height-len(foot)), foot...)...)
}

type drawing struct {
	*Model
	theme *paint.Theme
}

// head returns the lines above the rows: title, keys, search.
func (d *drawing) head(width int) []string {
	title := d.theme.Line(width, paint.Span{Tone: paint.Strong, Text: "   Session Tree"})
	lines := []string{d.theme.Rule(width), title, d.help(width)}
	search := []paint.Span{{Tone: paint.Muted, Text: "  / to search"}}
	if d.typing {
		search = []paint.Span{{Tone: paint.Muted, Text: "  Search: "}, {Tone: paint.Accent, Text: d.search}, {Tone: paint.Cursor, Text: " "}}
	}
	switch {
	case d.height < lowHeight && d.typing:
		return []string{d.theme.Line(width, search...)}
	case d.height < lowHeight:
		return []string{title}
	}
	return append(lines, d.theme.Line(width, search...), d.theme.Rule(width), "")
}

func (d *drawing) body(width, height int) []string {
	pane := d.preview.width
	if pane == 0 || d.label != nil || d.rows.Len() == 0 {
		return d.list(width, height)
	}
	wide := width - pane - 3
	left := paint.Fill(d.list(wide, height), height)
	var right []string
	for _, spans := range d.preview.lines {
		if len(right) == height {
			break
		}
		right = append(right, d.theme.Line(pane, spans...))
	}
	return d.theme.Beside(left, wide, right)
}

func (d *drawing) list(width, height int) []string {
	if d.rows.Len() == 0 {
		text := "  No entries found"
		if len(d.words) > 0 && !d.notes.all {
			text = "  Searching…"
		}
		return []string{d.theme.Line(width, paint.Span{Tone: paint.Muted, Text: text})}
	}
	top := d.first()
	end := min(d.rows.Len(), top+min(height, d.page))
	pan := d.pan(top, end, width-2)
	out := make([]string, 0, end-top)
	for i := top; i < end; i++ {
		out = append(out, d.drawRow(width, i, pan))
	}
	return out
}

// labelLine is the index of the input in the lines of labelBox.
const labelLine = 2

func (d *drawing) labelBox(width int) []string {
	k := d.o.Keys
	return []string{
		d.theme.Line(width, paint.Span{Tone: paint.Strong, Text: "  Label (empty to remove):"}), "",
		d.label.input.View(d.theme, width, "  > "), "",
		d.theme.Line(width, paint.Span{Tone: paint.Dim, Text: "  " + k.Label(keys.SelectConfirm) + " save · " + k.Label(keys.SelectCancel) + " cancel"}),
	}
}

var filterFlags = map[outline.Filter]string{
	outline.NoTools: " [no-tools]", outline.UserOnly: " [user]", outline.LabeledOnly: " [labeled]", outline.All: " [all]",
}

func (d *drawing) statusLine(width int) string {
	at := d.at + 1
	if d.rows.Len() == 0 {
		at = 0
	}
	text := fmt.Sprintf("  (%d/%d)", at, d.rows.Len()) + filterFlags[d.filter]
	if d.labelTimes {
		text += " [+label time]"
	}
	if d.compared != "" {
		text += " d compares the selected entry with " + termsafe.Fit(d.compared, 8) + ", esc cancels"
	}
	return d.theme.Line(width, paint.Span{Tone: paint.Muted, Text: text + "  "}, paint.Span{Tone: d.status.Tone, Text: d.status.Text})
}

// help returns the keys, the main one first. If they do not fit, the last before
// help goes first, because help lists them all.
func (d *drawing) help(width int) string {
	const indent, between = "  ", " · "
	k := d.o.Keys
	more := between + k.Label(keys.Help) + " more"
	line := indent + k.Label(keys.SelectConfirm) + " go back to here"
	for _, item := range []string{"/ search", "d compare", k.Label(keys.TreeEditLabel) + " label", k.Label(keys.ForkHere) + " fork", k.Label(keys.TreeFilterNext) + " next filter"} {
		if termsafe.Width(line+between+item+more) > width {
			break
		}
		line += between + item
	}
	return d.theme.Line(width, paint.Span{Tone: paint.Dim, Text: line + more})
}
