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

// header returns two lines: the state of the list, and below it a question, a
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
	if message, any := d.message(width); any {
		return append(out, d.theme.Line(width, message))
	}
	return append(out, d.theme.Line(width, paint.Span{Tone: paint.Dim, Text: strings.Join(d.hints(width), between)}))
}

// message returns the question or message that takes the place of the keys.
func (d *drawing) message(width int) (message paint.Span, any bool) {
	switch {
	case d.confirm != nil:
		what := "session"
		if n := len(d.confirm); n > 1 {
			what = humanize.Count(n, "session")
		}
		question := fmt.Sprintf("Delete %s? %s or y confirm · %s or n cancel", what, d.o.Keys.Label(keys.SelectConfirm), d.o.Keys.Label(keys.SelectCancel))
		return paint.Span{Tone: paint.Error, Text: question}, true
	case d.status.Text != "":
		return paint.Span{Tone: d.status.Tone, Text: d.status.Text}, true
	case d.filter.query.fault != "":
		return paint.Span{Tone: paint.Error, Text: d.filter.query.fault}, true
	case len(d.completions) > 0:
		values := whole(append([]string{d.o.Keys.Label(keys.InputTab) + " " + d.completions[0]}, d.completions[1:]...), width)
		return paint.Span{Tone: paint.Accent, Text: strings.Join(values, between)}, true
	case d.filter.query.hint != "":
		return paint.Span{Tone: paint.Warning, Text: d.filter.query.hint}, true
	}
	return paint.Span{}, false
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

// hints returns the keys: the main one first, and at most five others. If they
// do not fit, the last before help goes first, because help lists them all.
func (d *drawing) hints(width int) []string {
	key := func(word string, action keys.Action) string { return d.o.Keys.Label(action) + " " + word }
	scope := "all projects"
	if d.scope == All {
		scope = "this project"
	}
	hints := []string{key("open", keys.SelectConfirm), key(scope, keys.InputTab), key("sort", keys.SessionSort), key("delete", keys.SessionDelete), key("rename", keys.SessionRename)}
	if d.o.Pick {
		hints = []string{key("choose", keys.SelectConfirm), key("select several", keys.InputTab), key(scope, keys.ToggleScope), key("sort", keys.SessionSort), key("cancel", keys.SelectCancel)}
	}
	if !d.Idle() {
		return whole(hints, width)
	}
	more := key("more", keys.Help)
	return append(whole(hints, width-termsafe.Width(between+more)), more)
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
