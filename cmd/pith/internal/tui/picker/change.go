package picker

import (
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// toggle adds the session under the cursor to the chosen ones, or removes it,
// and moves to the next.
func (m *Model) toggle() tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	if m.chosen == nil {
		m.chosen = map[string]bool{}
	}
	if m.chosen[it.Key] {
		delete(m.chosen, it.Key)
	} else {
		m.chosen[it.Key] = true
	}
	return m.move(1)
}

// targets returns the sessions to act on: the chosen ones, in the order of the
// list, or else the one under the cursor.
func (m *Model) targets() []*Item {
	var out []*Item
	for i := range m.rows {
		if it := m.rows[i].item; m.chosen[it.Key] {
			out = append(out, it)
		}
	}
	if it := m.Selected(); len(out) == 0 && it != nil {
		out = []*Item{it}
	}
	return out
}

// askDelete asks before sessions are deleted. The open one is protected,
// whatever path leads to it (pitfall 147).
func (m *Model) askDelete() tea.Cmd {
	list := m.targets()
	for _, it := range list {
		if it.Key == m.o.OpenKey {
			return m.status.Say(paint.Error, "cannot delete the open session", 3*time.Second)
		}
	}
	m.confirm = list
	return nil
}

type deleted struct {
	items []*Item
	how   string
	undo  []func() error // of those that can be restored
	err   error
}

// delete runs in the background, because a trash can be slow (pitfall 147).
func (m *Model) delete() tea.Cmd {
	list := m.confirm
	m.confirm = nil
	return func() tea.Msg {
		var out deleted
		for _, it := range list {
			how, undo, err := m.sessions.Delete(it.Path)
			if err != nil {
				out.err = err
				break
			}
			out.items, out.how = append(out.items, it), how
			if undo != nil {
				out.undo = append(out.undo, undo)
			}
		}
		return transient.Then(func() tea.Cmd { return m.afterDelete(out) })
	}
}

func (m *Model) afterDelete(msg deleted) tea.Cmd {
	stays := true
	for _, it := range msg.items {
		for i := range m.lists {
			m.lists[i].drop(it.Key)
		}
		delete(m.chosen, it.Key)
		stays = stays && m.wanted != it.Key
	}
	if stays {
		m.refresh() // another one was chosen meanwhile
	} else {
		m.reorder() // the position stays: the next session is selected
	}
	m.undo = nil
	if len(msg.undo) > 0 {
		m.undo = func() error {
			var failed []error
			for _, undo := range msg.undo {
				failed = append(failed, undo())
			}
			return errors.Join(failed...)
		}
	}
	if msg.err != nil {
		return m.status.Say(paint.Error, "not deleted: "+msg.err.Error(), 3*time.Second)
	}
	how := msg.how
	if len(msg.items) > 1 {
		how = humanize.Count(len(msg.items), "session") + " " + how
	}
	if m.undo != nil {
		it := "it"
		if len(msg.items) > 1 {
			it = "them"
		}
		how += "; " + m.o.Keys.Label(keys.Undo) + " brings " + it + " back"
	}
	return tea.Batch(m.status.Say(paint.Accent, how, 6*time.Second), m.wantPreview())
}

func (m *Model) undoDelete() tea.Cmd {
	undo := m.undo
	if undo == nil {
		return m.status.Say(paint.Muted, "nothing to restore", 2*time.Second)
	}
	m.undo = nil
	return func() tea.Msg {
		err := undo()
		return transient.Then(func() tea.Cmd {
			if err != nil {
				return m.status.Say(paint.Error, "not restored: "+err.Error(), 4*time.Second)
			}
			return tea.Batch(m.status.Say(paint.Accent, "restored", 2*time.Second), m.reload())
		})
	}
}

// reload reads the current scope again and drops the other.
func (m *Model) reload() tea.Cmd {
	for i := range m.lists {
		if Scope(i) != m.scope {
			m.lists[i].Cancel()
			m.lists[i] = list{Work: m.lists[i].Work}
		}
	}
	return m.load(m.scope)
}

// A renaming is the panel for the name of a session, or for the tags of
// sessions.
type renaming struct {
	item  *Item
	tags  bool // the words are tags, for all targets
	input dialog.Input
}

// beginTag asks for tags.
func (m *Model) beginTag() tea.Cmd {
	list := m.targets()
	if len(list) == 0 || m.o.Mark == nil {
		return nil
	}
	text := ""
	if len(list) == 1 {
		text = strings.Join(list[0].Marks.Tags, " ")
	}
	m.rename = &renaming{list[0], true, dialog.NewInput(text)}
	return nil
}

