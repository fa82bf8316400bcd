package treeview

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// help is the keys, broken between items only.
func (m *Model) help(t *paint.Theme, width int) []string {
	const indent, between = "  ", " · "
	var lines []string
	line := ""
	for _, item := range m.helpItems() {
		joined := line + between + item
		if line == "" {
			joined = indent + item
		}
		if line != "" && termsafe.Width(joined) > width {
			lines = append(lines, line)
			joined = indent + item
		}
		line = joined
	}
	lines = append(lines, line)
	if most := max(1, (m.height-9)/3); len(lines) > most { // a low window is for the rows
		lines = append(lines[:most-1], indent+m.o.Keys.Label(keys.Help)+" help")
	}
	for i := range lines {
		lines[i] = t.Line(width, paint.Span{Tone: paint.Dim, Text: lines[i]})
	}
	return lines
}

func (m *Model) helpItems() []string {
	k := m.o.Keys
	item := func(word string, actions ...keys.Action) string {
		var labels []string
		for _, a := range actions {
			if l := k.Label(a); l != "" {
				labels = append(labels, l)
			}
		}
		return strings.TrimSpace(merge(labels) + " " + word)
	}
	filters := item("", keys.TreeFilterDefault, keys.TreeFilterNoTools, keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFilterAll)
	return []string{
		item("move", keys.SelectUp, keys.SelectDown),
		item("page", keys.CursorLeft, keys.CursorRight),
		item("branch", keys.TreeFoldOrUp, keys.TreeUnfoldOrDown),
		item("copy", keys.MessageCopy),
		item("label", keys.TreeEditLabel),
		item("label time", keys.TreeLabelTime),
		strings.TrimSpace("filters " + filters),
		strings.TrimSpace("cycle " + item("", keys.TreeFilterNext) + "/" + item("", keys.TreeFilterPrevious)),
		item("fork", keys.ForkHere),
		item("clone", keys.CloneHere),
	}
}

// merge joins keys with slashes; those with the same modifiers as the first name
// them once: ctrl+d/t/u.
func merge(labels []string) string {
	if len(labels) == 0 {
		return ""
	}
	prefix := labels[0][:strings.LastIndexByte(labels[0], '+')+1]
	out := labels[0]
	for _, l := range labels[1:] {
		if rest, ok := strings.CutPrefix(l, prefix); ok && prefix != "" && !strings.Contains(rest, "+") {
			l = rest
		}
		out += "/" + l
	}
	return out
}
