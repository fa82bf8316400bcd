package picker

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/near"
)

// The widths of a window from which a list has a preview, a column for the project, the
// whole status, and a cost.
const (
	previewFrom = 110
	projectFrom = 72
	statusFrom  = 64
	costFrom    = 48
)

// The columns of a row.
const (
	projectCells = 14
	costCells    = 7
	ageCells     = 4
	leastTitle   = 24
	matchIndent  = 6
	whoCells     = 9
)

// pane returns the width of the preview, or 0 if there is none.
func (m *Model) pane() int {
	if m.width < previewFrom {
		return 0
	}
	return m.width*2/5 - 3
}

// Frame returns the screen.
func (m *Model) Frame(t *paint.Theme, width, height int) *paint.Frame {
	d := &drawing{m, t}
	return &paint.Frame{Title: d.title(), Right: d.counts(width), Under: d.under(width), Body: d.body(width), Status: d.status(), Place: d.place(), Hints: d.hints()}
}

type drawing struct {
	*Model
	theme *paint.Theme
}

// title returns whose sessions are listed.
func (d *drawing) title() []paint.Span {
	what, where := "Sessions", d.o.Project
	if d.o.Pick {
		what = "Choose a session"
	}
	if d.scope == All {
		where = "all projects"
	}
	out := []paint.Span{{Tone: paint.Strong, Text: what}, paint.Faint(" · " + where)}
	if d.lists[d.scope].demo {
		out = append(out, paint.Span{Tone: paint.Warning, Text: " · demo: you have no sessions yet"})
	}
	return out
}

// counts returns the number of sessions, their order, and the number in the other scope.
func (d *drawing) counts(width int) []paint.Span {
	l := &d.lists[d.scope]
	total, text := len(l.items)-d.hidden, ""
	switch {
	case l.loading && l.total > 0 && !l.loaded:
		return []paint.Span{paint.Faint(fmt.Sprintf("reading %d of %d", l.done, l.total))}
	case l.loading && !l.loaded:
		return []paint.Span{paint.Faint("reading")}
	case d.filter.all():
		text = humanize.Number(int64(len(d.rows)))
	default:
		text = fmt.Sprintf("%d of %d", len(d.rows), total)
	}
	tab := ""
	switch other := &d.lists[(d.scope+1)%scopeCount]; {
	case !other.loaded:
	case d.scope == All:
		tab = fmt.Sprintf("tab: %s %d", d.o.Project, d.other)
	case d.filter.all():
		tab = fmt.Sprintf("tab: all %d", d.other)
	case d.other > len(d.rows):
		tab = fmt.Sprintf("tab: %d more in all projects", d.other-len(d.rows))
	}
	order := orderNames[d.filter.order]
	if d.hits.running {
		order = fmt.Sprintf("searching %d%%", d.hits.percent)
	} else if !d.filter.all() && width < previewFrom && d.filter.order == newest {
		order = ""
	}
	if n := len(d.chosen); n > 0 {
		order = fmt.Sprintf("%d selected", n)
	}
	return []paint.Span{paint.Faint(facts.Join(text, order, tab))}
}

// examples are shown in an empty search.
const examples = "words, or filters: status:failed since:7d cost:>1"

func (d *drawing) under(width int) string {
	focused := !d.focused && d.confirm == nil
	line := d.input.View(d.theme, width, " > ", focused)
	if d.input.Value() != "" || focused || width < previewFrom {
		return line
	}
	return d.theme.Sides(width, []paint.Span{paint.Faint(" >")}, []paint.Span{paint.Faint(examples)})
}

func (d *drawing) body(width int) []string {
	height := paint.Room(d.height)
	if len(d.rows) == 0 {
		return d.empty(width)
	}
	pane, wide := d.preview.width, width
	if pane > 0 {
		wide = width - pane - 3
	}
	lines := d.list.View(func(i int) []string { return d.row(wide, i) })
	if pane == 0 {
		return lines
	}
	var right []string
	if it := d.Selected(); it != nil {
		for _, line := range d.preview.cache[d.spot(it).key(d.input.Value())] {
			if len(right) < height {
				right = append(right, d.mark(line))
			}
		}
	}
	return d.theme.Beside(paint.Fill(lines, height), wide, right)
}

