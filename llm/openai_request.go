package llm

import (
	"strings"

	"github.com/pith-sessions/pith/format"
)

// maxCacheKey is how long OpenAI's cache key may be.
const maxCacheKey = 64

// body is a request in the terms of Chat Completions.
func (c *OpenAI) body(r Request) object {
	body := object{"model": c.model.ID, "messages": c.messages(r), "stream": true}
	if tools := c.tools(r.Tools); len(tools) > 0 {
		body["tools"] = tools
	}
	if c.compat.UsageInStream {
		body["stream_options"] = object{"include_usage": true}
	}
	if c.compat.Store {
		body["store"] = false
	}
	if r.SessionID != "" && strings.Contains(c.model.BaseURL, "api.openai.com") {
		body["prompt_cache_key"] = r.SessionID[:min(len(r.SessionID), maxCacheKey)]
	}
	if limit := c.limit(r); limit > 0 {
		field := "max_completion_tokens"
		if c.compat.MaxTokensField == "max_tokens" {
			field = "max_tokens"
		}
		body[field] = limit
	}
	if len(c.compat.OpenRouterRouting) > 2 {
		body["provider"] = c.compat.OpenRouterRouting
	}
	c.think(r.Thinking, body)
	return body
}

// limit is how long the answer may be; 0 leaves it to the provider.
func (c *OpenAI) limit(r Request) int64 {
	limit := c.model.MaxTokens
	if r.MaxTokens > 0 && (limit <= 0 || r.MaxTokens < limit) {
		limit = r.MaxTokens
	}
	if limit <= 0 {
		return 0
	}
	return room(c.model, r, limit)
}

// A thinkingDialect is how endpoints of one kind are told how much to think.
type thinkingDialect struct {
	member string                          // of the request; "" for none but reasoning_effort
	value  func(on bool, level string) any // of the member; level is the model's word for it
	off    offPolicy
	effort bool // reasoning_effort goes along when the model is to think
}

// An offPolicy says whether a model is told not to think.
type offPolicy uint8

const (
	neverOff  offPolicy = iota
	offIfCan            // if its levels say that it can
	alwaysOff           // whatever they say
)

func effortObject(_ bool, level string) any { return map[string]any{"effort": level} }

func enabledType(on bool, _ string) any {
	return map[string]any{"type": map[bool]string{true: "enabled", false: "disabled"}[on]}
}

// thinkingDialects are the kinds by the names that compat has for them. All others
// are told by reasoning_effort alone.
var thinkingDialects = map[string]thinkingDialect{
	"openrouter":      {"reasoning", effortObject, offIfCan, false},
	"ant-ling":        {"reasoning", effortObject, neverOff, false},
	"string-thinking": {"thinking", func(_ bool, level string) any { return level }, offIfCan, false},
	"qwen-chat-template": {"chat_template_kwargs", func(on bool, _ string) any {
		return map[string]any{"enable_thinking": on, "preserve_thinking": true}
	}, alwaysOff, false},
	"qwen":     {"enable_thinking", func(on bool, _ string) any { return on }, alwaysOff, true},
	"together": {"reasoning", func(on bool, _ string) any { return map[string]any{"enabled": on} }, alwaysOff, true},
	"zai":      {"thinking", enabledType, alwaysOff, true},
	"deepseek": {"thinking", enabledType, offIfCan, true},
}

// think adds how much the model shall think, in the words of the endpoint.
func (c *OpenAI) think(asked string, body object) {
	if !c.model.Reasoning {
		return
	}
	level := c.levels.nearest(c.model, asked)
	on, name := level != "off", c.levels.name(level)
	off := c.levels["off"] // the model's word for it; nil where it has none
	if !on && off == nil {
		name = "none"
	}
	d, known := thinkingDialects[c.compat.ThinkingFormat]
	if known && (on || d.off == alwaysOff || d.off == offIfCan && c.levels.canBeOff()) {
		body[d.member] = d.value(on, name)
	}
	switch {
	case !c.compat.ReasoningEffort:
	case on && (!known || d.effort):
		body["reasoning_effort"] = name
	case !on && !known && off != nil:
		// OpenAI's own words for off exist only where the model's levels say so.
		body["reasoning_effort"] = *off
	}
}

func (c *OpenAI) tools(tools []Tool) []object {
	var out []object
	for i, t := range tools {
		function := object{"name": t.Name, "parameters": schema(t.Parameters)}
		if t.Description != "" {
			function["description"] = t.Description
		}
		tool := object{"type": "function", "function": function}
		// For Anthropic's models that are reached through this protocol.
		if c.compat.CacheControl == "anthropic" && i == len(tools)-1 {
			tool["cache_control"] = ephemeral
		}
		out = append(out, tool)
	}
	return out
}

func (c *OpenAI) messages(r Request) []object {
	out := []object{}
	if text := strings.ToValidUTF8(r.System, "\uFFFD"); strings.TrimSpace(text) != "" {
		out = append(out, c.system(text))
	}
	history := turns(r.Messages, c.model, openAICallID)
	var pictures []object // of the results in a row
	for i, t := range history {
		switch t.role {
		case format.RoleUser:
			if c.compat.AssistantAfterResult && i > 0 && history[i-1].role == format.RoleToolResult {
				out = append(out, assistantBridge())
			}
			out = append(out, c.user(t.blocks))
		case format.RoleAssistant:
			if m := c.assistant(t); m != nil {
				out = append(out, m)
			}
		case format.RoleToolResult:
			out = append(out, c.result(t))
			pictures = append(pictures, pictureParts(t.blocks)...)
			last := i+1 == len(history) || history[i+1].role != format.RoleToolResult
			if last && len(pictures) > 0 {
				if c.compat.AssistantAfterResult {
					out = append(out, assistantBridge())
				}
				out = append(out, object{"role": "user", "content": append(parts(textBlocks(imagesOfTools)), pictures...)})
				pictures = nil
			}
		}
	}
	if c.compat.CacheControl == "anthropic" {
		markLast(out)
	}
	return out
}

// user is what the user says. One text goes as a string, which every endpoint
// takes; a mark for the cache needs a list.
func (c *OpenAI) user(blocks []format.Block) object {
	if len(blocks) == 1 && c.compat.CacheControl == "" {
		if text, ok := blocks[0].(*format.TextBlock); ok {
			return object{"role": "user", "content": text.Text}
		}
	}
	return object{"role": "user", "content": parts(blocks)}
}

// bridge stands between a result and a user's message for endpoints that do not
// take the one after the other.
const bridge = "I have processed the tool results."

func assistantBridge() object { return object{"role": "assistant", "content": bridge} }

func (c *OpenAI) system(text string) object {
	if c.compat.CacheControl == "anthropic" {
		return object{"role": "system", "content": []object{{"type": "text", "text": text, "cache_control": ephemeral}}}
	}
	role := "system"
	if c.model.Reasoning && c.compat.DeveloperRole {
		role = "developer"
	}
	return object{"role": role, "content": text}
}

// result is a tool's answer. This protocol takes text alone; pictures follow in
// a message of the user.
func (c *OpenAI) result(t turn) object {
	text := joinedText(t.blocks, "\n")
	switch {
	case text != "":
	case len(t.blocks) > 0:
		text = seeImage
	default:
		text = noToolOutput
	}
	m := object{"role": "tool", "tool_call_id": t.callID, "content": text}
	if c.compat.ToolResultName && t.result.ToolName != "" {
		m["name"] = t.result.ToolName
	}
	return m
}
