package picker

import (
	"fmt"

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
	out := []string{t.Sides(width, []look.Span{{Tone: look.Strong, Text: title}}, m.state())}
	switch {
	case m.confirm != nil:
		question := fmt.Sprintf("Delete session? %s or y confirm · %s or n cancel", m.o.Keys.Label(keys.SelectConfirm), m.o.Keys.Label(keys.SelectCancel))
		return append(out, t.Line(width, look.Span{Tone: look.Error, Text: question}), "")
	case m.status.text != "":
		return append(out, t.Line(width, look.Span{Tone: m.status.tone, Text: m.status.text}), "")
	case m.query.fault != "":
		return append(out, t.Line(width, look.Span{Tone: look.Error, Text: m.query.fault}), "")
	}
	first, second := m.hints()
	return append(out, t.Line(width, look.Span{Tone: look.Dim, Text: first}), t.Line(width, look.Span{Tone: look.Dim, Text: second}))
}

// state is the right side of the title: scope, names, order.
func (m *Model) state() []look.Span {
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
	names := "All"
	if m.named {
		names = "Named"
	}
	state := append(scope, look.Span{Tone: look.Muted, Text: "  Name: "}, look.Span{Tone: look.Accent, Text: names},
		look.Span{Tone: look.Muted, Text: "  Sort: "}, look.Span{Tone: look.Accent, Text: sortingNames[m.sort]})
	if m.noForks {
		state = append(state, look.Span{Tone: look.Muted, Text: "  Forks: "}, look.Span{Tone: look.Accent, Text: "Hidden"})
	}
	return state
}

// hints are the keys, in two lines.
func (m *Model) hints() (string, string) {
	k := m.o.Keys
	path := "(off)"
	if m.paths {
		path = "(on)"
	}
	first := k.Label(keys.InputTab) + ` scope · re:<pattern> regex · "phrase" exact · ` + k.Label(keys.Help) + " help"
	second := fmt.Sprintf("%s sort · %s named · %s delete · %s path %s · %s rename · %s forks", k.Label(keys.SessionSort),
		k.Label(keys.SessionNamed), k.Label(keys.SessionDelete), k.Label(keys.SessionPath), path, k.Label(keys.SessionRename), k.Label(keys.ToggleForks))
	return first, second
}
