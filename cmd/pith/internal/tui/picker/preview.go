package picker

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A preview is the last exchange of the selected session, beside the list.
type preview struct {
	latest.Work
	path  string
	width int // of the pane; 0 when there is no room for one
	cache map[string][][]paint.Span
	order []string // of the cache, oldest first
}

// mostPreviews is how many previews are kept.
const mostPreviews = 64

type previewed struct {
	turn  int
	path  string
	lines [][]paint.Span
	err   error
}

// wantPreview loads the preview of the selected session, unless it is known or
// there is no room for it.
func (m *Model) wantPreview() tea.Cmd {
	p := &m.preview
	it := m.Selected()
	if it == nil || p.width == 0 {
		return nil
	}
	if _, known := p.cache[it.Path]; known || p.path == it.Path && p.Running() {
		return nil
	}
	ctx, turn := p.Begin()
	p.path = it.Path
	path, width := it.Path, p.width
	return func() tea.Msg {
		lines, err := m.sessions.Preview(ctx, path, width)
		return previewed{turn, path, lines, err}
	}
}

func (p *preview) take(msg previewed) {
	if msg.turn != p.Turn() {
		return
	}
	p.Cancel()
	if msg.err != nil {
		msg.lines = [][]paint.Span{{{Tone: paint.Error, Text: msg.err.Error()}}}
	}
	if p.cache == nil {
		p.cache = make(map[string][][]paint.Span)
	}
	if len(p.order) >= mostPreviews {
		delete(p.cache, p.order[0])
		p.order = p.order[1:]
	}
	p.cache[msg.path] = msg.lines
	p.order = append(p.order, msg.path)
}

// resize forgets what was made for another width.
func (p *preview) resize(width int) {
	if p.width == width {
		return
	}
	p.width = width
	p.Cancel()
	p.path, p.cache, p.order = "", nil, nil
}
