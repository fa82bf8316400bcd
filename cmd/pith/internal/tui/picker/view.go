package picker

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// headerLines stand above the rows: a rule, three lines of header, the search
// between two blank lines. footerLines stand below them.
const (
	headerLines = 7
	footerLines = 2
)

// previewFrom is how wide a window must be to show the last exchange beside the
// list.
const previewFrom = 110

// resize takes the size of the window.
func (m *Model) resize(width, height int) {
	m.pageSize = max(3, height-headerLines-footerLines)
	pane := 0
	if width >= previewFrom {
		pane = width * 2 / 5
	}
	m.preview.resize(pane)
}

// first is the first row that is shown, given the selected one.
func (m *Model) first() int {
	return max(0, min(m.at-m.pageSize/2, len(m.rows)-m.pageSize))
}

// View draws the picker.
func (m *Model) View(t *paint.Theme, width, height int) string {
	if m.rename != nil {
		return paint.Block(height, m.renameView(t, width)...)
	}
	lines := append([]string{t.Rule(width)}, m.header(t, width)...)
	prompt := "> "
	if m.typing {
		prompt = "/ " // j and k are letters
	}
	lines = append(lines, "", m.input.View(t, width, prompt), "")
	lines = append(lines, m.body(t, width, height-headerLines-footerLines)...)
	lines = append(lines, m.indicator(t, width), t.Rule(width))
	return paint.Block(height, lines...)
}

// body is the rows, with the preview beside them where there is room.
func (m *Model) body(t *paint.Theme, width, height int) []string {
	pane := m.preview.width
	if len(m.rows) == 0 {
		pane = 0 // there is nothing to show there
	}
	listWidth := width
	if pane > 0 {
		listWidth = width - pane - 3
	}
	list := m.list(t, listWidth, height)
	for len(list) < height {
		list = append(list, "")
	}
	if pane > 0 {
		return t.Beside(list, listWidth, m.pane(t, pane, height))
	}
	return list
}

func (m *Model) list(t *paint.Theme, width, height int) []string {
	if len(m.rows) == 0 {
		return []string{t.Line(width, paint.Span{Tone: paint.Muted, Text: "  " + m.emptyText()})}
	}
	top := m.first()
	var out []string
	for i := top; i < len(m.rows) && len(out) < height; i++ {
		out = append(out, m.row(t, width, i))
	}
	return out
}

func (m *Model) pane(t *paint.Theme, width, height int) []string {
	it := m.Selected()
	if it == nil {
		return nil
	}
	var out []string
	for _, spans := range m.preview.cache[it.Path] {
		if len(out) == height {
			break
		}
		out = append(out, t.Line(width, spans...))
	}
	return out
}

// row draws one session: cursor, thread, text, and on the right where and when.
func (m *Model) row(t *paint.Theme, width, i int) string {
	r := &m.rows[i]
	it := r.item
	prefix := r.prefix()
	room := width - 2 - termsafe.Width(prefix)
	right := m.right(it, room-termsafe.Width(termsafe.Fit(it.title(), max(10, room/2)))-2)
	room = max(10, room-termsafe.Width(right)-2)
	left := append([]paint.Span{m.cursor(i), {Tone: paint.Dim, Text: prefix}}, m.text(it, i == m.at, room)...)
	used := paint.Width(left)
	pad := strings.Repeat(" ", max(1, width-used-termsafe.Width(right)))
	tone := paint.Dim
	if it == m.confirm {
		tone = paint.Error
	}
	left = append(left, paint.Span{Text: pad}, paint.Span{Tone: tone, Text: right})
	if i == m.at {
		return t.Selected(width, left...)
	}
	return t.Line(width, left...)
}

func (m *Model) cursor(i int) paint.Span {
	if i == m.at {
		return paint.Span{Tone: paint.Accent, Text: "› "}
	}
	return paint.Span{Text: "  "}
}

// text is what a session is called, and behind it what a search found.
func (m *Model) text(it *Item, selected bool, room int) []paint.Span {
	tone := paint.Plain
	switch {
	case it == m.confirm:
		tone = paint.Error
	case it.Key == m.o.OpenKey && m.o.OpenKey != "":
		tone = paint.Accent
	case it.named():
		tone = paint.Warning
	case selected:
		tone = paint.Strong
	}
	var spans []paint.Span
	if it.ParentKey != "" && (m.sort != threaded || !m.query.blank) {
		spans = append(spans, paint.Span{Tone: paint.Dim, Text: "⑂ "}) // a fork, where no thread shows it (pitfall 149)
		room -= 2
	}
	if it.Marks.Pinned {
		spans = append(spans, paint.Span{Tone: paint.Warning, Text: "* "}) // as in pith ls
		room -= 2
	}
	title := termsafe.Fit(it.title(), room)
	spans = append(spans, paint.Span{Tone: tone, Text: title})
	if tags := tagText(it.Marks.Tags); tags != "" {
		if left := room - termsafe.Width(title) - 1; left > 3 {
			tags = " " + termsafe.Fit(tags, left)
			spans = append(spans, paint.Span{Tone: paint.Note, Text: tags})
			room -= termsafe.Width(tags)
		}
	}
	if hit, ok := m.hits.of(it.Path); ok && hit.Snippet != "" {
		if left := room - termsafe.Width(title) - 3; left > 8 {
			spans = append(spans, paint.Span{Tone: paint.Muted, Text: " · " + termsafe.Fit(hit.Snippet, left)})
		}
	}
	return spans
}

