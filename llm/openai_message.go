package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// reasoningFields are the names under which endpoints give thoughts, which this
// protocol does not know.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// assistant gives an answer back to the model; nil when nothing of it is left.
// Its text goes as one string: some models imitate lists of parts.
func (c *OpenAI) assistant(t turn) object {
	m := object{"role": "assistant"}
	text := joinedText(t.blocks, "")
	var calls []object
	var thoughts []*format.ThinkingBlock
	var details []json.RawMessage // of the thoughts, as the provider wants them back
	for _, b := range t.blocks {
		switch v := b.(type) {
		case *format.ThinkingBlock:
			thoughts = append(thoughts, v)
		case *format.ToolCallBlock:
			function := object{"name": v.Name, "arguments": compactJSON(v.Arguments)}
			calls = append(calls, object{"id": v.ID, "type": "function", "function": function})
			if d := encryptedDetail(v.ThoughtSignature); d != nil {
				details = append(details, d)
			}
		}
	}
	for _, b := range thoughts {
		if d := reasoningDetails(b.ThinkingSignature); d != nil {
			details = d
			break
		}
	}
	text = c.thoughts(thoughts, text, details != nil, m)
	if len(details) > 0 {
		m["reasoning_details"] = details
	}
	if c.compat.ReasoningContent && c.model.Reasoning && m["reasoning_content"] == nil {
		m["reasoning_content"] = ""
	}
	if len(calls) > 0 {
		m["tool_calls"] = calls
	}
	switch {
	case text != "":
		m["content"] = text
	case len(calls) == 0:
		return nil // providers refuse a message that says nothing and calls nothing
	case c.compat.AssistantAfterResult:
		m["content"] = ""
	default:
		m["content"] = nil
	}
	return m
}

// thoughts puts thoughts under the name under which they came, or before the
// text for endpoints that know no other place. It returns the text.
func (c *OpenAI) thoughts(thoughts []*format.ThinkingBlock, text string, detailed bool, message object) string {
	var words []string
	field := ""
	for _, b := range thoughts {
		if strings.TrimSpace(b.Thinking) == "" {
			continue
		}
		if len(words) == 0 {
			field = b.ThinkingSignature
		}
		words = append(words, strings.ToValidUTF8(b.Thinking, "\uFFFD"))
	}
	switch {
	case len(words) == 0:
	case c.compat.ThinkingAsText:
		return strings.TrimSuffix(strings.Join(words, "\n\n")+"\n\n"+text, "\n\n")
	case !detailed && slices.Contains(reasoningFields, field):
		message[field] = strings.Join(words, "\n")
	}
	return text
}

// reasoningDetails are the details that a signature holds; nil when it holds
// none.
func reasoningDetails(signature string) []json.RawMessage {
	if !strings.HasPrefix(signature, "[") {
		return nil
	}
	var details []json.RawMessage
	if json.Unmarshal([]byte(signature), &details) != nil {
		return nil
	}
	return details
}

// encryptedDetail is the detail that older versions kept with a call.
func encryptedDetail(signature string) json.RawMessage {
	var d struct{ Type, ID, Data string }
	if !strings.HasPrefix(signature, "{") || json.Unmarshal([]byte(signature), &d) != nil {
		return nil
	}
	if d.Type != "reasoning.encrypted" || d.ID == "" || d.Data == "" {
		return nil
	}
	return json.RawMessage(signature)
}

func joinedText(blocks []format.Block, separator string) string {
	var texts []string
	for _, b := range blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, separator)
}

func parts(blocks []format.Block) []object {
	out := []object{}
	for _, b := range blocks {
		if t, ok := b.(*format.TextBlock); ok {
			out = append(out, textPart(t.Text))
		}
		out = append(out, pictureParts([]format.Block{b})...)
	}
	return out
}

func textPart(text string) object { return object{"type": "text", "text": text} }

func pictureParts(blocks []format.Block) []object {
	var out []object
	for _, b := range blocks {
		if i, ok := b.(*format.ImageBlock); ok {
			url := "data:" + i.MimeType + ";base64," + i.Data
			out = append(out, object{"type": "image_url", "image_url": object{"url": url}})
		}
	}
	return out
}

// markLast marks the last text of the conversation for the cache.
func markLast(messages []object) {
	for _, m := range slices.Backward(messages) {
		switch m["role"] {
		case "user":
			content, _ := m["content"].([]object)
			for _, part := range slices.Backward(content) {
				if part["type"] == "text" {
					part["cache_control"] = ephemeral
					return
				}
			}
		case "tool":
			m["content"] = []object{{"type": "text", "text": m["content"], "cache_control": ephemeral}}
			return
		case "system":
			return
		}
	}
}

// compactJSON is a JSON value without white space between its tokens.
func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
