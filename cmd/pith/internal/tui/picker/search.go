package picker

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// hits are the sessions whose text fits the search that is typed.
type hits struct {
	latest.Work
	byPath  map[string]Hit
	running bool
}

// pause is how long typing must rest before texts are searched.
const pause = 120 * time.Millisecond

type searchDue struct{ turn int }

type found struct {
	turn int
	hits []Hit
	err  error
}

func (h *hits) of(path string) (Hit, bool) {
	hit, ok := h.byPath[path]
	return hit, ok
}

// clear forgets what was found for another search.
func (h *hits) clear() {
	h.Cancel()
	h.byPath, h.running = nil, false
}

// wantSearch searches the texts after a pause. A search of one letter would find
// everything.
func (m *Model) wantSearch() tea.Cmd {
	if m.filter.query.blank || m.filter.query.fault != "" || len([]rune(m.input.Value())) < 2 {
		return nil
	}
	m.hits.running = true
	now := m.hits.Turn()
	return tea.Tick(pause, func(time.Time) tea.Msg { return searchDue{now} })
}

func (m *Model) search(due searchDue) tea.Cmd {
	if due.turn != m.hits.Turn() {
		return nil // typing went on
	}
	ctx, turn := m.hits.Begin()
	scope, text := m.scope, m.input.Value()
	return func() tea.Msg {
		list, err := m.sessions.Search(ctx, scope, text)
		return found{turn, list, err}
	}
}

func (m *Model) takeHits(msg found) tea.Cmd {
	if msg.turn != m.hits.Turn() {
		return nil
	}
	m.hits.running = false
	m.hits.byPath = make(map[string]Hit, len(msg.hits))
	for _, h := range msg.hits {
		if _, known := m.hits.byPath[h.Path]; !known {
			m.hits.byPath[h.Path] = h
		}
	}
	m.refresh()
	if msg.err != nil {
		return m.status.Say(paint.Error, "texts could not be searched: "+msg.err.Error(), 4*time.Second)
	}
	return m.wantPreview()
}
