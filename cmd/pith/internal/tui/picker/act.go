package picker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// acts are what is done with the selected sessions.
type acts struct{ *Model }

// askAction shows everything that can be done with the selected session.
func (m acts) askAction() {
	it := m.Selected()
	k := m.o.Keys
	wish := func(action keys.Action) func() tea.Cmd {
		return func() tea.Cmd { return m.o.Send(Wish{action, it}) }
	}
	box := &dialog.Box{Keys: k, Title: "Sessions", Verb: "open"}
	add := func(text string, action keys.Action, do func() tea.Cmd) *dialog.Row {
		box.Rows = append(box.Rows, dialog.Row{Text: text, Keys: k.Keys(action), Do: do})
		return &box.Rows[len(box.Rows)-1]
	}
	if it != nil {
		box.Title = it.title()
		agent := facts.AgentOf(it.Root)
		own := agent.Title
		if m.o.Agent != nil {
			own = m.o.Agent(it)
		}
		add("Open", keys.SelectConfirm, m.choose)
		add("Open in "+own, keys.Open, wish(keys.Open))
		add("Open in another agent, as a copy…", keys.OpenElsewhere, wish(keys.OpenElsewhere))
		add("Tree", keys.Tree, wish(keys.Tree))
		add("Fork before a prompt…", keys.Fork, wish(keys.Fork))
		add("Clone", keys.Clone, wish(keys.Clone))
		add("Compare with another session…", keys.Compare, wish(keys.Compare))
		add("Rename", keys.SessionRename, m.askName)
		add("Pin, archive, tag…", keys.Mark, m.askMark)
		add("Copy ID, command, file name…", keys.MessageCopy, m.askCopy)
		add("Export…", keys.Export, wish(keys.Export))
		add("Delete", keys.SessionDelete, m.askDelete)
		if compact := add("Compact", "", wish(CompactWish)); agent.Foreign {
			compact.Why = agent.Title + " compacts its own sessions"
		}
		add("Select", keys.Choose, m.toggle)
		add("Select all", keys.ChooseAll, m.chooseAll)
	}
	add("Order: "+orderNames[m.filter.order], keys.SessionSort, m.nextOrder)
	add("Named sessions only", keys.SessionNamed, m.toggleNamed)
	if m.hidden > 0 {
		add(fmt.Sprintf("Show %d archived", m.hidden), "", func() tea.Cmd { return m.setSearch(strings.TrimSpace(m.input.Value() + " archived:yes")) })
	}
	add("New session", keys.SessionNew, wish(keys.SessionNew)).Keys = append(k.Keys(keys.SessionNew), "n")
	m.o.Ask(box)
}

// toggle adds the session under the cursor to the chosen ones, or removes it,
// and moves to the next.
func (m acts) toggle() tea.Cmd {
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
	return m.selected(m.list.At + 1)
}

func (m acts) chooseAll() tea.Cmd {
	m.chosen = map[string]bool{}
	for i := range m.rows {
		m.chosen[m.rows[i].item.Key] = true
	}
	return nil
}

