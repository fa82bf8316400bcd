package picker

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A list is the sessions of one scope, as far as they are loaded.
type list struct {
	latest.Work
	items       []*Item
	byKey       map[string]int
	loading     bool
	loaded      bool
	done, total int
}

// loaded is one batch. more waits for the next one.
type loaded struct {
	scope Scope
	turn  int
	batch Batch
	open  bool
	more  tea.Cmd
}

// load reads a scope from the beginning. What is shown stays until the first
// batch is there.
func (m *Model) load(scope Scope) tea.Cmd {
	l := &m.lists[scope]
	ctx, turn := l.Begin()
	l.loading, l.done, l.total = true, 0, 0
	channel := m.sessions.Load(ctx, scope)
	var next tea.Cmd
	next = func() tea.Msg {
		b, open := <-channel
		return loaded{scope, turn, b, open, next}
	}
	if !l.loaded {
		l.items, l.byKey = nil, map[string]int{}
	}
	return next
}

// take adds a batch to its list.
func (m *Model) take(msg loaded) tea.Cmd {
	l := &m.lists[msg.scope]
	if msg.turn != l.Turn() {
		return nil // of a load that was given up
	}
	if l.done == 0 && l.loaded {
		l.items, l.byKey, l.loaded = nil, map[string]int{}, false
	}
	if msg.batch.Err != nil {
		l.loading, l.loaded = false, true
		m.refresh()
		return m.status.Say(paint.Error, "the list could not be loaded: "+msg.batch.Err.Error(), 4*time.Second)
	}
	var warning tea.Cmd
	if msg.batch.Unmarked != nil {
		warning = m.status.Say(paint.Warning, "pins, archive and tags are not known: "+msg.batch.Unmarked.Error(), 6*time.Second)
	}
	if !msg.open {
		l.loading, l.loaded = false, true
		m.refresh()
		return m.wantPreview()
	}
	l.done, l.total = msg.batch.Done, msg.batch.Total
	for i := range msg.batch.Items {
		l.add(&msg.batch.Items[i])
	}
	if msg.scope == m.scope {
		m.refresh()
	}
	return tea.Batch(msg.more, warning, m.wantPreview())
}

func (l *list) add(it *Item) {
	it.prepare()
	if i, known := l.byKey[it.Key]; known {
		l.items[i] = it
		return
	}
	l.byKey[it.Key] = len(l.items)
	l.items = append(l.items, it)
}

// drop takes a session out of the list.
func (l *list) drop(key string) {
	i, known := l.byKey[key]
	if !known {
		return
	}
	l.items = slices.Delete(slices.Clone(l.items), i, i+1)
	delete(l.byKey, key)
	for k := i; k < len(l.items); k++ {
		l.byKey[l.items[k].Key] = k
	}
}

// refresh orders and filters the list anew. The selection stays on its session
// once the user has chosen one, also while a list comes in piece by piece;
// before that it is the first.
func (m *Model) refresh() {
	m.rows = m.arrange()
	if !m.moved {
		m.at = 0
		return
	}
	m.at = max(0, min(m.at, len(m.rows)-1))
	for i := range m.rows {
		if m.rows[i].item.Key == m.wanted {
			m.at = i
			break
		}
	}
}

// arrange is the rows of the list as it is filtered and sorted.
func (m *Model) arrange() []row {
	items := make([]*Item, 0, len(m.lists[m.scope].items))
	m.hidden = 0
	for _, it := range m.lists[m.scope].items {
		switch {
		case m.named && !it.named(), m.noForks && it.ParentKey != "":
		case it.Marks.Archived && !m.archived:
			_, inBody := m.hits.of(it.Path)
			if _, fits := m.query.match(it, inBody); fits {
				m.hidden++
			}
		default:
			items = append(items, it)
		}
	}
	if m.sort == threaded && m.query.blank {
		return thread(items)
	}
	rows := make([]row, 0, len(items))
	for _, it := range items {
		_, inBody := m.hits.of(it.Path)
		if score, ok := m.query.match(it, inBody); ok {
			rows = append(rows, row{item: it, score: score})
		}
	}
	byTime := func(a, b row) int { return b.item.Modified.Compare(a.item.Modified) }
	slices.SortStableFunc(rows, func(a, b row) int {
		if m.query.blank || m.sort == recent {
			return byTime(a, b)
		}
		return cmp.Or(cmp.Compare(a.score, b.score), byTime(a, b))
	})
	if m.query.blank || m.sort == recent {
		pinnedFirst(rows)
	}
	return rows
}
