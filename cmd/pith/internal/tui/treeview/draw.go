package treeview

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// previewFrom is the minimum width of a window with the selected entry next to the tree.
const previewFrom = 110

func (m *Model) pane() int {
	if m.width < previewFrom {
		return 0
	}
	return (m.width*9+19)/20 - 3
}

// A preview is the selected entry in full.
type preview struct {
	transient.Work
	entry string
	width int // of the pane; 0 if there is no room for one
	lines []string
}

func (m *Model) wantPreview() tea.Cmd {
	p := &m.preview
	r, ok := m.Selected()
	if !ok || p.width == 0 || p.entry == r.Last {
		return nil
	}
	p.entry, p.lines = r.Last, nil
	with := m.o.Renderer
	with.Width = p.width
	return p.Start(func(ctx context.Context) transient.Then {
		lines, err := m.source.Preview(ctx, r, with)
		if err != nil {
			lines = []string{with.Theme.Line(with.Width, paint.Span{Tone: paint.Error, Text: err.Error()})}
		}
		return func() tea.Cmd {
			p.lines = lines
			return nil
		}
	})
}

func (p *preview) resize(width int) {
	if p.width != width {
		p.width, p.entry, p.lines = width, "", nil
	}
}

// Frame returns the screen.
func (m *Model) Frame(t *paint.Theme, width, height int) *paint.Frame {
	if m.o.Renderer.Theme != t {
		m.o.Renderer.Theme = t
		m.preview.entry = ""
	}
	f := &paint.Frame{Under: m.under(t, width), Body: m.body(t, width, height), Hints: m.hints()}
	for _, part := range m.o.Title {
		f.Title = append(f.Title, paint.Faint(part), paint.Faint(" › "))
	}
	f.Title = append(f.Title, paint.Span{Tone: paint.Strong, Text: "tree"})
	f.Right = []paint.Span{m.o.Agent.Span(), paint.Faint(" " + m.o.Agent.Title)}
	f.Status = []paint.Span{paint.Faint(m.about())}
	if len(m.rows) > 0 {
		f.Place = []paint.Span{paint.Faint(fmt.Sprintf("%d of %d", m.list.At+1, len(m.rows)))}
	}
	return f
}

// under returns the search, or the filters with their counts.
func (m *Model) under(t *paint.Theme, width int) string {
	if m.typing {
		return m.search.View(t, width, " /", true)
	}
	spans := []paint.Span{{Text: " "}}
	for f := range filterCount {
		name := filterNames[f]
		if n := m.counts[f]; f >= Failed && n > 0 {
			name += fmt.Sprintf(" %d", n)
		}
		if f == m.filter {
			spans = append(spans, paint.Span{Tone: paint.Accent, Text: "[" + name + "]  "})
		} else {
			spans = append(spans, paint.Faint(name+"  "))
		}
	}
	right := facts.Join(humanize.Count(len(m.rows), "row"), humanize.Count(m.forks+1, "branch"))
	if len(m.words) > 0 {
		right = "/" + strings.Join(m.words, " ")
	}
	return t.Ends(width, spans, []paint.Span{paint.Faint(right)})
}

func (m *Model) body(t *paint.Theme, width, height int) []string {
	room := paint.Room(height)
	if len(m.rows) == 0 {
		text := "No rows: tab shows others"
		if m.reading {
			text = "Reading…"
		}
		return []string{t.Line(width, paint.Faint("  "+text))}
	}
	pane, wide := m.preview.width, width
	if pane > 0 {
		wide = width - pane - 3
	}
	lines := m.list.View(func(i int) []string { return []string{t.Mark(m.row(t, wide, i), m.marked(i), -1)} })
	if pane == 0 {
		return lines
	}
	return t.Beside(paint.Fill(lines, room), wide, m.preview.lines[:min(len(m.preview.lines), room)])
}

// marked returns what to highlight in a row.
func (m *Model) marked(i int) []*regexp.Regexp {
	if m.matches(i) {
		return m.terms
	}
	return nil
}

// row draws a row: cursor, lane, text or tool and argument, result.
func (m *Model) row(t *paint.Theme, width, i int) string {
	r := &m.rows[i]
	at := i == m.list.At
	cursor := paint.Span{Text: "  "}
	if at {
		cursor = paint.Span{Tone: paint.Accent, Text: "› "}
	}
	spans := []paint.Span{cursor, paint.Faint(strings.Repeat("│   ", min(r.depth, 12)))}
	var right []paint.Span
	switch {
	case r.Way != nil:
		sign := "▸ "
		if m.open[r.Way.First] {
			sign = "▾ "
		}
		spans = append(spans, paint.Faint("│ ╰ "+sign+r.Text))
		right = label(r.Label)
		right = append(right, paint.Faint(humanize.Count(r.Way.Entries, "entry")))
	default:
		spans = append(spans, m.lane(r)...)
		right = m.right(r)
	}
	used := paint.Width(right)
	room := width - 1 - used
	if used == 0 {
		room = width
	}
	line := cutTo(spans, room)
	line = append(line, paint.Span{Text: strings.Repeat(" ", max(0, width-paint.Width(line)-used))})
	line = append(line, right...)
	if at {
		return t.Selected(width, line...)
	}
	return t.Line(width, line...)
}