// targets returns the sessions to act on: the chosen ones, in the order of the
// list, or else the one under the cursor.
func (m acts) targets() []*Item {
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

// names returns what a line calls sessions.
func names(list []*Item) string {
	if len(list) == 1 {
		return "“" + termsafe.Fit(list[0].title(), 60) + "”"
	}
	return humanize.Count(len(list), "session")
}

// askDelete asks before sessions are deleted. The open one is protected,
// whatever path leads to it (pitfall 147).
func (m acts) askDelete() tea.Cmd {
	list := m.targets()
	for _, it := range list {
		if it.Key == m.o.OpenKey {
			return transient.Say(paint.Error, "cannot delete the open session")
		}
	}
	m.confirm = list
	return nil
}

// delete runs in the background, because a trash can be slow (pitfall 147).
func (m acts) delete() tea.Cmd {
	list := m.confirm
	m.confirm = nil
	m.deleting++
	return func() tea.Msg {
		var gone []*Item
		var undo []func() error
		var failed error
		for _, it := range list {
			back, err := m.sessions.Delete(it)
			if err != nil {
				failed = err
				break
			}
			gone = append(gone, it)
			if back != nil {
				undo = append(undo, back)
			}
		}
		return transient.Then(func() tea.Cmd { return m.afterDelete(gone, undo, failed) })
	}
}

func (m acts) afterDelete(gone []*Item, undo []func() error, failed error) tea.Cmd {
	m.deleting--
	afterwards := m.afterwards
	m.afterwards = nil
	stays := true
	for _, it := range gone {
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
	var news []tea.Cmd
	if len(gone) > 0 {
		said := transient.News{Tone: paint.Plain, Text: "Moved to the trash: " + names(gone)}
		if len(undo) > 0 {
			said.Undo = func(context.Context) (string, error) {
				var failed []error
				for _, back := range undo {
					failed = append(failed, back())
				}
				return "Restored " + names(gone), errors.Join(failed...)
			}
		}
		news = append(news, func() tea.Msg { return said })
		if said.Undo != nil && afterwards != nil {
			news = append(news, func() tea.Msg { return transient.Then(afterwards) })
		}
	}
	if failed != nil {
		news = append(news, transient.Say(paint.Error, "not deleted: "+failed.Error()))
	}
	return tea.Batch(tea.Sequence(news...), m.wantPreview())
}

// Reload reads the current scope again and drops the other.
func (m *Model) Reload() tea.Cmd {
	for i := range m.lists {
		if Scope(i) != m.scope {
			m.lists[i].Cancel()
			m.lists[i] = shelf{Work: m.lists[i].Work}
		}
	}
	return m.load(m.scope)
}

// askName asks for the name of the selected session.
func (m acts) askName() tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	line := input.New(m.o.Keys, it.Name)
	m.o.Ask(&dialog.Box{Keys: m.o.Keys, Title: "Rename", Verb: "save", Type: &line, Typed: func(name string) tea.Cmd {
		if name = strings.TrimSpace(name); name == "" || name == it.Name {
			return nil // as in pi: a blank name does nothing
		}
		return func() tea.Msg {
			err := m.sessions.Rename(it, name)
			return transient.Then(func() tea.Cmd { return m.afterRename(it, name, err) })
		}
	}})
	return nil
}

func (m acts) afterRename(it *Item, name string, err error) tea.Cmd {
	if err != nil {
		return transient.Say(paint.Error, "not renamed: "+err.Error())
	}
	m.change(it.Key, func(it *Item) { it.Name = name })
	m.refresh()
	said := transient.News{Tone: paint.Plain, Text: "Renamed to “" + name + "”"}
	if before := it.Name; before != "" {
		said.Undo = func(context.Context) (string, error) {
			return "Renamed to “" + before + "”", m.sessions.Rename(it, before)
		}
	}
	return func() tea.Msg { return said }
}

// askCopy asks what to copy of the selected session.
func (m acts) askCopy() tea.Cmd {
	it := m.Selected()
	if it == nil {
		return nil
	}
	box := &dialog.Box{Keys: m.o.Keys, Title: "Copy", Verb: "copy"}
	add := func(name, key, text string) {
		if text != "" {
			box.Rows = append(box.Rows, dialog.Row{Text: name, Keys: []string{key}, Right: []paint.Span{{Tone: paint.Dim, Text: termsafe.Fit(text, 34)}},
				Do: func() tea.Cmd { return tea.Batch(tea.SetClipboard(text), transient.Say(paint.Plain, "Copied: "+text)) }})
		}
	}
	add("ID", "i", it.ID)
	add("Command", "c", "pith "+it.ID)
	add("File name", "f", m.file(it))
	add("Title", "t", it.title())
	m.o.Ask(box)
	return nil
}

// askMark asks which marks to change.
func (m acts) askMark() tea.Cmd {
	list := m.targets()
	if len(list) == 0 {
		return nil
	}
	m.o.Ask((&dialog.Marking{Keys: m.o.Keys, Ask: m.o.Ask, Names: names(list), First: list[0].Marks, Several: len(list) > 1,
		Change: func(did string, change func(marks.Marks) ops.MarkParams) tea.Cmd { return m.mark(list, did, change) }}).Box())
	return nil
}

// mark changes the marks of sessions in the background.
func (m acts) mark(list []*Item, did string, change func(marks.Marks) ops.MarkParams) tea.Cmd {
	return func() tea.Msg {
		var now []marks.Marks
		var failed error
		for _, it := range list {
			of, err := m.sessions.Mark(it, change(it.Marks))
			if err != nil {
				failed = err
				break
			}
			now = append(now, of)
		}
		return transient.Then(func() tea.Cmd { return m.afterMark(list[:len(now)], now, did, failed) })
	}
}

func (m acts) afterMark(list []*Item, now []marks.Marks, what string, failed error) tea.Cmd {
	for i, it := range list {
		m.change(it.Key, func(it *Item) { it.Marks = now[i] })
	}
	if failed != nil {
		return transient.Say(paint.Error, "not changed: "+failed.Error())
	}
	m.chosen = nil
	m.moved, m.best, m.wanted = true, false, list[0].Key
	if it := m.Selected(); it != nil && now[0].Archived {
		m.wanted = it.Key // if it disappears, the position stays: the next session is selected
	}
	m.refresh()
	m.remember()
	said := transient.News{Tone: paint.Plain, Text: what + ": " + names(list), Undo: func(context.Context) (string, error) {
		for _, it := range list {
			if _, err := m.sessions.Mark(it, dialog.Remark(it.Marks)); err != nil {
				return "", err
			}
		}
		return "Marks are as before: " + names(list), nil
	}}
	return tea.Batch(func() tea.Msg { return said }, m.wantPreview())
}

// change replaces the item of a session in every list.
func (m acts) change(key string, change func(*Item)) {
	for i := range m.lists {
		l := &m.lists[i]
		if k, known := l.byKey[key]; known {
			changed := *l.items[k]
			change(&changed)
			changed.early = false
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

// file returns the file to show for a session.
func (m *Model) file(it *Item) string {
	if m.o.File == nil {
		return it.Path
	}
	return cmp.Or(m.o.File(it), it.Path)
}
