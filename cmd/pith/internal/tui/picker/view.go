package picker

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/amount"
)

// headerLines is the number of lines above the rows: a rule, two header lines, a
// banner or a blank line, the search, a blank line. footerLines is the number
// below them.
const (
	headerLines = 6
	footerLines = 2
)

// fewestRows is the number of rows for which a low window leaves out the lines around
// them: it keeps the title or a message, the search, and the rows.
const (
	fewestRows   = 3
	compactLines = 2
)

// rowLines returns the number of lines for rows in a window, and whether the lines around
// them are left out.
func rowLines(height int) (rows int, compact bool) {
	if rows = height - headerLines - footerLines; rows >= fewestRows {
		return rows, false
	}
	return max(1, height-compactLines), true
}

// previewFrom is the minimum width of a window with a preview next to the list.
const previewFrom = 110

func (m *Model) resize(width, height int) {
	var compact bool
	m.pageSize, compact = rowLines(height)
	m.head = headerLines
	if compact {
		m.head = compactLines
	}
	pane := 0
	if width >= previewFrom {
		pane = width * 2 / 5
	}
	m.preview.resize(pane)
}

// first returns the first shown row, given the selected one.
func (m *Model) first() int {
	return max(0, min(m.at-m.pageSize/2, len(m.rows)-m.pageSize))
}

// View draws the picker.
func (m *Model) View(t *paint.Theme, width, height int) string {
	d := &drawing{m, t}
	if m.rename != nil {
		return paint.Block(height, dialog.Low(d.renameView(width), height, renameLine)...)
	}
	rows, compact := rowLines(height)
	head, search := d.header(width), m.input.View(t, width, "> ")
	if compact {
		first := head[0]
		if _, any := d.message(width); any {
			first = head[1]
		}
		return paint.Block(height, append([]string{first, search}, d.body(width, rows)...)...)
	}
	lines := append([]string{t.Rule(width)}, head...)
	lines = append(lines, d.banner(width), search, "")
	lines = append(lines, d.body(width, rows)...)
	lines = append(lines, d.indicator(width), t.Rule(width))
	return paint.Block(height, lines...)
}

type drawing struct {
	*Model
	theme *paint.Theme
}

// banner says that the sessions are the demo's.
func (d *drawing) banner(width int) string {
	if !d.lists[d.scope].demo {
		return ""
	}
	return d.theme.Line(width, paint.Span{Tone: paint.Warning, Text: "Demo: you have no sessions yet"}, paint.Span{Tone: paint.Muted, Text: between + "n to start one"})
}

// body returns the rows, with the preview next to them if there is room.
func (d *drawing) body(width, height int) []string {
	pane := d.preview.width
	if len(d.rows) == 0 {
		pane = 0 // nothing to show
	}
	listWidth := width
	if pane > 0 {
		listWidth = width - pane - 3
	}
	list := paint.Fill(d.list(listWidth, height), height)
	if pane > 0 {
		return d.theme.Beside(list, listWidth, d.pane(pane, height))
	}
	return list
}

func (d *drawing) list(width, height int) []string {
	if len(d.rows) == 0 {
		return []string{d.theme.Line(width, paint.Span{Tone: paint.Muted, Text: "  " + d.emptyText()})}
	}
	top := d.first()
	var out []string
	for i := top; i < len(d.rows) && len(out) < height; i++ {
		out = append(out, d.row(width, i))
	}
	return out
}

func (d *drawing) pane(width, height int) []string {
	it := d.Selected()
	if it == nil {
		return nil
	}
	var out []string
	if d.paths {
		for _, row := range paint.Wrap([]paint.Span{{Tone: paint.Muted, Text: termsafe.Line(d.file(it))}}, width) {
			out = append(out, d.theme.Line(width, row...))
		}
		out = append(out, "")
	}
	for _, spans := range d.preview.cache[d.spot(it).key(it, d.input.Value())] {
		if len(out) == height {
			break
		}
		out = append(out, d.theme.Line(width, highlight(spans, d.filter.query.terms)...))
	}
	return out
}

// highlight marks the matches of terms in a line.
func highlight(spans []paint.Span, terms []*regexp.Regexp) []paint.Span {
	var out []paint.Span
	for _, s := range spans {
		text := termsafe.Line(s.Text)
		for text != "" {
			first := []int{len(text), len(text)}
			for _, t := range terms {
				if at := t.FindStringIndex(text); at != nil && at[0] < first[0] && at[1] > at[0] {
					first = at
				}
			}
			if first[1] > first[0] {
				first[0], first[1] = paint.WholeClusters(text, first[0], first[1])
			}
			if first[0] > 0 {
				out = append(out, paint.Span{Tone: s.Tone, Text: text[:first[0]]})
			}
			if first[1] > first[0] {
				out = append(out, paint.Span{Tone: paint.Match, Text: text[first[0]:first[1]]})
			}
			text = text[first[1]:]
		}
	}
	return out
}

