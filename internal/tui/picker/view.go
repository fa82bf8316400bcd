package picker

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/internal/tui/look"
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
func (m *Model) View(t *look.Theme, width, height int) string {
	var lines []string
	if m.rename != nil {
		lines = m.renameView(t, width)
		return look.Block(height, lines...)
	}
	lines = append(lines, t.Rule(width))
	lines = append(lines, m.header(t, width)...)
	prompt := "> "
	if m.typing {
		prompt = "/ " // j and k are letters
	}
	lines = append(lines, "", m.input.View(t, width, prompt), "")
	lines = append(lines, m.body(t, width, height-headerLines-footerLines)...)
	lines = append(lines, m.indicator(t, width), t.Rule(width))
	return look.Block(height, lines...)
}

// body is the rows, with the preview beside them where there is room.
func (m *Model) body(t *look.Theme, width, height int) []string {
	pane := m.preview.width
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

func (m *Model) list(t *look.Theme, width, height int) []string {
	if len(m.rows) == 0 {
		return []string{t.Line(width, look.Span{Tone: look.Muted, Text: "  " + m.emptyText()})}
	}
	top := m.first()
	var out []string
	for i := top; i < len(m.rows) && len(out) < height; i++ {
		out = append(out, m.row(t, width, i))
	}
	return out
}

func (m *Model) pane(t *look.Theme, width, height int) []string {
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
func (m *Model) row(t *look.Theme, width, i int) string {
	r := &m.rows[i]
	it := r.item
	right := m.right(it)
	prefix := r.prefix()
	room := max(10, width-2-plain.Width(prefix)-plain.Width(right)-2)
	left := append([]look.Span{m.cursor(i), {Tone: look.Dim, Text: prefix}}, m.text(it, i == m.at, room)...)
	used := look.Width(left)
	pad := strings.Repeat(" ", max(1, width-used-plain.Width(right)))
	tone := look.Dim
	if it == m.confirm {
		tone = look.Error
	}
	left = append(left, look.Span{Text: pad}, look.Span{Tone: tone, Text: right})
	if i == m.at {
		return t.Selected(width, left...)
	}
	return t.Line(width, left...)
}

func (m *Model) cursor(i int) look.Span {
	if i == m.at {
		return look.Span{Tone: look.Accent, Text: "› "}
	}
	return look.Span{Text: "  "}
}

// text is what a session is called, and behind it what a search found.
func (m *Model) text(it *Item, selected bool, room int) []look.Span {
	tone := look.Plain
	switch {
	case it == m.confirm:
		tone = look.Error
	case it.Key == m.o.OpenKey && m.o.OpenKey != "":
		tone = look.Accent
	case it.named():
		tone = look.Warning
	case selected:
		tone = look.Strong
	}
	var spans []look.Span
	if it.ParentKey != "" && (m.sort != threaded || !m.query.blank) {
		spans = append(spans, look.Span{Tone: look.Dim, Text: "⑂ "}) // a fork, where no thread shows it (pitfall 149)
		room -= 2
	}
	title := plain.Fit(it.title(), room)
	spans = append(spans, look.Span{Tone: tone, Text: title})
	if hit, ok := m.hits.of(it.Path); ok && hit.Snippet != "" {
		if left := room - plain.Width(title) - 3; left > 8 {
			spans = append(spans, look.Span{Tone: look.Muted, Text: " · " + plain.Fit(hit.Snippet, left)})
		}
	}
	return spans
}

// right is where a session lies, how many messages it has and how old it is.
func (m *Model) right(it *Item) string {
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
	if m.isActive(it) {
		parts = append(parts, "●")
	}
	parts = append(parts, fmt.Sprint(it.MessageCount), age(m.o.Now(), it.Modified))
	return plain.Line(strings.Join(parts, " "))
}

// activeFor is how long after a write a session counts as being written.
const activeFor = 20 * time.Second

// isActive reports whether somebody seems to be writing a session just now
// (pitfall 60).
func (m *Model) isActive(it *Item) bool {
	since := m.o.Now().Sub(it.FileTime)
	return !it.FileTime.IsZero() && since < activeFor && since > -activeFor
}

// homely shortens the home folder, by whole names.
func (m *Model) homely(path string) string {
	if m.o.Home == "" {
		return path
	}
	if path == m.o.Home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, m.o.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func (m *Model) indicator(t *look.Theme, width int) string {
	var parts []string
	if len(m.rows) > m.pageSize {
		parts = append(parts, fmt.Sprintf("(%d/%d)", m.at+1, len(m.rows)))
	}
	if m.hits.running {
		parts = append(parts, "searching texts…")
	}
	return t.Line(width, look.Span{Tone: look.Muted, Text: "  " + strings.Join(parts, "  ")})
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
	case m.scope == All:
		return "no sessions; pith demo makes some to try"
	}
	return "no sessions in this folder; " + tab + " shows all"
}

func (m *Model) renameView(t *look.Theme, width int) []string {
	return []string{
		t.Rule(width), "",
		t.Line(width, look.Span{Tone: look.Strong, Text: "Rename Session"}), "",
		m.rename.input.View(t, width, "> "), "",
		t.Line(width, look.Span{Tone: look.Dim, Text: m.o.Keys.Label(keys.SelectConfirm) + " save · " + m.o.Keys.Label(keys.SelectCancel) + " cancel"}),
		"", t.Rule(width),
	}
}
