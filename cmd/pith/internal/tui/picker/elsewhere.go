package picker

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// elsewhere counts the matches in all projects of a search that matches nothing
// in the current one.
type elsewhere struct {
	transient.Work
	search string // that is or was counted
	count  int    // 0 while counting
}

// wantElsewhere counts the matches in all projects if a finished search has none
// here.
func (m *Model) wantElsewhere() tea.Cmd {
	e, q := &m.elsewhere, &m.filter.query
	if m.scope == All || len(m.rows) > 0 || m.hits.running || !m.lists[Current].loaded || q.fault != "" || q.IsZero() {
		e.Cancel()
		e.search = ""
		return nil
	}
	if e.search == m.input.Value() {
		return nil
	}
	e.search, e.count = m.input.Value(), 0
	f, sessions := m.filter, m.sessions
	return e.Start(func(ctx context.Context) transient.Then {
		n := f.count(ctx, sessions)
		return func() tea.Cmd {
			e.count = n
			return nil
		}
	})
}

// count returns the number of sessions of all projects that pass. It is called
// in the background.
func (f *filter) count(ctx context.Context, sessions Sessions) int {
	all := Model{filter: *f, scope: All}
	all.hits.clear(false)
	all.lists[All].byKey = map[string]int{}
	for b := range sessions.Load(ctx, All) {
		if b.Early {
			continue // they are sent again
		}
		for i := range b.Items {
			all.lists[All].add(&b.Items[i])
		}
	}
	if f.query.searches() {
		s := Search{Scope: All, Query: f.query.inTexts(), Terms: f.query.terms, In: all.candidates()}
		for part := range sessions.Search(ctx, s) {
			for _, h := range part.Hits {
				all.hits.byPath[h.Path] = h
			}
		}
	}
	rows, _ := f.rows(all.lists[All].items, &all.hits)
	return len(rows)
}
