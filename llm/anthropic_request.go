package llm

import (
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// ephemeral marks the end of the part that a provider should cache.
var ephemeral = object{"type": "ephemeral"}

// body returns a request in Anthropic's format, and the beta features that it
// needs.
func (c *Anthropic) body(r Request) (body object, betas []string) {
	history := turns(r.Messages, c.model, anthropicCallID)
	body = object{
		"model":    c.model.ID,
		"messages": anthropicMessages(history, c.compat.AllowNoSignature),
		"stream":   true,
	}
	if tools := c.tools(r.Tools); len(tools) > 0 {
		body["tools"] = tools
	} else if tools := c.tools(calledTools(history)); len(tools) > 0 {
		// Anthropic rejects a conversation with calls that declares no tools.
		body["tools"], body["tool_choice"] = tools, object{"type": "none"}
	}
	if text := strings.ToValidUTF8(r.System, "\uFFFD"); strings.TrimSpace(text) != "" {
		body["system"] = []object{{"type": "text", "text": text, "cache_control": ephemeral}}
	}
	betas = c.limits(body, r)
	return body, betas
}

// limits sets the maximum length of the response and how much of it is for
// thinking.
func (c *Anthropic) limits(body object, r Request) (betas []string) {
	most := c.model.MaxTokens
	if most <= 0 {
		most = max(unknownMax, r.MaxTokens)
	}
	limit := most
	if r.MaxTokens > 0 {
		limit = min(limit, r.MaxTokens)
	}
	body["max_tokens"] = room(c.model, r, limit)
	switch level := c.level(r.Thinking); {
	case level == "off":
		if c.model.Reasoning && c.levels.has("off") {
			body["thinking"] = object{"type": "disabled"}
		}
	case thinksByItself(c.model, c.compat):
		body["thinking"] = object{"type": "adaptive", "display": "summarized"}
		body["output_config"] = object{"effort": c.levels.effort(level)}
	default:
		answer, thinking := budget(level, r.MaxTokens, most)
		answer = room(c.model, r, answer)
		thinking = min(thinking, answer-minAnswer)
		if thinking < minAnswer {
			break // not enough room for thinking
		}
		body["max_tokens"] = answer
		body["thinking"] = object{"type": "enabled", "budget_tokens": thinking, "display": "summarized"}
		return []string{betaInterleaved}
	}
	return nil
}

func (c *Anthropic) tools(tools []Tool) []object {
	var out []object
	for i, t := range tools {
		tool := object{"name": t.Name, "input_schema": schema(t.Parameters)}
		if t.Description != "" {
			tool["description"] = t.Description
		}
		if c.compat.EagerToolInput {
			tool["eager_input_streaming"] = true
		}
		if i == len(tools)-1 && c.compat.CacheControlTools {
			tool["cache_control"] = ephemeral
		}
		out = append(out, tool)
	}
	return out
}

// schema returns the parameters of a tool as providers require them: a schema
// with type object and properties. It returns a valid schema unchanged.
func schema(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if members["type"] != nil && members["properties"] != nil {
		return raw
	}
	members["type"] = json.RawMessage(`"object"`)
	if members["properties"] == nil {
		members["properties"] = json.RawMessage(`{}`)
	}
	out, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out
}

// anthropicMessages joins the results of one response in one message, as the
// protocol requires, and marks the end of the conversation for the cache.
func anthropicMessages(history []turn, noSignature bool) []object {
	out := []object{}
	var results []object // results in the last message, if any
	for _, t := range history {
		switch t.role {
		case format.RoleUser:
			out = append(out, object{"role": "user", "content": anthropicBlocks(t.blocks, noSignature)})
		case format.RoleAssistant:
			if blocks := anthropicBlocks(t.blocks, noSignature); len(blocks) > 0 {
				out = append(out, object{"role": "assistant", "content": blocks})
			}
		case format.RoleToolResult:
			if results == nil {
				out = append(out, object{"role": "user"})
			}
			results = append(results, anthropicResult(t))
			out[len(out)-1]["content"] = results
			continue
		}
		results = nil
	}
	if len(out) > 0 {
		markForCache(out[len(out)-1])
	}
	return out
}

func markForCache(message object) {
	content, _ := message["content"].([]object)
	if message["role"] == "user" && len(content) > 0 {
		content[len(content)-1]["cache_control"] = ephemeral
	}
}

func anthropicBlocks(blocks []format.Block, noSignature bool) []object {
	out := []object{}
	for _, b := range blocks {
		switch v := b.(type) {
		case *format.TextBlock, *format.ImageBlock:
			out = append(out, anthropicContent(v))
		case *format.ThinkingBlock:
			out = append(out, anthropicThought(v, noSignature))
		case *format.ToolCallBlock:
			out = append(out, object{"type": "tool_use", "id": v.ID, "name": v.Name, "input": v.Arguments})
		}
	}
	return out
}

// anthropicContent returns a text or image block, or nil for any other block.
func anthropicContent(b format.Block) object {
	switch v := b.(type) {
	case *format.TextBlock:
		return object{"type": "text", "text": v.Text}
	case *format.ImageBlock:
		return object{"type": "image", "source": object{"type": "base64", "media_type": v.MimeType, "data": v.Data}}
	}
	return nil
}

// anthropicThought returns a thinking block. Anthropic rejects one without a
// signature, such as that of an interrupted response, so it is sent as text.
func anthropicThought(b *format.ThinkingBlock, noSignature bool) object {
	text := strings.ToValidUTF8(b.Thinking, "\uFFFD")
	switch {
	case b.Redacted:
		return object{"type": "redacted_thinking", "data": b.ThinkingSignature}
	case strings.TrimSpace(b.ThinkingSignature) == "" && !noSignature:
		return object{"type": "text", "text": text}
	}
	return object{"type": "thinking", "thinking": text, "signature": b.ThinkingSignature}
}

func anthropicResult(t turn) object {
	var content []object
	text := false
	for _, b := range t.blocks {
		if o := anthropicContent(b); o != nil {
			text = text || o["type"] == "text"
			content = append(content, o)
		}
	}
	if !text {
		words := noToolOutput
		if len(content) > 0 {
			words = seeImage
		}
		content = append([]object{{"type": "text", "text": words}}, content...)
	}
	return object{"type": "tool_result", "tool_use_id": t.callID, "is_error": t.result.IsError, "content": content}
}
