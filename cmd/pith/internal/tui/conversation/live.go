package conversation

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// live is the incoming response, shown after the last item until it is in the
// session.
type live struct {
	blocks []liveBlock
	drawn  []string
	dirty  bool
	ticks  bool // a redraw is scheduled
	status string
}

type liveBlock struct {
	kind BlockKind
	text string
	name string // of a tool
}

// A BlockKind is the kind of an incoming block.
type BlockKind uint8

// The kinds of blocks.
const (
	LiveText BlockKind = iota
	LiveThinking
	LiveTool
)

// beat is the minimum interval between redraws of an incoming response.
const beat = 50 * time.Millisecond

// Beat is the message that redraws an incoming response.
type Beat struct{}

// grow appends to the last block.
func (l *live) grow(text string) {
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, liveBlock{})
	}
	l.blocks[len(l.blocks)-1].text += text
}

// changed schedules a redraw with the next beat.
func (l *live) changed() tea.Cmd {
	l.dirty = true
	if l.ticks {
		return nil
	}
	l.ticks = true
	return tea.Tick(beat, func(time.Time) tea.Msg { return Beat{} })
}

// pulse allows a redraw of what arrived since the last beat.
func (l *live) pulse() {
	l.ticks = false
	if l.dirty {
		l.drawn = nil
	}
}

func (l *live) lines(r *renderer) []string {
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
			l.drawn = append(l.drawn, r.wrapped(paint.Muted, b.text)...)
		case LiveTool:
			l.drawn = append(l.drawn, r.theme.Line(r.width, paint.Span{Tone: paint.Warning, Text: "… "},
				paint.Span{Tone: paint.Code, Text: b.name}, paint.Span{Tone: paint.Muted, Text: " " + firstLine(b.text)}))
		default:
			l.drawn = append(l.drawn, r.marked(b.text)...)
		}
		l.drawn = append(l.drawn, "")
	}
	if l.status != "" {
		l.drawn = append(l.drawn, r.line(paint.Accent, "· "+l.status))
	}
	return l.drawn
}