// row draws one session: cursor, thread, text, and on the right its place and
// age.
func (d *drawing) row(width, i int) string {
	r := &d.rows[i]
	it := r.item
	prefix := r.prefix()
	room := width - 2 - termsafe.Width(prefix)
	right := d.right(it, room-termsafe.Width(termsafe.Fit(it.title(), max(10, room/2)))-2)
	room = max(10, room-termsafe.Width(right)-2)
	left := append([]paint.Span{d.cursor(i), {Tone: paint.Dim, Text: prefix}}, d.text(it, i == d.at, room)...)
	used := paint.Width(left)
	pad := strings.Repeat(" ", max(1, width-used-termsafe.Width(right)))
	tone := paint.Dim
	if slices.Contains(d.confirm, it) {
		tone = paint.Error
	}
	left = append(left, paint.Span{Text: pad}, paint.Span{Tone: tone, Text: right})
	if i == d.at {
		return d.theme.Selected(width, left...)
	}
	return d.theme.Line(width, left...)
}

func (d *drawing) cursor(i int) paint.Span {
	mark := " "
	if d.chosen[d.rows[i].item.Key] {
		mark = "+"
	}
	if i == d.at {
		return paint.Span{Tone: paint.Accent, Text: "›" + mark}
	}
	return paint.Span{Tone: paint.Accent, Text: " " + mark}
}

// text returns the title of a session, followed by the match of a search.
func (d *drawing) text(it *Item, selected bool, room int) []paint.Span {
	tone := paint.Plain
	switch {
	case slices.Contains(d.confirm, it):
		tone = paint.Error
	case it.Key == d.o.OpenKey && d.o.OpenKey != "":
		tone = paint.Accent
	case it.named():
		tone = paint.Warning
	case selected:
		tone = paint.Strong
	}
	var spans []paint.Span
	if it.ParentKey != "" && (d.filter.sort != threaded || !d.filter.query.blank) {
		spans = append(spans, paint.Span{Tone: paint.Dim, Text: "⑂ "}) // a fork, where no thread shows it (pitfall 149)
		room -= 2
	}
	if it.Marks.Pinned {
		spans = append(spans, paint.Span{Tone: paint.Warning, Text: "* "}) // as in pith ls
		room -= 2
	}
	hit, _ := d.hits.of(it.Path)
	tags := termsafe.Fit(tagText(it.Marks.Tags), room/3)
	room -= termsafe.Width(tags)
	if tags != "" {
		room--
	}
	most := room
	if hit.Snippet != "" {
		most = max(10, room/2) // a long title leaves room for the match
	}
	title := termsafe.Fit(it.title(), most)
	spans = append(spans, paint.Span{Tone: tone, Text: title})
	if tags != "" {
		spans = append(spans, paint.Span{Tone: paint.Note, Text: " " + tags})
	}
	if hit.Snippet != "" {
		if left := room - termsafe.Width(title) - 3; left > 8 {
			spans = append(spans, paint.Span{Tone: paint.Muted, Text: " · " + termsafe.Fit(hit.Snippet, left)})
		}
	}
	return spans
}

// right returns the place of a session, its number of messages and its age. If
// there is little room, the end of the path is kept; the age is always shown.
func (d *drawing) right(it *Item, room int) string {
	tail := fmt.Sprintf("%*d %3s", d.digits(), it.MessageCount, humanize.Age(d.o.Now().Sub(it.Modified)))
	if isActive(&it.Info, d.o.Now()) {
		tail = "● " + tail
	}
	return strings.TrimPrefix(termsafe.FitEnd(d.where(it), room-termsafe.Width(tail)-1)+" "+tail, " ")
}

// activeFor is the time after a write in which a session counts as being
// written.
const activeFor = 20 * time.Second

// isActive reports whether a session seems to be written right now.
func isActive(i *catalog.Info, now time.Time) bool {
	since := now.Sub(i.FileTime)
	return !i.FileTime.IsZero() && since < activeFor && since > -activeFor
}

// digits returns the width of the column with the numbers of messages.
func (d *drawing) digits() int {
	n := 1
	for i := d.first(); i < min(len(d.rows), d.first()+d.pageSize); i++ {
		n = max(n, len(strconv.Itoa(d.rows[i].item.MessageCount)))
	}
	return n
}

// where returns the program and the place of a session.
func (d *drawing) where(it *Item) string {
	var parts []string
	if it.Root != "" && it.Root != catalog.RootPi && it.Root != catalog.RootCustom {
		parts = append(parts, it.Root)
	}
	if d.paths && d.preview.width == 0 { // the preview shows it in full
		parts = append(parts, d.shortPath(d.file(it)))
	}
	if d.scope == All && it.Cwd != "" {
		parts = append(parts, d.shortPath(it.Cwd))
	}
	if it.Marks.Archived {
		parts = append(parts, "archived")
	}
	return termsafe.Line(strings.Join(parts, " "))
}

