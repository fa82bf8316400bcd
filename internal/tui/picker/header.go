package picker

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/internal/tui/look"
)

// header is three lines: what is shown, and below it a question, a message or
// the keys.
func (m *Model) header(t *look.Theme, width int) []string {
	title := "Resume Session (Current Folder)"
	if m.scope == All {
		title = "Resume Session (All)"
	}
	state := append(m.scopeState(), m.state()...)
	if look.Width(state) > width-len(title)-1 && !m.lists[m.scope].loading {
		state = m.state() // the title tells the scope
	}
	out := []string{t.Sides(width, []look.Span{{Tone: look.Strong, Text: title}}, state)}
	switch {
	case m.confirm != nil:
		question := fmt.Sprintf("Delete session? %s or y confirm · %s or n cancel", m.o.Keys.Label(keys.SelectConfirm), m.o.Keys.Label(keys.SelectCancel))
		return append(out, t.Line(width, look.Span{Tone: look.Error, Text: question}), "")
	case m.status.Text != "":
		return append(out, t.Line(width, look.Span{Tone: m.status.Tone, Text: m.status.Text}), "")
	case m.query.fault != "":
		return append(out, t.Line(width, look.Span{Tone: look.Error, Text: m.query.fault}), "")
	}
	for _, items := range m.hints(width) {
		out = append(out, t.Line(width, look.Span{Tone: look.Dim, Text: strings.Join(items, between)}))
	}
	return out
}

// scopeState is whose sessions are shown, or how far they are loaded.
func (m *Model) scopeState() []look.Span {
	l := &m.lists[m.scope]
	scope := []look.Span{{Tone: look.Accent, Text: "◉ Current Folder"}, {Tone: look.Muted, Text: " | ○ All"}}
	switch {
	case l.loading && l.total == 0:
		scope = []look.Span{{Tone: look.Muted, Text: "○ Current Folder | "}, {Tone: look.Accent, Text: "Loading ..."}}
	case l.loading:
		scope = []look.Span{{Tone: look.Muted, Text: "○ Current Folder | "}, {Tone: look.Accent, Text: fmt.Sprintf("Loading %d/%d", l.done, l.total)}}
	case m.scope == All:
		scope = []look.Span{{Tone: look.Muted, Text: "○ Current Folder | "}, {Tone: look.Accent, Text: "◉ All"}}
	}
	return append(scope, look.Span{Text: "  "})
}

// state is which of the sessions are shown, and their order.
func (m *Model) state() []look.Span {
	names := "All"
	if m.named {
		names = "Named"
	}
	state := append([]look.Span{}, look.Span{Tone: look.Muted, Text: "Name: "}, look.Span{Tone: look.Accent, Text: names},
		look.Span{Tone: look.Muted, Text: "  Sort: "}, look.Span{Tone: look.Accent, Text: sortingNames[m.sort]})
	if m.noForks {
		state = append(state, look.Span{Tone: look.Muted, Text: "  Forks: "}, look.Span{Tone: look.Accent, Text: "Hidden"})
	}
	if m.archived {
		state = append(state, look.Span{Tone: look.Muted, Text: "  Archived: "}, look.Span{Tone: look.Accent, Text: "Shown"})
	}
	return state
}

// between stands between the keys of a line.
const between = " · "

// hints are the keys, in two lines. Where they do not fit, help goes first: it
// lists them all.
func (m *Model) hints(width int) [2][]string {
	key := func(word string, action keys.Action) string { return m.o.Keys.Label(action) + " " + word }
	path := "path (off)"
	if m.paths {
		path = "path (on)"
	}
	help := key("help", keys.Help)
	first := []string{key("scope", keys.InputTab), "re:<pattern> regex", `"phrase" exact`}
	second := []string{key("sort", keys.SessionSort), key("named", keys.SessionNamed), key("delete", keys.SessionDelete), key(path, keys.SessionPath),
		key("rename", keys.SessionRename), key("forks", keys.ToggleForks), key("pin", keys.Pin), key("archive", keys.Archive)}
	if plain.Width(strings.Join(append(first, help), between)) > width {
		first = append([]string{help}, first...)
	} else {
		first = append(first, help)
	}
	return [2][]string{whole(first, width), whole(second, width)}
}

// whole is as many items as fit, none of them cut but the first.
func whole(items []string, width int) []string {
	used := 0
	for i, item := range items {
		used += plain.Width(item)
		if i > 0 && used > width {
			return items[:i]
		}
		used += plain.Width(between)
	}
	return items
}
