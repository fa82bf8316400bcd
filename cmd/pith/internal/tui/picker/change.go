package picker

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

// askDelete asks before the selected session is deleted. The one that is open
// is protected, whatever path leads to it (pitfall 147).
func (m *Model) askDelete() tea.Cmd {
	it := m.Selected()
	switch {
	case it == nil:
		return nil
	case it.Key == m.o.OpenKey:
		return m.status.Say(paint.Error, "this session is open: it cannot be deleted here", 3*time.Second)
	}
	m.confirm = it
	return nil
}

type deleted struct {
	item *Item
	how  string
	undo func() error
	err  error
}

// delete runs beside the screen: a trash can be slow (pitfall 147).
func (m *Model) delete() tea.Cmd {
	it := m.confirm
	m.confirm = nil
	return func() tea.Msg {
		how, undo, err := m.sessions.Delete(it.Path)
		return deleted{it, how, undo, err}
	}
}

func (m *Model) afterDelete(msg deleted) tea.Cmd {
	if msg.err != nil {
		return m.status.Say(paint.Error, "not deleted: "+msg.err.Error(), 3*time.Second)
	}
	for i := range m.lists {
		m.lists[i].drop(msg.item.Key)
	}
	if m.wanted == msg.item.Key {
		m.reorder() // the place stays: the next session is selected
	} else {
		m.refresh() // another one was chosen meanwhile
	}
	m.undo = msg.undo
	how := msg.how
	if msg.undo != nil {
		how += "; " + m.o.Keys.Label(keys.Undo) + " brings it back"
	}
	return tea.Batch(m.status.Say(paint.Accent, how, 6*time.Second), m.wantPreview())
}

type restored struct{ err error }

func (m *Model) undoDelete() tea.Cmd {
	undo := m.undo
	if undo == nil {
		return m.status.Say(paint.Muted, "nothing to bring back", 2*time.Second)
	}
	m.undo = nil
	return func() tea.Msg { return restored{undo()} }
}

func (m *Model) afterRestore(msg restored) tea.Cmd {
	if msg.err != nil {
		return m.status.Say(paint.Error, "not restored: "+msg.err.Error(), 4*time.Second)
	}
	return tea.Batch(m.status.Say(paint.Accent, "restored", 2*time.Second), m.reload())
}

// reload reads the present scope anew and forgets the other.
func (m *Model) reload() tea.Cmd {
	for i := range m.lists {
		if Scope(i) != m.scope {
			m.lists[i].Cancel()
			m.lists[i] = list{Work: m.lists[i].Work}
		}
	}
	return m.load(m.scope)
}

// A renaming is the panel in which a session gets a name.
type renaming struct {
	item  *Item
	input dialog.Input
}

func (m *Model) beginRename() tea.Cmd {
	if it := m.Selected(); it != nil && !m.lists[m.scope].loading {
		m.rename = &renaming{it, dialog.NewInput(it.Name)}
	}
	return nil
}

type renamed struct {
	key, name string
	err       error
}

func (m *Model) pressRename(p tea.KeyPressMsg) tea.Cmd {
	r := m.rename
	switch {
	case m.o.Keys.Is(p, keys.SelectCancel):
		m.rename = nil
	case m.o.Keys.Is(p, keys.SelectConfirm):
		name := strings.TrimSpace(r.input.Value())
		if name == "" {
			return nil // as in pi: a blank name does nothing
		}
		m.rename = nil
		return func() tea.Msg {
			return renamed{r.item.Key, name, m.sessions.Rename(context.Background(), r.item.Path, name)}
		}
	default:
		r.input.Press(p, m.o.Keys)
	}
	return nil
}

func (m *Model) afterRename(msg renamed) tea.Cmd {
	if msg.err != nil {
		return m.status.Say(paint.Error, "not renamed: "+msg.err.Error(), 4*time.Second)
	}
	m.change(msg.key, func(it *Item) { it.Name = msg.name })
	m.refresh()
	return m.status.Say(paint.Accent, "renamed", 2*time.Second)
}

// marked tells that marks of a session were changed.
type marked struct {
	key   string
	marks marks.Marks
	what  string // was done, to be told
	err   error
}

// pin puts the selected session before the others, or back among them.
func (m *Model) pin() tea.Cmd {
	return m.mark(func(marks *marks.Marks) string {
		marks.Pinned = !marks.Pinned
		if marks.Pinned {
			return "pinned: it comes first"
		}
		return "no longer pinned"
	})
}

// archive takes the selected session out of the list, or brings it back.
func (m *Model) archive() tea.Cmd {
	return m.mark(func(marks *marks.Marks) string {
		marks.Archived = !marks.Archived
		if marks.Archived {
			return "archived; " + m.o.Keys.Label(keys.ShowArchived) + " shows archived sessions"
		}
		return "no longer archived"
	})
}

// mark changes the marks of the selected session beside the screen. change says
// what it did.
func (m *Model) mark(change func(*marks.Marks) string) tea.Cmd {
	it := m.Selected()
	if it == nil || m.o.Mark == nil {
		return nil
	}
	key, id, path := it.Key, it.ID, it.Path
	return func() tea.Msg {
		what := ""
		marks, err := m.o.Mark(id, path, func(marks *marks.Marks) { what = change(marks) })
		return marked{key, marks, what, err}
	}
}

func (m *Model) afterMark(msg marked) tea.Cmd {
	if msg.err != nil {
		return m.status.Say(paint.Error, "not marked: "+msg.err.Error(), 4*time.Second)
	}
	m.change(msg.key, func(it *Item) { it.Marks = msg.marks })
	if msg.marks.Archived && !m.filter.archived {
		m.reorder() // the place stays: the next session is selected
	} else {
		m.moved, m.wanted = true, msg.key
		m.refresh()
	}
	return tea.Batch(m.status.Say(paint.Accent, msg.what, 4*time.Second), m.wantPreview())
}

// change puts another item in the place of a session, in every list.
func (m *Model) change(key string, change func(*Item)) {
	for i := range m.lists {
		l := &m.lists[i]
		if k, known := l.byKey[key]; known {
			changed := *l.items[k]
			change(&changed)
			changed.prepare()
			l.items[k] = &changed
		}
	}
}

// tagText is how tags are shown, and found.
func tagText(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "#" + strings.Join(tags, " #")
}
