package picker

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// header returns three lines: the state of the list, and below it a question, a
// message or the keys.
func (d *drawing) header(width int) []string {
	title := "Resume Session"
	if d.o.Pick {
		title = "Choose Session"
	}
	if d.scope == All {
		title += " (All)"
	} else {
		title += " (Current Folder)"
	}
	state := append(d.scopeState(), d.state()...)
	if paint.Width(state) > width-len(title)-1 && !d.lists[d.scope].loading {
		state = d.state() // the title shows the scope
	}
	out := []string{d.theme.Sides(width, []paint.Span{{Tone: paint.Strong, Text: title}}, state)}
	switch {
	case d.confirm != nil:
		what := "session"
		if n := len(d.confirm); n > 1 {
			what = humanize.Count(n, "session")
		}
		question := fmt.Sprintf("Delete %s? %s or y confirm · %s or n cancel", what, d.o.Keys.Label(keys.SelectConfirm), d.o.Keys.Label(keys.SelectCancel))
		return append(out, d.theme.Line(width, paint.Span{Tone: paint.Error, Text: question}), "")
	case d.status.Text != "":
		return append(out, d.theme.Line(width, paint.Span{Tone: d.status.Tone, Text: d.status.Text}), "")
	case d.filter.query.fault != "":
		return append(out, d.theme.Line(width, paint.Span{Tone: paint.Error, Text: d.filter.query.fault}), "")
	case len(d.completions) > 0:
		values := whole(append([]string{d.o.Keys.Label(keys.InputTab) + " " + d.completions[0]}, d.completions[1:]...), width)
		return append(out, d.theme.Line(width, paint.Span{Tone: paint.Accent, Text: strings.Join(values, between)}), "")
	case d.filter.query.hint != "":
		return append(out, d.theme.Line(width, paint.Span{Tone: paint.Warning, Text: d.filter.query.hint}), "")
	}
	for _, items := range d.hints(width) {
		out = append(out, d.theme.Line(width, paint.Span{Tone: paint.Dim, Text: strings.Join(items, between)}))
	}
	return out
}

// scopeState shows the scope, or the progress of loading.
func (d *drawing) scopeState() []paint.Span {
	l := &d.lists[d.scope]
	scope := []paint.Span{{Tone: paint.Accent, Text: "◉ Current Folder"}, {Tone: paint.Muted, Text: " | ○ All"}}
	switch {
	case l.loading && l.total == 0:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: "Loading ..."}}
	case l.loading:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: fmt.Sprintf("Loading %d/%d", l.done, l.total)}}
	case d.scope == All:
		scope = []paint.Span{{Tone: paint.Muted, Text: "○ Current Folder | "}, {Tone: paint.Accent, Text: "◉ All"}}
	}
	return append(scope, paint.Span{Text: "  "})
}

// state shows the filters and the order.
func (d *drawing) state() []paint.Span {
	names := "All"
	if d.filter.named {
		names = "Named"
	}
	state := append([]paint.Span{}, paint.Span{Tone: paint.Muted, Text: "Name: "}, paint.Span{Tone: paint.Accent, Text: names},
		paint.Span{Tone: paint.Muted, Text: "  Sort: "}, paint.Span{Tone: paint.Accent, Text: sortingNames[d.filter.sort]})
	if d.filter.noForks {
		state = append(state, paint.Span{Tone: paint.Muted, Text: "  Forks: "}, paint.Span{Tone: paint.Accent, Text: "Hidden"})
	}
	if n := len(d.chosen); n > 0 {
		state = append(state, paint.Span{Tone: paint.Muted, Text: "  Chosen: "}, paint.Span{Tone: paint.Accent, Text: strconv.Itoa(n)})
	}
	if d.filter.archived {
		state = append(state, paint.Span{Tone: paint.Muted, Text: "  Archived: "}, paint.Span{Tone: paint.Accent, Text: "Shown"})
	}
	return state
}

// between separates the keys of a line.
const between = " · "

// hints returns the keys, in two lines. If they do not fit, help comes first,
// because it lists them all.
func (d *drawing) hints(width int) [2][]string {
	key := func(word string, action keys.Action) string { return d.o.Keys.Label(action) + " " + word }
	path := "path (off)"
	if d.paths {
		path = "path (on)"
	}
	help := key("help", keys.Help)
	if d.o.Pick {
		return [2][]string{
			whole([]string{key("choose", keys.SelectConfirm), key("select several", keys.InputTab), key("cancel", keys.SelectCancel), key("scope", keys.ToggleScope), help}, width),
			whole([]string{key("sort", keys.SessionSort), key("named", keys.SessionNamed), key(path, keys.SessionPath), key("forks", keys.ToggleForks)}, width),
		}
	}
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

// whole returns as many items as fit, with none of them cut but the first.
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