// right is where a session lies, how many messages it has and how old it is. Where
// there is little room the end of a path says most; the age is always there.
func (m *Model) right(it *Item, room int) string {
	tail := fmt.Sprintf("%d %s", it.MessageCount, humanize.Age(m.o.Now().Sub(it.Modified)))
	if m.isActive(it) {
		tail = "● " + tail
	}
	where := m.where(it)
	if left := room - termsafe.Width(tail) - 1; termsafe.Width(where) > left {
		where = lastCells(where, left)
	}
	return strings.TrimSpace(where + " " + tail)
}

// where is which program's a session is, and where it lies.
func (m *Model) where(it *Item) string {
	var parts []string
	if it.Root != "" && it.Root != catalog.RootPi {
		parts = append(parts, it.Root)
	}
	if m.paths {
		parts = append(parts, m.homely(it.Path))
	}
	if m.scope == All && it.Cwd != "" {
		parts = append(parts, m.homely(it.Cwd))
	}
	if it.Marks.Archived {
		parts = append(parts, "archived")
	}
	return termsafe.Line(strings.Join(parts, " "))
}

// lastCells is as much of the end of a text as fits; nothing where that would say
// nothing.
func lastCells(text string, cells int) string {
	if cells < 6 {
		return ""
	}
	at := len(text)
	for left := cells - 1; at > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if left -= termsafe.Width(string(r)); left < 0 {
			break
		}
		at -= size
	}
	return "…" + text[at:]
}

// longestPath is how much of a path is looked at: a header may hold anything.
const longestPath = 1000

func (m *Model) homely(path string) string {
	return humanize.Path(m.o.Home, path[max(0, len(path)-longestPath):])
}

// activeFor is how long after a write a session counts as being written.
const activeFor = 20 * time.Second

// isActive reports whether somebody seems to be writing a session just now
// (pitfall 60).
func (m *Model) isActive(it *Item) bool {
	since := m.o.Now().Sub(it.FileTime)
	return !it.FileTime.IsZero() && since < activeFor && since > -activeFor
}

func (m *Model) indicator(t *paint.Theme, width int) string {
	var parts []string
	if len(m.rows) > m.pageSize {
		parts = append(parts, fmt.Sprintf("(%d/%d)", m.at+1, len(m.rows)))
	}
	if m.hits.running {
		parts = append(parts, "searching texts…")
	}
	if m.hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d archived: %s shows them", m.hidden, m.o.Keys.Label(keys.ShowArchived)))
	}
	return t.Line(width, paint.Span{Tone: paint.Muted, Text: "  " + strings.Join(parts, "  ")})
}

func (m *Model) emptyText() string {
	l := &m.lists[m.scope]
	tab := m.o.Keys.Label(keys.InputTab)
	switch {
	case m.query.fault != "":
		return "nothing can match"
	case l.loading && len(l.items) == 0:
		return "loading…"
	case m.named && m.scope == All:
		return "no named sessions"
	case m.named:
		return "no named sessions in this folder; " + tab + " shows all"
	case !m.query.blank:
		return "no session fits the search"
	case m.hidden > 0:
		return "nothing but archived sessions"
	case m.scope == All:
		return "no sessions yet; " + m.o.Keys.Label(keys.NewHere) + " begins one, pith demo makes some to try"
	}
	return "no sessions in this folder; " + tab + " shows all, " + m.o.Keys.Label(keys.NewHere) + " begins one"
}

func (m *Model) renameView(t *paint.Theme, width int) []string {
	return []string{
		t.Rule(width), "",
		t.Line(width, paint.Span{Tone: paint.Strong, Text: "Rename Session"}), "",
		m.rename.input.View(t, width, "> "), "",
		t.Line(width, paint.Span{Tone: paint.Dim, Text: m.o.Keys.Label(keys.SelectConfirm) + " save · " + m.o.Keys.Label(keys.SelectCancel) + " cancel"}),
		"", t.Rule(width),
	}
}
