package conversation

import "github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"

// View draws the screen.
func (m *Model) View(t *paint.Theme, width, height int) string {
	m.setTheme(t)
	m.resize(width, height)
	lines := m.lines()
	if m.find.shown() {
		lines = append(paint.Fill(lines, height-1)[:max(0, height-1)], m.find.view(t, width))
	}
	return paint.Block(height, lines...)
}

func (m *Model) lines() []string {
	room := m.room()
	if m.document.size == 0 {
		return append([]string{m.document.renderer.line(paint.Dim, "no messages yet"), ""}, m.liveLines()...)
	}
	at := m.place()
	cursor, _ := m.current()
	words := m.find.words()
	var out []string
	for it, skip := at.item, at.line; len(out) < room; {
		for i, line := range m.document.lines(it)[min(skip, m.document.height(it)):] {
			if len(out) == room {
				break
			}
			line = m.document.renderer.theme.Mark(line, words, m.find.currentOn(spot{it, i + skip}))
			first := i+skip == 0
			out = append(out, m.withMargin(line, first && m.chosen && it == cursor))
		}
		after, ok := m.document.next(it)
		if !ok {
			for _, line := range m.liveLines() {
				if len(out) < room {
					out = append(out, m.withMargin(line, false))
				}
			}
			break
		}
		it, skip = after, 0
	}
	return out
}

// withMargin indents a line, with a sign for the selected item.
func (m *Model) withMargin(line string, chosen bool) string {
	if m.width <= margin {
		return ""
	}
	theme := m.document.renderer.theme
	line = paint.Cut(line, m.width-margin) // in a very narrow window
	sign := "  "
	switch {
	case chosen:
		sign = "› "
	case line == "":
		return ""
	default:
		return sign + line
	}
	return theme.Line(margin, paint.Span{Tone: paint.Accent, Text: sign}) + line
}
