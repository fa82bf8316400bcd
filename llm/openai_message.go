package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/pith-sessions/pith/format"
)

// reasoningFields are the names under which endpoints give thoughts, which this
// protocol does not know.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// assistant gives an answer back to the model; nil when nothing of it is left.
// Its text goes as one string: some models imitate lists of parts.
func (c *OpenAI) assistant(t turn) *openai.ChatCompletionAssistantMessageParam {
	m := &openai.ChatCompletionAssistantMessageParam{}
	extra := map[string]any{}
	text, calls := joinedText(t.blocks, ""), 0
	var thoughts []*format.ThinkingBlock
	var details []json.RawMessage // of the thoughts, as the provider wants them back
	for _, b := range t.blocks {
		switch v := b.(type) {
		case *format.ThinkingBlock:
			thoughts = append(thoughts, v)
		case *format.ToolCallBlock:
			calls++
			call := &openai.ChatCompletionMessageFunctionToolCallParam{ID: v.ID}
			call.Function.Name, call.Function.Arguments = v.Name, compactJSON(v.Arguments)
			m.ToolCalls = append(m.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
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
	text = c.thoughts(thoughts, text, details != nil, extra)
	if len(details) > 0 {
		extra["reasoning_details"] = details
	}
	if c.compat.ReasoningContent && c.model.Reasoning && extra["reasoning_content"] == nil {
		extra["reasoning_content"] = ""
	}
	switch {
	case text != "":
		m.Content.OfString = param.NewOpt(text)
	case calls == 0:
		return nil // providers refuse a message that says nothing and calls nothing
	case c.compat.AssistantAfterResult:
		m.Content.OfString = param.NewOpt("")
	default:
		extra["content"] = nil
	}
	if len(extra) > 0 {
		m.SetExtraFields(extra)
	}
	return m
}

// thoughts puts thoughts under the name under which they came, or before the
// text for endpoints that know no other place. It returns the text.
func (c *OpenAI) thoughts(thoughts []*format.ThinkingBlock, text string, detailed bool, extra map[string]any) string {
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
		extra[field] = strings.Join(words, "\n")
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

func parts(blocks []format.Block) []openai.ChatCompletionContentPartUnionParam {
	var out []openai.ChatCompletionContentPartUnionParam
	for _, b := range blocks {
		if t, ok := b.(*format.TextBlock); ok {
			out = append(out, openai.TextContentPart(t.Text))
		}
		out = append(out, pictureParts([]format.Block{b})...)
	}
	return out
}

func pictureParts(blocks []format.Block) []openai.ChatCompletionContentPartUnionParam {
	var out []openai.ChatCompletionContentPartUnionParam
	for _, b := range blocks {
		if i, ok := b.(*format.ImageBlock); ok {
			url := "data:" + i.MimeType + ";base64," + i.Data
			out = append(out, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: url}))
		}
	}
	return out
}

// markLast marks the last text of the conversation for the cache.
func markLast(messages []openai.ChatCompletionMessageParamUnion) {
	mark := map[string]any{"cache_control": cacheMark}
	for i := len(messages) - 1; i >= 0; i-- {
		switch m := &messages[i]; {
		case m.OfUser != nil:
			content := m.OfUser.Content.OfArrayOfContentParts
			for j := len(content) - 1; j >= 0; j-- {
				if content[j].OfText != nil {
					content[j].OfText.SetExtraFields(mark)
					return
				}
			}
		case m.OfTool != nil:
			part := openai.ChatCompletionContentPartTextParam{Text: m.OfTool.Content.OfString.Value}
			part.SetExtraFields(mark)
			m.OfTool.Content = openai.ChatCompletionToolMessageParamContentUnion{
				OfArrayOfContentParts: []openai.ChatCompletionContentPartTextParam{part},
			}
			return
		case m.OfSystem != nil:
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