// tag sets the typed tags: a single session has exactly these then. Several
// sessions get them. With a minus before any word, the words are changes: they
// are added, and those with the minus removed.
func (m *Model) tag(text string) tea.Cmd {
	words := strings.Fields(strings.ReplaceAll(text, "#", " "))
	for _, word := range words {
		if err := marks.CheckTag(strings.TrimPrefix(word, "-")); err != nil {
			return m.status.Say(paint.Error, err.Error(), 4*time.Second)
		}
	}
	changes := len(m.targets()) > 1 || slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "-") })
	return m.mark(func(marks, _ *marks.Marks) string {
		if !changes {
			marks.Tags = nil
		}
		for _, word := range words {
			if gone, ok := strings.CutPrefix(word, "-"); ok {
				marks.Tags = slices.DeleteFunc(marks.Tags, func(tag string) bool { return tag == gone })
			} else if !slices.Contains(marks.Tags, word) {
				marks.Tags = append(marks.Tags, word)
			}
		}
		return "tagged"
	})
}

func (m *Model) beginRename() tea.Cmd {
	if it := m.Selected(); it != nil && !m.lists[m.scope].loading {
		m.rename = &renaming{item: it, input: dialog.NewInput(it.Name)}
	}
	return nil
}

func (m *Model) pressRename(p tea.KeyPressMsg) tea.Cmd {
	r := m.rename
	switch {
	case m.o.Keys.Is(p, keys.SelectCancel):
		m.rename = nil
	case m.o.Keys.Is(p, keys.SelectConfirm):
		name := strings.TrimSpace(r.input.Value())
		if r.tags {
			m.rename = nil
			return m.tag(name)
		}
		if name == "" {
			return nil // as in pi: a blank name does nothing
		}
		m.rename = nil
		return func() tea.Msg {
			err := m.sessions.Rename(r.item.Path, name)
			return transient.Then(func() tea.Cmd { return m.afterRename(r.item.Key, name, err) })
		}
	default:
		r.input.Press(p, m.o.Keys)
	}
	return nil
}

func (m *Model) afterRename(key, name string, err error) tea.Cmd {
	if err != nil {
		return m.status.Say(paint.Error, "not renamed: "+err.Error(), 4*time.Second)
	}
	m.change(key, func(it *Item) { it.Name = name })
	m.refresh()
	return m.status.Say(paint.Accent, "renamed", 2*time.Second)
}

// marked describes a change of the marks of sessions.
type marked struct {
	keys  []string
	marks []marks.Marks
	what  string // description of the change
	err   error
}

// pin moves a session before the others, or back.
func pin(marks, of *marks.Marks) string {
	marks.Pinned = !of.Pinned
	if marks.Pinned {
		return "pinned"
	}
	return "unpinned"
}

// archive removes the selected session from the list, or restores it.
func (m *Model) archive() tea.Cmd {
	return m.mark(func(marks, of *marks.Marks) string {
		marks.Archived = !of.Archived
		if marks.Archived {
			return "archived; " + m.o.Keys.Label(keys.ShowArchived) + " shows archived sessions"
		}
		return "unarchived"
	})
}

// mark changes the marks of the targets in the background. change returns a
// description; of are the marks that the first one had, so that a toggle has
// the same effect on all.
func (m *Model) mark(change func(marks, of *marks.Marks) string) tea.Cmd {
	list := m.targets()
	if len(list) == 0 || m.o.Mark == nil {
		return nil
	}
	leader := list[0].Marks
	return func() tea.Msg {
		var out marked
		for _, it := range list {
			now, err := m.o.Mark(it.ID, it.Path, func(marks *marks.Marks) { out.what = change(marks, &leader) })
			if err != nil {
				out.err = err
				break
			}
			out.keys, out.marks = append(out.keys, it.Key), append(out.marks, now)
		}
		return transient.Then(func() tea.Cmd { return m.afterMark(out) })
	}
}

func (m *Model) afterMark(msg marked) tea.Cmd {
	for i, key := range msg.keys {
		m.change(key, func(it *Item) { it.Marks = msg.marks[i] })
	}
	if msg.err != nil {
		return m.status.Say(paint.Error, "not changed: "+msg.err.Error(), 4*time.Second)
	}
	if len(msg.keys) > 1 {
		msg.what = humanize.Count(len(msg.keys), "session") + ": " + msg.what
		m.chosen = nil
	}
	m.moved, m.best, m.wanted = true, false, msg.keys[0]
	gone := msg.marks[0].Archived && !m.filter.archived
	if it := m.Selected(); it != nil && gone {
		m.wanted = it.Key // if it disappears, the position stays: the next session is selected
	}
	m.refresh()
	m.remember()
	return tea.Batch(m.status.Say(paint.Accent, msg.what, 4*time.Second), m.wantPreview())
}

// change replaces the item of a session in every list.
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

// tagText returns tags as they are shown and searched.
func tagText(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return "#" + strings.Join(tags, " #")
}
