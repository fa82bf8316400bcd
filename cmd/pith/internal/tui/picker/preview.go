package picker

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A preview is what is shown next to the list: the facts of the selected session, or the
// place that a search found in it.
type preview struct {
	transient.Work
	key   string // of the preview being loaded
	width int    // of the pane; 0 if there is no room for one
	cache map[string][]string
	theme *paint.Theme
	order []string // of the cache, oldest first
}

// mostPreviews is the maximum number of cached previews.
const mostPreviews = 64

// wantPreview loads the preview of the selected session, unless it is known or
// there is no room for it.
func (m *Model) wantPreview() tea.Cmd {
	p := &m.preview
	it := m.Selected()
	if it == nil || p.width == 0 {
		return nil
	}
	if now := m.o.Theme(); now != p.theme {
		p.drop()
		p.theme = now
	}
	at := m.spot(it)
	key := at.key(m.input.Value())
	if _, known := p.cache[key]; known || p.key == key && p.Running() {
		return nil
	}
	p.key = key
	with := blocks.Renderer{Theme: p.theme, Width: p.width, Home: m.o.Home, Cwd: it.Cwd, Agent: facts.AgentOf(it.Root)}
	return p.Start(func(ctx context.Context) transient.Then {
		lines, err := m.sessions.Preview(ctx, at, with)
		if err != nil {
			lines = []string{with.Theme.Line(with.Width, paint.Span{Tone: paint.Error, Text: err.Error()})}
		}
		return func() tea.Cmd {
			p.put(key, lines)
			return nil
		}
	})
}

// spot returns the part of a session to show.
func (m *Model) spot(it *Item) Spot {
	if h := m.hits.of(it.Path); len(h) > 0 {
		return Spot{it, h[0].EntryID, m.filter.query.terms}
	}
	return Spot{Item: it}
}

// key identifies the preview of a spot of a session, as the session is now.
func (s Spot) key(search string) string {
	state := fmt.Sprintf("%s\x00%d\x00%d", s.Item.Path, s.Item.Size, s.Item.FileTime.UnixNano())
	if s.EntryID != "" {
		return state + "\x00" + s.EntryID + "\x00" + search
	}
	return state
}

func (p *preview) put(key string, lines []string) {
	p.Cancel()
	if p.cache == nil {
		p.cache = make(map[string][]string)
	}
	if len(p.order) >= mostPreviews {
		delete(p.cache, p.order[0])
		p.order = p.order[1:]
	}
	p.cache[key] = lines
	p.order = append(p.order, key)
}

// resize drops the previews of another width.
func (p *preview) resize(width int) {
	if p.width == width {
		return
	}
	p.width = width
	p.drop()
}

// drop forgets all previews.
func (p *preview) drop() {
	p.Cancel()
	p.key, p.cache, p.order = "", nil, nil
}
