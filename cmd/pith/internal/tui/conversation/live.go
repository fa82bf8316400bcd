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

// grow adds to the last block.
func (l *live) grow(text string) {
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, liveBlock{})
	}
	l.blocks[len(l.blocks)-1].text += text
}

// changed has what came drawn with the next beat.
func (l *live) changed() tea.Cmd {
	l.dirty = true
	if l.ticks {
		return nil
	}
	l.ticks = true
	return tea.Tick(beat, func(time.Time) tea.Msg { return Beat{} })
}

// pulse lets what came since the last beat be drawn.
func (l *live) pulse() {
	l.ticks = false
	if l.dirty {
		l.drawn = nil
	}
}

// lines are those of the answer that is coming in.
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
