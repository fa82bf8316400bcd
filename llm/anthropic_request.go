package llm

import (
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/pith-sessions/pith/format"
)

// params is a request in Anthropic's terms, with the names of what it needs to
// be made available.
func (c *Anthropic) params(r Request) (p anthropic.MessageNewParams, betas []string) {
	history := turns(r.Messages, c.model, anthropicCallID)
	p = anthropic.MessageNewParams{
		Model:    anthropic.Model(c.model.ID),
		Messages: anthropicMessages(history, c.compat.AllowNoSignature),
		Tools:    c.tools(r.Tools),
	}
	if len(r.Tools) == 0 {
		// A conversation with calls is refused when it declares no tools.
		if p.Tools = c.tools(calledTools(history)); len(p.Tools) > 0 {
			p.ToolChoice = anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
		}
	}
	if text := strings.ToValidUTF8(r.System, "\uFFFD"); strings.TrimSpace(text) != "" {
		p.System = []anthropic.TextBlockParam{{Text: text, CacheControl: anthropic.NewCacheControlEphemeralParam()}}
	}
	betas = c.limits(&p, r)
	return p, betas
}

// limits sets how long the answer may be and how much of it is for thinking.
func (c *Anthropic) limits(p *anthropic.MessageNewParams, r Request) (betas []string) {
	most := c.model.MaxTokens
	if most <= 0 {
		most = max(unknownMax, r.MaxTokens)
	}
	limit := most
	if r.MaxTokens > 0 {
		limit = min(limit, r.MaxTokens)
	}
	p.MaxTokens = room(c.model, r, limit)
	switch level := c.levels.nearest(c.model, r.Thinking); {
	case level == "off":
		if c.model.Reasoning && c.levels.canBeOff() {
			p.Thinking = anthropic.ThinkingConfigParamUnion{OfDisabled: &anthropic.ThinkingConfigDisabledParam{}}
		}
	case thinksByItself(c.model, c.compat):
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{
			Display: anthropic.ThinkingConfigAdaptiveDisplaySummarized,
		}}
		p.OutputConfig = anthropic.OutputConfigParam{Effort: anthropic.OutputConfigEffort(c.levels.effort(level))}
	default:
		answer, thinking := budget(level, r.MaxTokens, most)
		answer = room(c.model, r, answer)
		thinking = min(thinking, answer-minAnswer)
		if thinking < minAnswer {
			break // no room to think in
		}
		p.MaxTokens = answer
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfEnabled: &anthropic.ThinkingConfigEnabledParam{
			BudgetTokens: thinking, Display: anthropic.ThinkingConfigEnabledDisplaySummarized,
		}}
		return []string{betaInterleaved}
	}
	return nil
}

func (c *Anthropic) tools(tools []Tool) []anthropic.ToolUnionParam {
	var out []anthropic.ToolUnionParam
	for i, t := range tools {
		p := &anthropic.ToolParam{
			Name:        t.Name,
			InputSchema: param.Override[anthropic.ToolInputSchemaParam](schema(t.Parameters)),
		}
		if t.Description != "" {
			p.Description = param.NewOpt(t.Description)
		}
		if c.compat.EagerToolInput {
			p.EagerInputStreaming = param.NewOpt(true)
		}
		if i == len(tools)-1 && c.compat.CacheControlTools {
			p.CacheControl = anthropic.NewCacheControlEphemeralParam()
		}
		out = append(out, anthropic.ToolUnionParam{OfTool: p})
	}
	return out
}

// schema is the parameters of a tool as providers want them: an object that says
// that it is one. The bytes of a schema that does are kept.
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

// anthropicMessages joins the results of one answer in one message, as the
// protocol wants them, and marks the end of the conversation for the cache.
func anthropicMessages(history []turn, noSignature bool) []anthropic.MessageParam {
	var out []anthropic.MessageParam
	joins := false // the last message holds results
	for _, t := range history {
		switch t.role {
		case format.RoleUser:
			out = append(out, anthropic.NewUserMessage(anthropicBlocks(t.blocks, noSignature)...))
		case format.RoleAssistant:
			if blocks := anthropicBlocks(t.blocks, noSignature); len(blocks) > 0 {
				out = append(out, anthropic.NewAssistantMessage(blocks...))
			}
		case format.RoleToolResult:
			result := anthropicResult(t)
			if joins {
				last := &out[len(out)-1]
				last.Content = append(last.Content, result)
			} else {
				out = append(out, anthropic.NewUserMessage(result))
			}
		}
		joins = t.role == format.RoleToolResult
	}
	if len(out) > 0 {
		markForCache(&out[len(out)-1])
	}
	return out
}

func markForCache(m *anthropic.MessageParam) {
	if m.Role != anthropic.MessageParamRoleUser || len(m.Content) == 0 {
		return
	}
	mark := anthropic.NewCacheControlEphemeralParam()
	switch last := &m.Content[len(m.Content)-1]; {
	case last.OfText != nil:
		last.OfText.CacheControl = mark
	case last.OfImage != nil:
		last.OfImage.CacheControl = mark
	case last.OfToolResult != nil:
		last.OfToolResult.CacheControl = mark
	}
}

func anthropicBlocks(blocks []format.Block, noSignature bool) []anthropic.ContentBlockParamUnion {
	var out []anthropic.ContentBlockParamUnion
	for _, b := range blocks {
		switch v := b.(type) {
		case *format.TextBlock:
			out = append(out, anthropic.NewTextBlock(v.Text))
		case *format.ImageBlock:
			out = append(out, anthropic.NewImageBlockBase64(v.MimeType, v.Data))
		case *format.ThinkingBlock:
			out = append(out, anthropicThought(v, noSignature))
		case *format.ToolCallBlock:
			out = append(out, anthropic.NewToolUseBlock(v.ID, v.Arguments, v.Name))
		}
	}
	return out
}

// anthropicThought gives a thought back. One without a signature, such as that of
// an answer that was cut off, is refused as a thought and goes as text.
func anthropicThought(b *format.ThinkingBlock, noSignature bool) anthropic.ContentBlockParamUnion {
	switch {
	case b.Redacted:
		return anthropic.NewRedactedThinkingBlock(b.ThinkingSignature)
	case strings.TrimSpace(b.ThinkingSignature) == "" && !noSignature:
		return anthropic.NewTextBlock(strings.ToValidUTF8(b.Thinking, "\uFFFD"))
	}
	return anthropic.NewThinkingBlock(b.ThinkingSignature, strings.ToValidUTF8(b.Thinking, "\uFFFD"))
}

func anthropicResult(t turn) anthropic.ContentBlockParamUnion {
	p := &anthropic.ToolResultBlockParam{ToolUseID: t.callID, IsError: param.NewOpt(t.result.IsError)}
	text := false
	for _, b := range t.blocks {
		switch v := b.(type) {
		case *format.TextBlock:
			text = true
			p.Content = append(p.Content, anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: v.Text}})
		case *format.ImageBlock:
			p.Content = append(p.Content, anthropic.ToolResultBlockParamContentUnion{
				OfImage: anthropic.NewImageBlockBase64(v.MimeType, v.Data).OfImage,
			})
		}
	}
	if !text {
		words := noToolOutput
		if len(p.Content) > 0 {
			words = seeImage
		}
		first := anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: words}}
		p.Content = append([]anthropic.ToolResultBlockParamContentUnion{first}, p.Content...)
	}
	return anthropic.ContentBlockParamUnion{OfToolResult: p}
}
