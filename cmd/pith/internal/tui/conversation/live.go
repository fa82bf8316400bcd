package conversation

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// live is the answer that is coming in: shown behind the last item until it is
// in the session.
type live struct {
	blocks []liveBlock
	drawn  []string
	dirty  bool
	ticks  bool // a drawing is due
	status string
}

type liveBlock struct {
	kind BlockKind
	text string
	name string // of a tool
}

// A BlockKind says what of an answer is coming in.
type BlockKind uint8

// The kinds of blocks.
const (
	LiveText BlockKind = iota
	LiveThinking
	LiveTool
)

// beat is how often a growing answer is drawn anew at most.
const beat = 50 * time.Millisecond

// Beat is the message by which a growing answer is drawn anew.
type Beat struct{}

// Begin starts a new block of the answer that is coming in.
func (m *Model) Begin(kind BlockKind, name string) tea.Cmd {
	m.live.blocks = append(m.live.blocks, liveBlock{kind: kind, name: name})
	return m.changed()
}

// Grow adds to the last block.
func (m *Model) Grow(text string) tea.Cmd {
	if len(m.live.blocks) == 0 {
		m.live.blocks = append(m.live.blocks, liveBlock{})
	}
	m.live.blocks[len(m.live.blocks)-1].text += text
	return m.changed()
}

// Waiting shows what is being waited for; "" shows nothing.
func (m *Model) Waiting(status string) tea.Cmd {
	m.live.status = status
	return m.changed()
}

// EndLive takes the answer away: it is in the session now, or void.
func (m *Model) EndLive() {
	m.live.blocks, m.live.drawn, m.live.dirty = nil, nil, true
}

func (m *Model) changed() tea.Cmd {
	m.live.dirty = true
	if m.live.ticks {
		return nil
	}
	m.live.ticks = true
	return tea.Tick(beat, func(time.Time) tea.Msg { return Beat{} })
}

// pulse lets what came since the last beat be drawn.
func (m *Model) pulse() {
	m.live.ticks = false
	if m.live.dirty {
		m.live.drawn = nil
	}
}

// liveLines are the lines of the answer that is coming in.
func (m *Model) liveLines() []string {
	l := &m.live
	if len(l.blocks) == 0 && l.status == "" {
		return nil
	}
	if l.drawn != nil {
		return l.drawn
	}
	l.dirty = false
	for i := range l.blocks {
		b := &l.blocks[i]
		switch b.kind {
		case LiveThinking:
			l.drawn = append(l.drawn, m.wrapped(paint.Muted, b.text)...)
		case LiveTool:
			l.drawn = append(l.drawn, m.theme.Line(m.textWidth(), paint.Span{Tone: paint.Warning, Text: "… "},
				paint.Span{Tone: paint.Code, Text: b.name}, paint.Span{Tone: paint.Muted, Text: " " + firstLine(b.text)}))
		default:
			l.drawn = append(l.drawn, marked(m.theme, b.text, m.textWidth())...)
		}
		l.drawn = append(l.drawn, "")
	}
	if l.status != "" {
		l.drawn = append(l.drawn, m.line(paint.Accent, "· "+l.status))
	}
	return l.drawn
}
