package picker

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// An Item is one session of the list.
type Item struct {
	catalog.Info
	// Key is the file with symbolic links resolved, which identifies a session.
	// ParentKey is the same for the parent, or "" if there is none.
	Key, ParentKey string
	// Marks are the marks of the session.
	Marks marks.Marks

	name, id, cwd, first, tags string // in lower case, for searching

	early bool // not known to be in the list that is being read
}

// prepare fills the fields for searching. It runs once for each session.
func (it *Item) prepare() {
	it.name = strings.ToLower(it.Name)
	it.id = strings.ToLower(it.ID)
	it.cwd = strings.ToLower(it.Cwd)
	it.first = strings.ToLower(it.FirstMessage)
	it.tags = strings.ToLower(tagText(it.Marks.Tags))
	it.Key = cmp.Or(it.Key, it.Path)
	it.ParentKey = cmp.Or(it.ParentKey, it.ParentSession)
}

// title returns the text of the row: the name, or else the first message.
func (it *Item) title() string {
	return cmp.Or(strings.TrimSpace(it.Name), strings.TrimSpace(it.FirstMessage))
}

func (it *Item) named() bool { return strings.TrimSpace(it.Name) != "" }

// A shelf contains the sessions of one scope, as far as they are loaded.
type shelf struct {
	transient.Work
	items       []*Item
	byKey       map[string]int
	loading     bool
	loaded      bool
	demo        bool            // the sessions are the demo's
	dropped     map[string]bool // keys of the sessions that were deleted while it was loading
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

// load reads a scope from the start. The sessions of an earlier list stay until it is
// read.
func (m *Model) load(scope Scope) tea.Cmd {
	l := &m.lists[scope]
	ctx, turn := l.Begin()
	l.loading, l.done, l.total, l.dropped = true, 0, 0, nil
	for _, it := range l.items {
		it.early = true
	}
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
		return nil // of an abandoned load
	}
	if msg.batch.Early {
		return tea.Batch(msg.more, m.takeEarly(msg))
	}
	if msg.batch.Err != nil {
		l.loading, l.loaded = false, true
		m.refresh()
		return transient.Say(paint.Error, "cannot load sessions: "+msg.batch.Err.Error())
	}
	var warning tea.Cmd
	if msg.batch.Unmarked != nil {
		warning = transient.Say(paint.Warning, "cannot read pins and tags: "+msg.batch.Unmarked.Error())
	}
	if !msg.open {
		l.loading, l.loaded = false, true
		l.dropEarly()
		if msg.scope == Current && m.guessed && m.scope == All && len(l.items) > 0 && !m.moved && !m.Querying() {
			m.guessed = false
			return m.toggleScope() // the project has some after all
		}
		m.refresh()
		if msg.scope == Current && m.scope == Current && len(l.items) == 0 && !m.moved {
			return m.toggleScope() // other projects may have some
		}
		var all tea.Cmd
		if other := (msg.scope + 1) % scopeCount; !m.lists[other].loaded && !m.lists[other].loading {
			all = m.load(other) // for the number of its sessions
		}
		if !m.hits.running {
			all = tea.Batch(all, finder{m}.wantSearch()) // also in the sessions that arrived meanwhile
		}
		return tea.Batch(all, m.wantPreview())
	}
	l.done, l.total, l.demo = msg.batch.Done, msg.batch.Total, msg.batch.Demo
	for i := range msg.batch.Items {
		l.add(&msg.batch.Items[i])
	}
	if msg.scope == m.scope {
		m.refresh()
	}
	return tea.Batch(msg.more, warning, m.wantPreview())
}

// takeEarly adds the sessions that are shown until the list is read. A list that
// is read again stays as it is.
func (m *Model) takeEarly(msg loaded) tea.Cmd {
	l := &m.lists[msg.scope]
	if l.loaded {
		return nil
	}
	if len(msg.batch.Items) == 0 && m.scope == Current && !m.moved && !m.Querying() {
		m.guessed = true
		return m.toggleScope()
	}
	for i := range msg.batch.Items {
		msg.batch.Items[i].early = true
		l.add(&msg.batch.Items[i])
	}
	if msg.scope == m.scope {
		m.refresh()
	}
	return m.wantPreview()
}

// dropEarly removes the sessions that turned out not to be in the list.
func (l *shelf) dropEarly() {
	gone := func(it *Item) bool { return it.early }
	if !slices.ContainsFunc(l.items, gone) {
		return
	}
	l.items = slices.DeleteFunc(slices.Clone(l.items), gone)
	clear(l.byKey)
	for i, it := range l.items {
		l.byKey[it.Key] = i
	}
}

// add adds a session, or replaces what is known of it. Marks that were changed while the
// list is read stay.
func (l *shelf) add(it *Item) {
	it.prepare()
	if l.dropped[it.Key] {
		return
	}
	if i, known := l.byKey[it.Key]; known {
		if !l.items[i].early {
			it.Marks = l.items[i].Marks
			it.prepare()
		}
		l.items[i] = it
		return
	}
	l.byKey[it.Key] = len(l.items)
	l.items = append(l.items, it)
}

func (l *shelf) drop(key string) {
	if l.loading {
		if l.dropped == nil {
			l.dropped = map[string]bool{}
		}
		l.dropped[key] = true
	}
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

// refresh sorts and filters the list again. Once the user has selected a
// session, the selection stays on it, even while a list is loading; before that,
// and after typing at the first row, it is the first.
func (m *Model) refresh() {
	m.arrange()
	if !m.moved {
		m.list.At = 0
		for m.list.At+1 < len(m.rows) && m.rows[m.list.At].item.Marks.Pinned {
			m.list.At++ // the newest session is selected
		}
		if m.list.At < len(m.rows) && m.rows[m.list.At].item.Marks.Pinned {
			m.list.At = 0
		}
		return
	}
	if m.best {
		m.list.At = 0
		m.remember()
		return
	}
	if i := slices.IndexFunc(m.rows, func(r row) bool { return r.item.Key == m.wanted }); i >= 0 {
		m.list.At = i
	}
}

// reorder arranges the list again; the position in it stays, as in pi.
func (m *Model) reorder() {
	m.arrange()
	m.remember()
}

// arrange filters and sorts the list of the current scope, and counts the other one.
func (m *Model) arrange() {
	now := m.o.Now()
	m.rows, m.hidden = m.filter.rows(m.lists[m.scope].items, &m.hits, now)
	m.list.Len = len(m.rows)
	m.list.Select(m.list.At)
	other := m.lists[(m.scope+1)%scopeCount].items
	m.other = len(other)
	if !m.filter.all() {
		rows, _ := m.filter.rows(other, &m.hits, now)
		m.other = len(rows)
	}
}