// row draws a session: its heading, if it begins a section, and what a search found in
// it.
func (d *drawing) row(width, i int) (lines []string) {
	r := &d.rows[i]
	it := r.item
	if s := r.section; s != nil {
		right := facts.Join(humanize.Count(s.sessions, "session"), facts.Sum(s.spent, s.unknown))
		if width < statusFrom {
			right = ""
		}
		lines = append(lines, d.theme.Ends(width, []paint.Span{{Text: "  "}, {Tone: paint.Accent, Text: s.title}}, []paint.Span{paint.Faint(right)}))
	}
	doomed := slices.Contains(d.confirm, it)
	right := d.columns(it, width)
	room := width - 4 - paint.Width(right)
	spans := append(d.cursor(i), d.text(r, max(1, room-1), width, i == d.list.At, doomed)...)
	spans = append(spans, paint.Span{Text: strings.Repeat(" ", max(0, width-paint.Width(spans)-paint.Width(right)))})
	spans = append(spans, right...)
	if doomed {
		for k := range spans {
			spans[k].Tone = paint.Error
		}
	}
	if i == d.list.At {
		lines = append(lines, d.mark(d.theme.Selected(width, spans...)))
	} else {
		lines = append(lines, d.mark(d.theme.Line(width, spans...)))
	}
	in := strings.Repeat(" ", matchIndent)
	for _, h := range r.found {
		lines = append(lines, d.mark(d.theme.Line(width, paint.Span{Text: in}, paint.Faint(termsafe.Pad(termsafe.Fit(h.Who, whoCells), whoCells)+" "+h.Snippet))))
	}
	if r.more > 0 && len(lines) > 0 {
		last := len(lines) - 1 // two lines at most
		if len(r.found) == mostFound {
			lines[last] = d.theme.Line(width, paint.Span{Text: in + strings.Repeat(" ", whoCells+1)}, paint.Faint(fmt.Sprintf("%d more matches", r.more+1)))
		}
	}
	return lines
}

// mark highlights what the search found in a line.
func (d *drawing) mark(line string) string { return d.theme.Mark(line, d.filter.query.terms, -1) }

func (d *drawing) cursor(i int) []paint.Span {
	it := d.rows[i].item
	at, mark := paint.Span{Text: "  "}, facts.AgentOf(it.Root).Span()
	if d.chosen[it.Key] {
		at = paint.Span{Tone: paint.Accent, Text: "+ "}
	}
	if i == d.list.At {
		at = paint.Span{Tone: paint.Accent, Text: "›" + at.Text[1:]}
		if d.chosen[it.Key] {
			at.Text = "›+"
		}
	}
	mark.Text += " "
	return []paint.Span{at, mark}
}

// text returns the title of a session with its status and tags.
func (d *drawing) text(r *row, room, width int, selected, doomed bool) []paint.Span {
	it := r.item
	tone := paint.Plain
	switch {
	case it.Key == d.o.OpenKey && d.o.OpenKey != "":
		tone = paint.Accent
	case selected:
		tone = paint.Strong
	}
	var after []paint.Span
	add := func(tone paint.Tone, text string) {
		if text != "" {
			after = append(after, paint.Span{Tone: tone, Text: "  " + text})
		}
	}
	sign, word, statusTone := status(&it.Info, d.o.Now())
	if width >= statusFrom && sign != "" {
		sign += " " + word
	}
	add(statusTone, sign)
	add(paint.Warning, tagText(it.Marks.Tags))
	if it.Marks.Archived {
		add(paint.Dim, "archived")
	}
	if r.hidden > 0 {
		add(paint.Dim, fmt.Sprintf("+%d forks", r.hidden))
	}
	var lead []paint.Span
	if r.fork {
		lead = []paint.Span{paint.Faint("↳ ")}
		room -= 2
	}
	for len(after) > 0 && room-paint.Width(after) < leastTitle && paint.Width(after) > room/2 {
		after = after[:len(after)-1]
	}
	title := termsafe.Fit(it.title(), max(1, room-paint.Width(after)))
	return append(append(lead, paint.Span{Tone: tone, Text: title}), after...)
}

