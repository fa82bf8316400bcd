package picker

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

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
	if msg.marks.Archived && !m.archived {
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

// pinnedFirst puts the rows of pinned sessions before the others, which keep
// their order.
func pinnedFirst(rows []row) {
	slices.SortStableFunc(rows, func(a, b row) int { return rank(a.item.Marks.Pinned) - rank(b.item.Marks.Pinned) })
}

func rank(pinned bool) int {
	if pinned {
		return 0
	}
	return 1
}

// tagText is how tags are shown, and found.
func tagText(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "#" + strings.Join(tags, " #")
}
