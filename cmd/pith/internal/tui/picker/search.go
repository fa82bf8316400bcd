package picker

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// hits are the entries of sessions that match the current search.
type hits struct {
	transient.Work
	byPath   map[string][]Hit
	searched map[string]bool // sessions that were searched
	missed   map[string]bool // sessions that a wider search did not match either
	running  bool            // in the sessions of the scope
	percent  int             // of the sessions that are searched
}

type searchDue struct{ turn int }

type found struct {
	turn int
	in   []search.Candidate // part covers the first of them
	part Findings
	open bool
	more tea.Cmd
}

func (h *hits) of(path string) []Hit { return h.byPath[path] }

// add adds hits. Those of one search come first, as they are better ordered.
func (h *hits) add(list []Hit) {
	for _, hit := range list {
		if known := h.byPath[hit.Path]; !slices.ContainsFunc(known, func(k Hit) bool { return k.EntryID == hit.EntryID }) {
			h.byPath[hit.Path] = append(known, hit)
		}
	}
}

// clear discards the results of another search. Sessions that a wider search
// did not match are not matched by a narrower one.
func (h *hits) clear(narrower bool) {
	h.Cancel()
	missed := make(map[string]bool)
	if narrower {
		missed = h.missed
		for path := range h.searched {
			if len(h.byPath[path]) == 0 {
				missed[path] = true
			}
		}
	}
	*h = hits{Work: h.Work, byPath: map[string][]Hit{}, searched: map[string]bool{}, missed: missed}
}

// again forgets which sessions were searched. What was found stays until the same
// search finds it again.
func (h *hits) again() {
	h.Cancel()
	*h = hits{Work: h.Work, byPath: h.byPath, searched: map[string]bool{}, missed: map[string]bool{}}
}

// A finder searches the texts of the sessions of a picker.
type finder struct{ *Model }

// wantSearch searches the texts after a pause.
func (m finder) wantSearch() tea.Cmd {
	if !m.filter.query.searches() {
		return nil
	}
	if _, in := m.candidates(); len(in) == 0 && m.lists[m.scope].loaded {
		return nil
	}
	m.hits.running = true
	due := searchDue{m.hits.Turn()}
	if m.o.Pause < 0 {
		return func() tea.Msg { return due }
	}
	return tea.Tick(cmp.Or(m.o.Pause, 30*time.Millisecond), func(time.Time) tea.Msg { return due })
}

// candidates returns the sessions that were not searched yet: those of the scope, and
// then those of the other one, which are only counted.
func (m finder) candidates() (scope Scope, in []search.Candidate) {
	for i := range scopeCount {
		scope = (m.scope + i) % scopeCount
		for _, it := range m.lists[scope].items {
			if !m.hits.searched[it.Path] && !m.hits.missed[it.Path] && m.filter.query.passes(it) {
				known := m.filter.query.known(it)
				if known == 1<<len(m.filter.query.tokens)-1 {
					known = 0 // the name matches; the text may match too
				}
				in = append(in, search.Candidate{Path: it.Path, Known: known})
			}
		}
		if len(in) > 0 {
			return scope, in
		}
	}
	return scope, nil
}

func (m finder) search(due searchDue) tea.Cmd {
	if due.turn != m.hits.Turn() {
		return nil // typing continued
	}
	ctx, turn := m.hits.Begin()
	scope, in := m.candidates()
	m.hits.running = scope == m.scope
	p := ops.SeekParams{Query: m.filter.query.inTexts(), Terms: m.filter.query.terms, In: in}
	sessions := m.sessions
	return func() tea.Msg {
		parts := sessions.Search(ctx, scope, p)
		var next tea.Cmd
		next = func() tea.Msg {
			part, open := <-parts
			return found{turn, in, part, open, next}
		}
		return next()
	}
}

func (m finder) takeHits(msg found) tea.Cmd {
	if msg.turn != m.hits.Turn() {
		return nil
	}
	if !msg.open {
		for _, c := range msg.in {
			m.hits.searched[c.Path] = true
		}
		m.hits.running = false
		m.refresh()
		if _, in := m.candidates(); !m.lists[m.scope].loading && len(in) > 0 {
			return tea.Batch(m.wantSearch(), m.wantPreview()) // they were listed meanwhile, or are in other projects
		}
		return m.wantPreview()
	}
	m.hits.percent = 100 * msg.part.Done / max(1, len(msg.in))
	for _, c := range msg.in[:msg.part.Done] {
		m.hits.searched[c.Path] = true
	}
	m.hits.add(msg.part.Hits)
	if len(msg.part.Hits) > 0 {
		m.refresh()
	}
	if msg.part.Err != nil {
		m.hits.running = false
		return transient.Say(paint.Error, "search failed: "+msg.part.Err.Error())
	}
	return tea.Batch(msg.more, m.wantPreview())
}