// columns returns the right part of a row: project, cost and age.
func (d *drawing) columns(it *Item, width int) []paint.Span {
	text := ""
	if d.scope == All && width >= projectFrom {
		text += " " + termsafe.Pad(termsafe.Fit(project(it), projectCells), projectCells)
	}
	if width >= costFrom {
		text += " " + termsafe.PadLeft(facts.Cost(it.Spent), costCells)
	}
	return []paint.Span{paint.Faint(text + " " + termsafe.PadLeft(facts.Age(d.o.Now().Sub(it.Modified)), ageCells))}
}

func project(it *Item) string {
	if it.Cwd == "" {
		return ""
	}
	return filepath.Base(it.Cwd)
}

// liveFor is the time after a write in which a session counts as being written.
const liveFor = 20 * time.Second

// IsLive reports whether a session seems to be written right now.
func IsLive(i *catalog.Info, now time.Time) bool {
	since := now.Sub(i.FileTime)
	return !i.FileTime.IsZero() && since < liveFor && since > -liveFor
}

// status returns the sign and the word of what needs attention in a session, or "".
func status(i *catalog.Info, now time.Time) (sign, word string, tone paint.Tone) {
	switch {
	case IsLive(i, now):
		return "●", "live", paint.Success
	case i.Findings > 0:
		return "!", "damaged", paint.Error
	case i.Status == catalog.StatusError:
		return "✗", "failed", paint.Error
	case i.Status == catalog.StatusPending:
		return "…", "waits", paint.Warning
	case i.Status == catalog.StatusInterrupted, i.Status == catalog.StatusAborted:
		return "‖", "interrupted", paint.Dim
	}
	return "", "", paint.Plain
}

// status returns the facts of the selection, or a question.
func (d *drawing) status() []paint.Span {
	switch {
	case d.confirm != nil:
		return []paint.Span{{Tone: paint.Error, Text: "Delete " + names(d.confirm) + "?"}}
	case d.filter.query.fault != "":
		return []paint.Span{{Tone: paint.Error, Text: d.filter.query.fault}}
	case len(d.completions) > 0:
		return []paint.Span{paint.Faint("tab "), {Tone: paint.Accent, Text: d.completions[0]}, paint.Faint(strings.Join(append([]string{""}, d.completions[1:]...), " · "))}
	case d.filter.query.hint != "":
		return []paint.Span{{Tone: paint.Warning, Text: d.filter.query.hint}}
	}
	it := d.Selected()
	if it == nil {
		return nil
	}
	_, word, _ := status(&it.Info, d.o.Now())
	word = cmp.Or(word, string(it.Status))
	file := termsafe.Line(humanize.Path(d.o.Home, last(d.file(it), longestPath)))
	if d.paths || d.preview.width > 0 && d.filter.query.blank {
		return []paint.Span{paint.Faint(facts.Join(word, file))}
	}
	model := it.Model[strings.LastIndexByte(it.Model, '/')+1:]
	messages := humanize.Count(it.MessageCount, "message")
	if d.preview.width > 0 {
		return []paint.Span{paint.Faint(facts.Join(word, model, messages, humanize.Path(d.o.Home, last(it.Cwd, longestPath))))}
	}
	branches := ""
	if it.Branches > 1 {
		branches = humanize.Count(it.Branches, "branch")
	}
	return []paint.Span{paint.Faint(facts.Join(word, model, messages, branches, d.shortID(it)))}
}

// longestPath is the maximum length of a path: a header may contain anything.
const longestPath = 1000

func last(text string, n int) string { return text[max(0, len(text)-n):] }

// shortestID is the minimum length of a shown ID.
const shortestID = 8

// shortID returns the shortest unique prefix of a session's ID.
func (d *drawing) shortID(it *Item) string {
	n := shortestID
	for _, other := range d.lists[d.scope].items {
		for other.ID != it.ID && n < len(it.ID) && strings.HasPrefix(other.ID, it.ID[:n]) {
			n++
		}
	}
	return it.ID[:min(n, len(it.ID))]
}

// place returns the position of the selection.
func (d *drawing) place() []paint.Span {
	if d.confirm != nil || len(d.rows) == 0 {
		return nil
	}
	if n := len(d.hits.of(d.rows[d.list.At].item.Path)); n > 0 {
		return []paint.Span{paint.Faint(fmt.Sprintf("match 1 of %d", n))}
	}
	return []paint.Span{paint.Faint(fmt.Sprintf("%d of %d", d.list.At+1, len(d.rows)))}
}

