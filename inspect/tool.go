package inspect

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// call adds a call, whose result may come later.
func (b *builder) call(c *format.ToolCallBlock, e *pith.Envelope) {
	tool := &Tool{CallID: Text(c.ID), Arguments: shortArguments(c.Arguments, b.detail.MaxContent)}
	i := b.add(Item{Kind: ToolUse, Name: Text(c.Name), Tool: tool}, e)
	if c.ID != "" {
		b.calls[c.ID] = i // of calls with the same id the last one waits, as in pi
	}
}

// result joins a result with its call by the call's id. A result without a call
// becomes a separate item.
func (b *builder) result(m *format.ToolResult, e *pith.Envelope) {
	r := &Result{
		EntryID: Text(e.ID), Time: Moment{e.Time}, Label: Text(b.label(e.ID)),
		IsError: m.IsError, DurationMs: m.DurationMs, Spent: spentOn(m.Usage.Spent(), ""),
	}
	r.Text, r.LeftOut = cut(resultText(m.Content), b.detail.MaxContent)
	for _, block := range m.Content.Blocks {
		if image, ok := block.(*format.ImageBlock); ok {
			r.Images = append(r.Images, *imageOf(image))
		}
	}
	if r.Spent != nil {
		b.x.Spent = b.x.Spent.Plus(r.Spent.Spent)
	}
	if i, ok := b.calls[m.ToolCallID]; ok {
		b.x.Items[i].Tool.Result = r
		delete(b.calls, m.ToolCallID)
		return
	}
	b.add(Item{Kind: ToolUse, Name: Text(m.ToolName), Tool: &Tool{CallID: Text(m.ToolCallID), Result: r, Orphan: true}}, e)
}

// resultText returns the text of a tool result, with each text block on its own
// line. Unknown blocks are shown as JSON.
func resultText(c format.Content) string {
	if c.IsText {
		return c.Text
	}
	var parts []string
	for _, block := range c.Blocks {
		switch block := block.(type) {
		case *format.TextBlock:
			parts = append(parts, block.Text)
		case *format.ThinkingBlock:
			parts = append(parts, block.Thinking)
		case *format.ToolCallBlock, *format.UnknownBlock:
			parts = append(parts, string(block.JSON()))
		}
	}
	return strings.Join(parts, "\n")
}

// shortArguments returns a copy of a call's arguments in which long values are
// truncated. It is always JSON, or nil for none.
func shortArguments(raw json.RawMessage, most int) json.RawMessage {
	switch {
	case len(raw) == 0:
		return nil
	case most <= 0 || len(raw) <= most:
		return append(json.RawMessage(nil), raw...)
	case jsonl.KindOf(raw) != '{':
		return shortValue(raw, most)
	}
	out := json.RawMessage{'{'}
	for key, value := range jsonl.Members(raw) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, key...), ':')
		out = append(out, shortValue(value, most)...)
	}
	return append(out, '}')
}

// shortValue returns a value unchanged, or the beginning of a long one as a
// string.
func shortValue(raw []byte, most int) json.RawMessage {
	text, isString := jsonl.String(raw)
	if !isString {
		text = string(raw)
	}
	short, left := cut(text, most)
	if left == nil {
		return append(json.RawMessage(nil), raw...)
	}
	return jsonl.AppendString(nil, fmt.Sprintf("%s… (%d more characters)", short, left.Characters))
}
