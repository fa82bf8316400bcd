package conversation

import (
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// margin is the space left of all blocks, which shows the cursor.
const margin = 3

func textWidth(window int) int { return max(1, min(window-margin-1, blocks.Widest)) }

// Lines draws the conversation.
func (m *Model) Lines(t *paint.Theme, width, height int) []string {
	if m.document.setTheme(t) {
		m.live.drawn = nil
	}
	m.resize(width, height)
	room := m.room()
	if m.document.size == 0 {
		line := t.Line(width, paint.Span{Tone: paint.Dim, Text: "   no messages yet"})
		return append([]string{line}, m.live.lines(&m.document.renderer)...)
	}
	at := m.place()
	cursor, _ := m.current()
	var out []string
	for it, skip := at.item, at.line; len(out) < room; {
		lead := m.document.lead(it)
		for i, line := range m.document.lines(it)[min(skip, m.document.height(it)):] {
			if len(out) == room {
				break
			}
			line = t.Mark(line, m.find.terms, m.find.currentOn(spot{it, i + skip - lead}))
			out = append(out, m.withMargin(line, it == cursor && (i+skip == lead || len(out) == 0 && i+skip > lead)))
		}
		after, ok := m.document.next(it)
		if !ok {
			for _, line := range m.live.lines(&m.document.renderer) {
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

// withMargin indents a line, with a sign for the selected block.
func (m *Model) withMargin(line string, chosen bool) string {
	if m.width <= margin {
		return ""
	}
	theme := m.document.renderer.Theme
	line = paint.Cut(line, m.width-margin) // in a very narrow window
	switch {
	case chosen:
		return theme.Line(margin, paint.Span{Tone: paint.Accent, Text: " › "}) + line
	case line == "":
		return ""
	}
	return "   " + line
}

// Position describes what is selected: the turn and its time, and how many entries were
// added below since the end was left.
func (m *Model) Position() (place, below string) {
	at, ok := m.current()
	if !ok {
		return "", ""
	}
	place = fmt.Sprintf("turn %d of %d", at.part+1, m.document.size)
	if x := m.document.part(at.part).exchange; x != nil {
		if !x.Time.IsZero() {
			place += " · " + x.Time.Local().Format("Jan 2, 15:04")
		}
		place += " · " + humanize.Count(x.Entries, "entry")
	}
	if m.fresh > 0 {
		below = fmt.Sprintf("%s below: G", humanize.Count(m.fresh, "new entry"))
	}
	return place, below
}

// Block returns the selected block; nil if it is not read.
func (m *Model) Block() *blocks.Block {
	at, ok := m.current()
	if !ok {
		return nil
	}
	return m.document.block(at)
}

// Unread reports whether the selected block is still being read.
func (m *Model) Unread() bool {
	at, ok := m.current()
	return ok && m.document.unread(at.part)
}

// Prompt returns the entry of the prompt of the selected turn, or "".
func (m *Model) Prompt() string {
	at, _ := m.current()
	for _, b := range m.document.part(at.part).blocks {
		if b.Kind == blocks.Prompt {
			return b.Entry()
		}
	}
	return ""
}

// IsOpen reports whether the selected block is unfolded.
func (m *Model) IsOpen() bool {
	at, ok := m.current()
	return ok && m.document.isOpen(at)
}

// EndsSearch reports whether there is a search to end.
func (m *Model) EndsSearch() bool { return m.find.typing || m.find.text != "" && !m.find.given }

// Matches reports whether a search is shown.
func (m *Model) Matches() bool { return m.find.text != "" }
