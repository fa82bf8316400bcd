package treeview

import (
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// resize takes the size of the window.
func (m *Model) resize(width, height int) {
	m.width, m.height = width, height
	m.page = max(1, height-len(m.head(paint.New(true, false), width))-3)
	pane := 0
	if width >= previewFrom {
		pane = width * 2 / 5
	}
	m.preview.resize(pane)
	if m.question != nil && m.question.text != nil {
		m.question.text.SetWidth(max(10, width-2))
	}
}

// first is the first row that is shown, given the selected one.
func (m *Model) first() int { return max(0, min(m.at-m.page/2, len(m.rows)-m.page)) }

// View draws the navigator.
func (m *Model) View(t *paint.Theme, width, height int) string {
	if m.question != nil {
		lines := append([]string{t.Rule(width), ""}, m.question.view(t, m.o.Keys, width)...)
		return paint.Block(height, append(lines, "", t.Rule(width))...)
	}
	lines := m.head(t, width)
	room := max(0, height-len(lines)-3)
	if m.label != nil {
		lines = append(lines, m.labelBox(t, width)...)
	} else {
		lines = append(lines, m.body(t, width, room)...)
	}
	for len(lines) < height-3 {
		lines = append(lines, "")
	}
	return paint.Block(height, append(lines, m.statusLine(t, width), "", t.Rule(width))...)
}

// head is what stands above the rows: title, keys, search.
func (m *Model) head(t *paint.Theme, width int) []string {
	lines := []string{t.Rule(width), t.Line(width, paint.Span{Tone: paint.Strong, Text: "   Session Tree"})}
	lines = append(lines, m.help(t, width)...)
	search := paint.Span{Tone: paint.Accent, Text: " " + m.search}
	if m.search == "" {
		search.Text = ""
	}
	return append(lines, t.Line(width, paint.Span{Tone: paint.Muted, Text: "  Type to search:"}, search), t.Rule(width), "")
}

func (m *Model) body(t *paint.Theme, width, height int) []string {
	pane := m.preview.width
	if pane == 0 || m.label != nil {
		return m.list(t, width, height)
	}
	wide := width - pane - 3
	left := m.list(t, wide, height)
	var right []string
	for _, spans := range m.preview.lines {
		if len(right) == height {
			break
		}
		right = append(right, t.Line(pane, spans...))
	}
	for len(left) < height {
		left = append(left, "")
	}
	return t.Beside(left, wide, right)
}

func (m *Model) list(t *paint.Theme, width, height int) []string {
	if len(m.rows) == 0 {
		text := "  No entries found"
		if len(m.words) > 0 && !m.all {
			text = "  Searching…"
		}
		return []string{t.Line(width, paint.Span{Tone: paint.Muted, Text: text})}
	}
	top := m.first()
	end := min(len(m.rows), top+min(height, m.page))
	pan := m.pan(top, end, width-2)
	out := make([]string, 0, end-top)
	for i := top; i < end; i++ {
		out = append(out, m.drawRow(t, width, i, pan))
	}
	return out
}

func (m *Model) labelBox(t *paint.Theme, width int) []string {
	k := m.o.Keys
	return []string{
		t.Line(width, paint.Span{Tone: paint.Strong, Text: "  Label (empty to remove):"}), "",
		m.label.input.View(t, width, "  > "), "",
		t.Line(width, paint.Span{Tone: paint.Dim, Text: "  " + k.Label(keys.SelectConfirm) + " save · " + k.Label(keys.SelectCancel) + " cancel"}),
	}
}

var filterFlags = map[outline.Filter]string{
	outline.NoTools: " [no-tools]", outline.UserOnly: " [user]", outline.LabeledOnly: " [labeled]", outline.All: " [all]",
}

func (m *Model) statusLine(t *paint.Theme, width int) string {
	at := m.at + 1
	if len(m.rows) == 0 {
		at = 0
	}
	text := fmt.Sprintf("  (%d/%d)", at, len(m.rows)) + filterFlags[m.filter]
	if m.labelTimes {
		text += " [+label time]"
	}
	return t.Line(width, paint.Span{Tone: paint.Muted, Text: text + "  "}, paint.Span{Tone: m.status.Tone, Text: m.status.Text})
}