// cutTo shortens the last of spans so that they fit.
func cutTo(spans []paint.Span, cells int) []paint.Span {
	last := len(spans) - 1
	before := paint.Width(spans[:last])
	spans[last].Text = termsafe.Fit(spans[last].Text, max(1, cells-before))
	return spans
}

// lane returns what a row shows at the left.
func (m *Model) lane(r *Row) []paint.Span {
	lane, tone := "│ ", paint.Dim
	switch {
	case r.Last == m.o.Current || r.Entry == m.o.Current:
		lane, tone = "◆ ", paint.Accent
	case r.Kind == blocks.Prompt:
		lane, tone = "● ", paint.Accent
	case r.Fork != nil:
		lane = "├ "
	}
	text := paint.Plain
	switch {
	case r.depth > 0:
		text = paint.Dim
	case r.Kind == blocks.Prompt:
		text = paint.Strong
	case r.Kind == blocks.Summary:
		text = paint.Warning
	case r.Kind == blocks.Failure:
		text = paint.Error
	}
	spans := []paint.Span{{Tone: tone, Text: lane}}
	if r.Tool != "" {
		return append(spans, paint.Span{Tone: paint.Code, Text: "  " + termsafe.Pad(termsafe.Fit(r.Tool, 12), 6) + " "}, paint.Span{Tone: text, Text: r.Text})
	}
	return append(spans, paint.Span{Tone: text, Text: r.Text})
}

func label(text string) []paint.Span {
	if text == "" {
		return nil
	}
	return []paint.Span{{Tone: paint.Warning, Text: "[" + termsafe.Fit(text, 24) + "] "}}
}

// right returns what a row shows at the right.
func (m *Model) right(r *Row) []paint.Span {
	right := label(r.Label)
	switch {
	case r.Last == m.o.Current || r.Entry == m.o.Current:
		return append(right, paint.Span{Tone: paint.Accent, Text: "current"})
	case r.Fork != nil:
		return append(right, paint.Faint("⑂ "+humanize.Count(len(r.Fork.Ways), "branch")))
	case r.Kind == blocks.Prompt && r.Clock != "":
		return append(right, paint.Faint(r.Clock))
	}
	if len(r.Right) == 0 && len(right) > 0 {
		right[0].Text = strings.TrimSuffix(right[0].Text, " ")
	}
	return append(right, r.Right...)
}

var kindNames = map[blocks.Kind]string{
	blocks.Prompt: "prompt", blocks.Text: "response", blocks.Call: "call", blocks.Summary: "summary", blocks.Failure: "failed response",
	blocks.Shell: "command", blocks.Custom: "message", blocks.Remark: "remark",
}

// about describes the selected row and what Enter does.
func (m *Model) about() string {
	r, ok := m.Selected()
	switch {
	case !ok:
		return ""
	case r.Way != nil:
		return facts.Join("branch", humanize.Count(r.Way.Entries, "entry"), facts.Cost(r.Way.Spent), "enter continues at its end, → shows it")
	}
	enter := "enter continues after it"
	switch {
	case r.Last == m.o.Current || r.Entry == m.o.Current:
		enter = "current"
	case r.Kind == blocks.Prompt:
		enter = "enter continues before it, its text goes to the input"
	}
	return facts.Join(kindNames[r.Kind], r.Clock, enter)
}

// hints returns the keys that work now.
func (m *Model) hints() []paint.Hint {
	k := m.o.Keys
	hint := func(action keys.Action, word string) paint.Hint { return paint.Hint{Key: k.Letter(action), Word: word} }
	if m.typing {
		return []paint.Hint{{Key: k.Label(keys.SelectConfirm), Word: "search"}, {Key: k.Label(keys.SelectCancel), Word: "close"}}
	}
	more := hint(keys.Help, "more")
	enter := paint.Hint{Key: k.Label(keys.SelectConfirm), Word: "go back to here"}
	if len(m.words) > 0 {
		return []paint.Hint{enter, hint(keys.SearchNext, "next match"), hint(keys.SearchPrevious, "previous"), {Key: k.Label(keys.SelectCancel), Word: "clear"}, more}
	}
	tab := paint.Hint{Key: k.Label(keys.TreeFilterNext), Word: strings.ToLower(filterNames[(m.filter+1)%filterCount])}
	return []paint.Hint{enter, tab, hint(keys.NextBranch, "branch"), hint(keys.Compare, "compare"), {Key: k.Label(keys.Actions), Word: "actions"}, more}
}