// hints returns the keys that work now.
func (d *drawing) hints() []paint.Hint {
	k := d.o.Keys
	hint := func(action keys.Action, word string) paint.Hint { return paint.Hint{Key: k.Label(action), Word: word} }
	scope := "all"
	if d.scope == All {
		scope = d.o.Project
	}
	enter, more := hint(keys.SelectConfirm, "open"), hint(keys.Help, "more")
	switch {
	case d.confirm != nil:
		return []paint.Hint{{Key: k.Label(keys.SelectConfirm) + " or y", Word: "move to the trash"}, {Key: k.Label(keys.SelectCancel) + " or n", Word: "keep"}}
	case d.o.Pick:
		return []paint.Hint{hint(keys.SelectConfirm, "choose"), hint(keys.InputTab, scope), hint(keys.Choose, "select"), hint(keys.SessionSort, "order"), hint(keys.SelectCancel, "cancel"), more}
	case d.input.Value() != "" && !d.resumed:
		it, tab := d.Selected(), hint(keys.InputTab, scope)
		if it != nil && len(d.hits.of(it.Path)) > 0 {
			enter.Word = "open at the match"
		}
		if len(d.completions) > 0 {
			tab.Word = "complete"
		}
		hints := []paint.Hint{enter, tab, hint(keys.SelectCancel, "clear"), hint(keys.SessionSort, "order")}
		if it == nil { // nothing to open
			hints = hints[1:]
		}
		if d.focused {
			return append(hints, hint(keys.Actions, "actions"), more)
		}
		return append(hints, paint.Hint{Key: "↓", Word: "to the list"})
	case d.lists[d.scope].demo:
		return []paint.Hint{enter, hint(keys.Actions, "actions"), {Key: "space n", Word: "new session"}, more}
	case len(d.rows) == 0:
		return []paint.Hint{hint(keys.InputTab, scope), {Key: "space n", Word: "new session"}, hint(keys.SelectCancel, "quit"), more}
	}
	return []paint.Hint{enter, hint(keys.InputTab, scope), hint(keys.SessionDelete, "delete"), hint(keys.SessionRename, "rename"), hint(keys.Actions, "actions"), more}
}

// empty says why there are no rows.
func (d *drawing) empty(width int) []string {
	l := &d.lists[d.scope]
	var lines []string
	say := func(text string) {
		for _, row := range paint.WrapText(paint.Dim, text, max(1, width-4)) {
			lines = append(lines, d.theme.Line(width, append([]paint.Span{{Text: "  "}}, row...)...))
		}
	}
	where := d.o.Project
	if d.scope == All {
		where = "all projects"
	}
	tab := d.o.Keys.Label(keys.InputTab)
	switch {
	case d.filter.query.fault != "":
		say("Invalid search")
	case l.loading && len(l.items) == 0:
		say("Reading…")
	case d.hits.running:
		say("No match so far")
	case !d.filter.all() && d.scope == Current && d.other > 0:
		say(fmt.Sprintf("No match in %s. %d in all projects: %s", where, d.other, tab))
	case !d.filter.all():
		say("No match in " + where + d.nearest())
	case d.hidden > 0:
		say("Only archived sessions")
	case d.scope == Current:
		say("No sessions in " + where + "; " + tab + " shows all projects")
	default:
		say("No sessions yet")
		for _, dir := range ops.Roots(d.o.App) {
			say("  " + humanize.Path(d.o.Home, dir))
		}
		say("pith demo shows what pith does with sessions that it makes up")
	}
	return lines
}

// nearest names a word of the search that occurs in no title, and the one that was
// probably meant.
func (d *drawing) nearest() string {
	var words []string
	for _, t := range d.filter.query.tokens {
		if t.expr != nil || t.phrase {
			continue
		}
		known := slices.ContainsFunc(d.lists[d.scope].items, func(it *Item) bool {
			_, ok := t.match(it)
			return ok
		})
		if known {
			continue
		}
		if words == nil {
			for _, it := range d.lists[d.scope].items {
				words = append(words, strings.Fields(it.name+" "+it.first[:min(len(it.first), 200)])...)
			}
		}
		if meant := near.Word(t.text, words); meant != "" {
			return fmt.Sprintf(": “%s” is in none; %s is in some", t.text, meant)
		}
		return fmt.Sprintf(": “%s” is in none", t.text)
	}
	return ""
}
