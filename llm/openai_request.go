package llm

import (
	"strings"

	"github.com/pith-sessions/pith/format"
)

const maxCacheKey = 64

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

// limit returns the maximum length of the response; 0 leaves it to the
// provider.
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

// A thinkingDialect is the way in which a kind of endpoint receives the
// thinking level.
type thinkingDialect struct {
	member string                          // member of the request; "" for only reasoning_effort
	value  func(on bool, level string) any // value of the member; level is the model's name for it
	off    offPolicy
	effort bool // whether reasoning_effort is also sent if the model should think
}

// An offPolicy determines whether a model is instructed not to think.
type offPolicy uint8

const (
	neverOff  offPolicy = iota
	offIfCan            // if its levels include off
	alwaysOff           // regardless of its levels
)

func effortObject(_ bool, level string) any { return map[string]any{"effort": level} }

func enabledType(on bool, _ string) any {
	return map[string]any{"type": map[bool]string{true: "enabled", false: "disabled"}[on]}
}

// thinkingDialects maps the names used in compat to dialects. All other
// endpoints get only reasoning_effort.
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

// think adds the thinking level, in the dialect of the endpoint.
func (c *OpenAI) think(asked string, body object) {
	if !c.model.Reasoning {
		return
	}
	level := c.level(asked)
	on, name := level != "off", c.levels.name(level)
	off := c.levels["off"] // the model's name for it, or nil
	if !on && off == nil {
		name = "none"
	}
	d, known := thinkingDialects[c.compat.ThinkingFormat]
	if known && (on || d.off == alwaysOff || d.off == offIfCan && c.levels.has("off")) {
		body[d.member] = d.value(on, name)
	}
	switch {
	case !c.compat.ReasoningEffort:
	case on && (!known || d.effort):
		body["reasoning_effort"] = name
	case !on && !known && off != nil:
		// OpenAI's value for off exists only if the model's levels define it.
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
		// For Anthropic's models reached through this protocol.
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
	var pictures []object // images of consecutive results
	for i, t := range history {
		switch t.role {
		case format.RoleUser:
			if c.compat.AssistantAfterResult && i > 0 && history[i-1].role == format.RoleToolResult {
				out = append(out, bridge)
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
					out = append(out, bridge)
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

// user returns a user message. A single text is sent as a string, which every
// endpoint accepts; a cache mark needs a list.
func (c *OpenAI) user(blocks []format.Block) object {
	if len(blocks) == 1 && c.compat.CacheControl == "" {
		if text, ok := blocks[0].(*format.TextBlock); ok {
			return object{"role": "user", "content": text.Text}
		}
	}
	return object{"role": "user", "content": parts(blocks)}
}

// bridge is sent between a result and a user message to endpoints that do not
// accept one after the other.
var bridge = object{"role": "assistant", "content": "I have processed the tool results."}

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

// result returns a tool result. This protocol accepts only text; images follow
// in a user message.
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
