package conversation

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// A drawing is the lines of an item, once they are made. An item that shows
// nothing has none.
type drawing struct {
	lines []string
	made  bool
}

// widest is how wide texts are set at most: longer lines are hard to read.
const widest = 110

// margin stands left of all items: there the cursor shows.
const margin = 2

func (m *Model) textWidth() int { return max(1, min(m.width-margin, widest)) }

// lines are those of an item, drawn once.
func (m *Model) lines(at item) []string {
	p := &m.parts[at.part]
	if p.exchange == nil {
		if p.err != nil {
			return []string{m.line(paint.Error, "this could not be read: "+p.err.Error())}
		}
		return []string{m.line(paint.Dim, "…")}
	}
	if at.item >= len(p.exchange.Items) {
		return nil
	}
	d := &p.drawn[at.item]
	if !d.made {
		d.made = true
		d.lines = m.draw(&p.exchange.Items[at.item], m.isOpen(at))
		if len(d.lines) > 0 {
			d.lines = append(d.lines, "")
		}
	}
	return d.lines
}

// line is one line of text.
func (m *Model) line(tone paint.Tone, text string) string {
	return m.theme.Line(m.textWidth(), paint.Span{Tone: tone, Text: text})
}

// draw makes the lines of an item.
func (m *Model) draw(it *inspect.Item, open bool) []string {
	switch it.Kind {
	case inspect.User:
		return m.said(it)
	case inspect.Answer:
		return append(m.labels(it), marked(m.theme, string(it.Text), m.textWidth())...)
	case inspect.Thinking:
		return m.thought(it, open)
	case inspect.ToolUse:
		return m.tool(it, open)
	case inspect.Shell:
		return m.shell(it, open)
	case inspect.Compaction:
		return m.summary(it, fmt.Sprintf("compaction: %d tokens before", it.TokensBefore), open)
	case inspect.BranchSummary:
		return m.summary(it, "summary of a branch that was left", open)
	case inspect.Custom:
		if it.Hidden {
			return nil
		}
		return append(m.labels(it, paint.Span{Tone: paint.Note, Text: "[" + string(it.Name) + "]"}), m.wrapped(paint.Plain, string(it.Text))...)
	case inspect.Failure:
		return m.wrapped(paint.Error, strings.TrimSpace("the answer ended: "+string(it.Name)+" "+string(it.Text)))
	}
	return m.remark(it, open)
}

// remark draws what is said about the session, in a line.
func (m *Model) remark(it *inspect.Item, open bool) []string {
	text := ""
	switch it.Kind {
	case inspect.ModelChange:
		text = "model: " + string(it.Name)
	case inspect.ThinkingLevel:
		text = "thinking: " + string(it.Name)
	case inspect.Name:
		text = "name: " + string(it.Name)
	case inspect.Label:
		text = "label: " + string(it.Name)
	case inspect.System:
		if open {
			return append([]string{m.line(paint.Dim, "▾ system")}, m.wrapped(paint.Muted, string(it.Text))...)
		}
		text = "▸ system: " + firstLine(string(it.Text))
	case inspect.Jump, inspect.Other:
		text = "[" + string(it.Name) + "]"
	default:
		return nil // state of extensions, accounting, context edits
	}
	return []string{m.line(paint.Dim, text)}
}

// said draws what the user said, with a bar beside it.
func (m *Model) said(it *inspect.Item) []string {
	lines := m.labels(it)
	bar := m.theme.Line(2, paint.Span{Tone: paint.User, Text: "▎ "})
	text := string(it.Text)
	if it.Image != nil {
		text = it.Image.String()
	}
	for _, line := range plainLines(m.theme, paint.Strong, text, max(1, m.textWidth()-2)) {
		lines = append(lines, bar+line)
	}
	return lines
}

func (m *Model) thought(it *inspect.Item, open bool) []string {
	text := strings.TrimSpace(string(it.Text))
	if !open {
		return []string{m.line(paint.Dim, "▸ thinking: "+firstLine(text))}
	}
	return append([]string{m.line(paint.Dim, "▾ thinking")}, m.wrapped(paint.Muted, text)...)
}

// summary draws a summary in a box of rules; folded, only its beginning.
func (m *Model) summary(it *inspect.Item, title string, open bool) []string {
	mark := "▸ "
	if open {
		mark = "▾ "
	}
	lines := m.labels(it, paint.Span{Tone: paint.Note, Text: mark + title})
	if open {
		lines = append(lines, marked(m.theme, string(it.Text), m.textWidth())...)
	} else {
		lines = append(lines, m.line(paint.Muted, "  "+firstLine(string(it.Text))))
	}
	return lines
}

func (m *Model) wrapped(tone paint.Tone, text string) []string {
	return plainLines(m.theme, tone, text, m.textWidth())
}

// labels is a line of its own for a label and what else stands above an item;
// none when there is nothing.
func (m *Model) labels(it *inspect.Item, spans ...paint.Span) []string {
	if it.Label != "" {
		spans = append([]paint.Span{{Tone: paint.Warning, Text: "[" + string(it.Label) + "] "}}, spans...)
	}
	if len(spans) == 0 {
		return nil
	}
	return []string{m.theme.Line(m.textWidth(), spans...)}
}

// firstLine is the first line of a text that says something, not too long.
func firstLine(text string) string {
	text = strings.TrimSpace(text)
	line, _, _ := strings.Cut(text, "\n")
	return termsafe.Fit(line, 200)
}
