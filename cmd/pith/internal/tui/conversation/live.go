package conversation

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
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
	atLeaf bool // the path ends at the current entry
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

func (l *live) lines(r *blocks.Renderer) []string {
	if l.drawn != nil {
		return l.drawn
	}
	l.dirty, l.drawn = false, []string{}
	for i := range l.blocks {
		b := &l.blocks[i]
		l.drawn = append(l.drawn, "")
		switch b.kind {
		case LiveTool:
			l.drawn = append(l.drawn, r.Theme.Line(r.Width, paint.Span{Tone: paint.Warning, Text: "… "},
				paint.Span{Tone: paint.Code, Text: b.name}, paint.Span{Tone: paint.Dim, Text: " " + b.text}))
		default:
			l.drawn = append(l.drawn, r.Streamed(b.text, b.kind == LiveThinking)...)
		}
	}
	switch {
	case l.status != "":
		l.drawn = append(l.drawn, "", r.Theme.Line(r.Width, paint.Span{Tone: paint.Accent, Text: "● " + l.status}))
	case len(l.blocks) == 0 && l.atLeaf:
		l.drawn = append(l.drawn, "", r.Theme.Line(r.Width, paint.Span{Tone: paint.Accent, Text: "◆ current"}))
	}
	return l.drawn
}