// longestPath is the maximum length of a path: a header may contain anything.
const longestPath = 1000

func (d *drawing) file(it *Item) string {
	if d.o.File == nil {
		return it.Path
	}
	return d.o.File(it)
}

func (d *drawing) shortPath(path string) string {
	return humanize.Path(d.o.Home, path[max(0, len(path)-longestPath):])
}

// indicator returns the line below the rows: the position of the selection,
// running work, and the facts of the selected session.
func (d *drawing) indicator(width int) string {
	var parts []string
	if len(d.rows) > d.pageSize {
		parts = append(parts, fmt.Sprintf("(%d/%d)", d.at+1, len(d.rows)))
	}
	if d.hits.running {
		doing := "searching messages…"
		if d.hits.percent > 0 {
			doing += fmt.Sprintf(" %d%%", d.hits.percent)
		}
		parts = append(parts, doing)
	}
	if d.hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d archived: %s to show", d.hidden, d.o.Keys.Label(keys.ShowArchived)))
	}
	left := "  " + strings.Join(parts, "  ")
	if len(parts) > 0 {
		left += "  "
	}
	return d.theme.Line(width, paint.Span{Tone: paint.Muted, Text: left}, paint.Span{Tone: paint.Dim, Text: d.facts(width - termsafe.Width(left))})
}

// facts returns the short ID of the selected session, how it ended, its model,
// its cost and its file. The end of the path is kept if it is too long.
func (d *drawing) facts(room int) string {
	it := d.Selected()
	if it == nil {
		return ""
	}
	parts := []string{d.shortID(it)}
	if it.Status != "" {
		parts = append(parts, string(it.Status))
	}
	if it.Model != "" {
		parts = append(parts, it.Model)
	}
	if cost := amount.Cost(it.Spent); cost == "unknown" {
		parts = append(parts, "cost unknown")
	} else if cost != "" {
		parts = append(parts, cost)
	}
	facts := termsafe.Line(strings.Join(parts, between))
	path := termsafe.Line(d.shortPath(d.file(it)))
	if left := room - termsafe.Width(facts+between); termsafe.Width(path) > left {
		path = termsafe.FitEnd(path, left)
	}
	return strings.TrimSuffix(strings.TrimPrefix(facts+between+path, between), between)
}

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
	return termsafe.Line(it.ID[:min(n, len(it.ID))])
}

func (d *drawing) emptyText() string {
	l := &d.lists[d.scope]
	tab := d.o.Keys.Label(keys.InputTab)
	if d.o.Pick {
		tab = d.o.Keys.Label(keys.ToggleScope)
	}
	switch {
	case d.filter.query.fault != "":
		return "invalid search"
	case l.loading && len(l.items) == 0:
		return "loading…"
	case d.filter.named && d.scope == All:
		return "no named sessions"
	case d.filter.named:
		return "no named sessions in this project; " + tab + " for all"
	case d.hits.running:
		return "no matches so far"
	case !d.filter.query.IsZero() && d.elsewhere.search != "" && d.elsewhere.count > 0:
		return fmt.Sprintf("no matches here, %d in all projects: %s", d.elsewhere.count, tab)
	case !d.filter.query.IsZero():
		return "no matches"
	case d.hidden > 0:
		return "only archived sessions"
	case d.o.Pick && d.scope == All:
		return "no sessions yet"
	case d.o.Pick:
		return "no sessions in this project; " + tab + " for all"
	case d.scope == All:
		return "no sessions yet; " + d.o.Keys.Label(keys.NewHere) + " to start one"
	}
	return "no sessions in this project; " + tab + " for all, " + d.o.Keys.Label(keys.NewHere) + " to start one"
}

// renameLine is the index of the input in the lines of renameView.
const renameLine = 4

func (d *drawing) renameView(width int) []string {
	title := "Rename Session"
	if d.rename.tags {
		title = "Tags"
		if n := len(d.targets()); n > 1 {
			title = "Tags for " + humanize.Count(n, "session") + " (-tag removes one)"
		}
	}
	return []string{
		d.theme.Rule(width), "",
		d.theme.Line(width, paint.Span{Tone: paint.Strong, Text: title}), "",
		d.rename.input.View(d.theme, width, "> "), "",
		d.theme.Line(width, paint.Span{Tone: paint.Dim, Text: d.o.Keys.Label(keys.SelectConfirm) + " save · " + d.o.Keys.Label(keys.SelectCancel) + " cancel"}),
		"", d.theme.Rule(width),
	}
}
