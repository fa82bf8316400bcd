package conversation

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// A renderer draws items in the colors of a theme.
type renderer struct {
	theme *paint.Theme
	width int    // of the text
	home  string // shown as ~
	cut   bool   // long lines of output are cut, not wrapped
	whole bool   // draw unfolded items completely
	times bool   // show the times of messages
}

// widest is the maximum width of texts: longer lines are hard to read.
const widest = 110

// margin is the space left of all items, which shows the cursor.
const margin = 2

func textWidth(window int) int { return max(1, min(window-margin, widest)) }

func (r *renderer) line(tone paint.Tone, text string) string {
	return r.theme.Line(r.width, paint.Span{Tone: tone, Text: text})
}

// draw returns the lines of an item, below its time if times are shown.
func (r *renderer) draw(it *inspect.Item, open bool) []string {
	lines := r.item(it, open)
	if !r.times || it.Time.IsZero() || len(lines) == 0 {
		return lines
	}
	return append([]string{r.line(paint.Dim, humanize.Time(it.Time.Time))}, lines...)
}

func (r *renderer) item(it *inspect.Item, open bool) []string {
	switch it.Kind {
	case inspect.User:
		return r.userMessage(it)
	case inspect.Response:
		return append(r.labels(it), r.marked(string(it.Text))...)
	case inspect.Thinking:
		return r.thought(it, open)
	case inspect.ToolUse:
		return r.tool(it, open)
	case inspect.Shell:
		return r.shell(it, open)
	case inspect.Compaction:
		return r.summary(it, fmt.Sprintf("compaction: %d tokens before", it.TokensBefore), open)
	case inspect.BranchSummary:
		return r.summary(it, "branch summary", open)
	case inspect.Custom:
		if it.Hidden {
			return nil
		}
		return append(r.labels(it, paint.Span{Tone: paint.Note, Text: "[" + string(it.Name) + "]"}), r.wrapped(paint.Plain, string(it.Text))...)
	case inspect.Failure:
		return r.wrapped(paint.Error, "response stopped: "+failure(it))
	}
	return r.remark(it, open)
}

// failure returns how a response ended, and why if that adds something.
func failure(it *inspect.Item) string {
	how, why := string(it.Name), strings.TrimSpace(string(it.Text))
	if why == "" || strings.EqualFold(how, why) {
		return how
	}
	return strings.TrimSpace(how + " " + why)
}

// remark draws a remark about the session, in one line.
func (r *renderer) remark(it *inspect.Item, open bool) []string {
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
			return append([]string{r.line(paint.Dim, "▾ system")}, r.wrapped(paint.Muted, string(it.Text))...)
		}
		text = "▸ system: " + firstLine(string(it.Text))
	case inspect.Jump, inspect.Other:
		text = "[" + string(it.Name) + "]"
	default:
		return nil // state of extensions, accounting, context edits
	}
	return []string{r.line(paint.Dim, text)}
}

// userMessage draws a user message, with a bar at its left.
func (r *renderer) userMessage(it *inspect.Item) []string {
	lines := r.labels(it)
	bar := r.theme.Line(2, paint.Span{Tone: paint.User, Text: "▎ "})
	text := string(it.Text)
	if it.Image != nil {
		text = it.Image.String()
	}
	for _, line := range r.wrapTo(max(1, r.width-2), paint.Strong, text) {
		lines = append(lines, bar+line)
	}
	return lines
}

func (r *renderer) thought(it *inspect.Item, open bool) []string {
	text := strings.TrimSpace(string(it.Text))
	if !open {
		return []string{r.line(paint.Dim, "▸ thinking: "+firstLine(text))}
	}
	return append([]string{r.line(paint.Dim, "▾ thinking")}, r.wrapped(paint.Muted, text)...)
}

// summary draws a summary; folded, only its start.
func (r *renderer) summary(it *inspect.Item, title string, open bool) []string {
	mark := "▸ "
	if open {
		mark = "▾ "
	}
	lines := r.labels(it, paint.Span{Tone: paint.Note, Text: mark + title})
	if open {
		lines = append(lines, r.marked(string(it.Text))...)
	} else {
		lines = append(lines, r.line(paint.Muted, "  "+firstLine(string(it.Text))))
	}
	return lines
}

func (r *renderer) wrapped(tone paint.Tone, text string) []string {
	return r.wrapTo(r.width, tone, text)
}

// labels returns a separate line for a label and other spans above an item, or
// nil if there are none.
func (r *renderer) labels(it *inspect.Item, spans ...paint.Span) []string {
	if it.Label != "" {
		spans = append([]paint.Span{{Tone: paint.Warning, Text: "[" + string(it.Label) + "] "}}, spans...)
	}
	if len(spans) == 0 {
		return nil
	}
	return []string{r.theme.Line(r.width, spans...)}
}

// firstLine returns the first nonblank line of a text, not too long.
func firstLine(text string) string {
	text = strings.TrimSpace(text)
	line, _, _ := strings.Cut(text, "\n")
	return termsafe.Fit(line, 200)
}

// mostMarkdown is the maximum length of a text that is rendered as Markdown;
// longer ones are shown unformatted.
const mostMarkdown = 128 << 10

// marked draws any text as Markdown.
func (r *renderer) marked(text string) []string {
	if len(text) > mostMarkdown || r.width < 12 {
		return r.wrapped(paint.Plain, text)
	}
	spans := markdown.Lines(text, r.width)
	lines := make([]string, len(spans))
	for i, line := range spans {
		lines[i] = r.theme.Line(r.width, line...)
	}
	return lines
}

// wrapTo wraps a text at its words.
func (r *renderer) wrapTo(width int, tone paint.Tone, text string) []string {
	var lines []string
	for _, row := range paint.WrapText(tone, text, width) {
		lines = append(lines, r.theme.Line(width, row...))
	}
	return lines
}
