package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// reasoningFields are the names under which endpoints send reasoning, which the
// protocol does not define.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// assistant returns a response as a message, or nil if nothing of it is left.
// Its text is one string, because some models imitate lists of parts.
func (c *OpenAI) assistant(t turn) object {
	m := object{"role": "assistant"}
	text := joinedText(t.blocks, "")
	var calls []object
	var thoughts []*format.ThinkingBlock
	var details []json.RawMessage // reasoning details, as the provider requires them back
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
		return nil // providers reject a message without text and calls
	case c.compat.AssistantAfterResult:
		m["content"] = ""
	default:
		m["content"] = nil
	}
	return m
}

// thoughts adds reasoning under the name under which it came, or before the
// text for endpoints that support nothing else. It returns the text.
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

// reasoningDetails returns the details in a signature, or nil.
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

// encryptedDetail returns the detail that older versions stored with a call.
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
			out = append(out, object{"type": "text", "text": t.Text})
		}
		out = append(out, pictureParts([]format.Block{b})...)
	}
	return out
}

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

// compactJSON returns a JSON value without insignificant white space.
func compactJSON(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// details is the reasoning of a model in OpenRouter's format, which must be
// sent back with the response. It arrives in pieces.
type details []*detail

type detail struct {
	kind    string
	text    strings.Builder // the member that arrives in pieces
	members map[string]json.RawMessage
}

// detailText is the name of that member, for each kind of detail.
var detailText = map[string]string{"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}

// add adds a list of pieces. Consecutive pieces of text form one detail;
// encrypted ones stay separate. It reports whether there was any.
func (d *details) add(raw json.RawMessage) bool {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return false
	}
	added := false
	for _, piece := range list {
		var kind, text string
		if json.Unmarshal(piece["type"], &kind) != nil || json.Unmarshal(piece[detailText[kind]], &text) != nil {
			continue
		}
		added = true
		if n := len(*d); n == 0 || (*d)[n-1].kind != kind || kind == "reasoning.encrypted" {
			*d = append(*d, &detail{kind: kind, members: map[string]json.RawMessage{}})
		}
		last := (*d)[len(*d)-1]
		last.text.WriteString(text)
		for name, value := range piece {
			if old := string(last.members[name]); old == "" || old == "null" || old == `""` {
				last.members[name] = value
			}
		}
	}
	return added
}

// String returns the JSON that a session stores.
func (d details) String() string {
	list := make([]map[string]any, 0, len(d))
	for _, one := range d {
		members := make(map[string]any, len(one.members))
		for name, value := range one.members {
			members[name] = value
		}
		members[detailText[one.kind]] = one.text.String()
		list = append(list, members)
	}
	out, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(out)
}
