package picker

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// header is three lines: what is shown, and below it a question, a message or
// the keys.
func (m *Model) header(t *paint.Theme, width int) []string {
	title := "Resume Session (Current Folder)"
	if m.scope == All {
		title = "Resume Session (All)"
	}
	state := append(m.scopeState(), m.state()...)
	if paint.Width(state) > width-len(title)-1 && !m.lists[m.scope].loading {
		state = m.state() // the title tells the scope
	}
	out := []string{t.Sides(width, []paint.Span{{Tone: paint.Strong, Text: title}}, state)}
	switch {
	case m.confirm != nil:
		question := fmt.Sprintf("Delete session? %s or y confirm · %s or n cancel", m.o.Keys.Label(keys.SelectConfirm), m.o.Keys.Label(keys.SelectCancel))
		return append(out, t.Line(width, paint.Span{Tone: paint.Error, Text: question}), "")
	case m.status.Text != "":
		return append(out, t.Line(width, paint.Span{Tone: m.status.Tone, Text: m.status.Text}), "")
	case m.query.fault != "":
		return append(out, t.Line(width, paint.Span{Tone: paint.Error, Text: m.query.fault}), "")
	}
	for _, items := range m.hints(width) {
		out = append(out, t.Line(width, paint.Span{Tone: paint.Dim, Text: strings.Join(items, between)}))
	}
	return out
}

// scopeState is whose sessions are shown, or how far they are loaded.
func (m *Model) scopeState() []paint.Span {
	l := &m.lists[m.scope]
	scope := []paint.Span{{Tone: paint.Accent, Text: "◉ Current Folder"}, {Tone: paint.Muted, Text: " | ○ All"}}
	switch {
	case l.loading && l.total == 0:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: "Loading ..."}}
	case l.loading:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: fmt.Sprintf("Loading %d/%d", l.done, l.total)}}
	case m.scope == All:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: "◉ All"}}
	}
	return append(scope, paint.Span{Text: "  "})
}

// state is which of the sessions are shown, and their order.
func (m *Model) state() []paint.Span {
	names := "All"
	if m.named {
		names = "Named"
	}
	state := append([]paint.Span{}, paint.Span{Tone: paint.Muted, Text: "Name: "}, paint.Span{Tone: paint.Accent, Text: names},
		paint.Span{Tone: paint.Muted, Text: "  Sort: "}, paint.Span{Tone: paint.Accent, Text: sortingNames[m.sort]})
	if m.noForks {
		state = append(state, paint.Span{Tone: paint.Muted, Text: "  Forks: "}, paint.Span{Tone: paint.Accent, Text: "Hidden"})
	}
	if m.archived {
		state = append(state, paint.Span{Tone: paint.Muted, Text: "  Archived: "}, paint.Span{Tone: paint.Accent, Text: "Shown"})
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
	if termsafe.Width(strings.Join(append(first, help), between)) > width {
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
		used += termsafe.Width(item)
		if i > 0 && used > width {
			return items[:i]
		}
		used += termsafe.Width(between)
	}
	return items
}
