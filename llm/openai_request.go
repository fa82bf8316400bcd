package llm

import (
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/pith-sessions/pith/format"
)

// maxCacheKey is how long OpenAI's cache key may be.
const maxCacheKey = 64

// params is a request in the terms of Chat Completions.
func (c *OpenAI) params(r Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:    shared.ChatModel(c.model.ID),
		Messages: c.messages(r),
		Tools:    c.tools(r.Tools),
	}
	extra := map[string]any{}
	if c.compat.UsageInStream {
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
	}
	if c.compat.Store {
		p.Store = param.NewOpt(false)
	}
	if r.SessionID != "" && strings.Contains(c.model.BaseURL, "api.openai.com") {
		p.PromptCacheKey = param.NewOpt(r.SessionID[:min(len(r.SessionID), maxCacheKey)])
	}
	if limit := c.limit(r); limit > 0 {
		if c.compat.MaxTokensField == "max_tokens" {
			p.MaxTokens = param.NewOpt(limit)
		} else {
			p.MaxCompletionTokens = param.NewOpt(limit)
		}
	}
	if len(c.compat.OpenRouterRouting) > 2 {
		extra["provider"] = c.compat.OpenRouterRouting
	}
	c.think(r.Thinking, extra)
	if len(extra) > 0 {
		p.SetExtraFields(extra)
	}
	return p
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
func (c *OpenAI) think(asked string, extra map[string]any) {
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
		extra[d.member] = d.value(on, name)
	}
	switch {
	case !c.compat.ReasoningEffort:
	case on && (!known || d.effort):
		extra["reasoning_effort"] = name
	case !on && !known && off != nil:
		// OpenAI's own words for off exist only where the model's levels say so.
		extra["reasoning_effort"] = *off
	}
}

func (c *OpenAI) tools(tools []Tool) []openai.ChatCompletionToolUnionParam {
	var out []openai.ChatCompletionToolUnionParam
	for i, t := range tools {
		def := shared.FunctionDefinitionParam{Name: t.Name}
		if t.Description != "" {
			def.Description = param.NewOpt(t.Description)
		}
		def.SetExtraFields(map[string]any{"parameters": schema(t.Parameters)})
		tool := openai.ChatCompletionFunctionTool(def)
		if c.compat.CacheControl == "anthropic" && i == len(tools)-1 {
			tool.OfFunction.SetExtraFields(map[string]any{"cache_control": cacheMark})
		}
		out = append(out, tool)
	}
	return out
}

// cacheMark marks the end of what Anthropic's models shall keep, for those that
// are reached through this protocol.
var cacheMark = map[string]string{"type": "ephemeral"}

func (c *OpenAI) messages(r Request) []openai.ChatCompletionMessageParamUnion {
	var out []openai.ChatCompletionMessageParamUnion
	if text := strings.ToValidUTF8(r.System, "\uFFFD"); strings.TrimSpace(text) != "" {
		out = append(out, c.system(text))
	}
	history := turns(r.Messages, c.model, openAICallID)
	var pictures []openai.ChatCompletionContentPartUnionParam // of the results in a row
	for i, t := range history {
		switch t.role {
		case format.RoleUser:
			if c.compat.AssistantAfterResult && i > 0 && history[i-1].role == format.RoleToolResult {
				out = append(out, openai.AssistantMessage(bridge))
			}
			out = append(out, c.user(t.blocks))
		case format.RoleAssistant:
			if m := c.assistant(t); m != nil {
				out = append(out, openai.ChatCompletionMessageParamUnion{OfAssistant: m})
			}
		case format.RoleToolResult:
			out = append(out, c.result(t))
			pictures = append(pictures, pictureParts(t.blocks)...)
			last := i+1 == len(history) || history[i+1].role != format.RoleToolResult
			if last && len(pictures) > 0 {
				if c.compat.AssistantAfterResult {
					out = append(out, openai.AssistantMessage(bridge))
				}
				out = append(out, openai.UserMessage(append(parts(textBlocks(imagesOfTools)), pictures...)))
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
func (c *OpenAI) user(blocks []format.Block) openai.ChatCompletionMessageParamUnion {
	if len(blocks) == 1 && c.compat.CacheControl == "" {
		if text, ok := blocks[0].(*format.TextBlock); ok {
			return openai.UserMessage(text.Text)
		}
	}
	return openai.UserMessage(parts(blocks))
}

// bridge stands between a result and a user's message for endpoints that do not
// take the one after the other.
const bridge = "I have processed the tool results."

func (c *OpenAI) system(text string) openai.ChatCompletionMessageParamUnion {
	if c.compat.CacheControl == "anthropic" {
		part := openai.ChatCompletionContentPartTextParam{Text: text}
		part.SetExtraFields(map[string]any{"cache_control": cacheMark})
		return openai.SystemMessage([]openai.ChatCompletionContentPartTextParam{part})
	}
	if c.model.Reasoning && c.compat.DeveloperRole {
		return openai.DeveloperMessage(text)
	}
	return openai.SystemMessage(text)
}

// result is a tool's answer. This protocol takes text alone; pictures follow in
// a message of the user.
func (c *OpenAI) result(t turn) openai.ChatCompletionMessageParamUnion {
	text := joinedText(t.blocks, "\n")
	switch {
	case text != "":
	case len(t.blocks) > 0:
		text = seeImage
	default:
		text = noToolOutput
	}
	m := openai.ToolMessage(text, t.callID)
	if c.compat.ToolResultName && t.result.ToolName != "" {
		m.OfTool.SetExtraFields(map[string]any{"name": t.result.ToolName})
	}
	return m
}
