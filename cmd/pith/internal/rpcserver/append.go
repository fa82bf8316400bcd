package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// appendMethods add one entry each and return its id.
func appendMethods() []*method {
	return []*method{
		onSession("appendMessage", "message", appendMessage),
		onSession("appendThinkingLevelChange", "level|thinkingLevel", appendThinkingLevelChange),
		onSession("appendModelChange", "provider, modelId", appendModelChange),
		onSession("appendCompaction", "summary, firstKeptEntryId, tokensBefore, details?, fromHook?, usage?", appendCompaction),
		onSession("appendCustomEntry", "customType, data?", appendCustomEntry),
		onSession("appendCustomMessageEntry", "customType, content, display, details?", appendCustomMessageEntry),
		onSession("appendSessionInfo", "name, ifUnset?", appendSessionInfo),
		onSession("appendLabelChange", "targetId, label?", appendLabelChange),
		onSession("appendUsage", "kind, provider, model, usage, note?", appendUsage),
		onSession("appendContextEdit", "targetId, replacement", appendContextEdit),
		onSession("branchWithSummary", "entryId|branchFromId, summary, details?, fromHook?, usage?", branchWithSummary),
	}
}

func appendMessage(ctx context.Context, c *call) ([]byte, error) {
	raw := c.object("message")
	if c.bad != nil {
		return nil, c.bad
	}
	m, err := format.DecodeMessage(raw)
	if err != nil {
		return nil, &paramError{"message", err.Error()}
	}
	return idResult(c.session.AppendMessage(ctx, m))
}

func appendThinkingLevelChange(ctx context.Context, c *call) ([]byte, error) {
	level := c.text("level")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendThinkingLevel(ctx, level))
}

func appendModelChange(ctx context.Context, c *call) ([]byte, error) {
	provider, model := c.text("provider"), c.text("modelId")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendModel(ctx, provider, model))
}

func appendCompaction(ctx context.Context, c *call) ([]byte, error) {
	compaction := format.Compaction{
		Summary:          c.text("summary"),
		FirstKeptEntryID: c.optText("firstKeptEntryId"), // null and "" keep nothing
		TokensBefore:     c.whole("tokensBefore"),
		Details:          c.json("details"),
		FromHook:         c.optFlag("fromHook"),
		Usage:            c.optUsage("usage"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendCompaction(ctx, compaction))
}

func appendCustomEntry(ctx context.Context, c *call) ([]byte, error) {
	customType := c.text("customType")
	data, _ := c.given("data") // null is data too
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendCustom(ctx, customType, data))
}

func appendCustomMessageEntry(ctx context.Context, c *call) ([]byte, error) {
	m := format.CustomMessage{
		CustomType: c.text("customType"),
		Content:    c.content("content"),
		Display:    c.flag("display"),
		Details:    c.json("details"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendCustomMessage(ctx, m))
}

func appendSessionInfo(ctx context.Context, c *call) ([]byte, error) {
	name, ifUnset := c.text("name"), c.isTrue("ifUnset")
	if c.bad != nil {
		return nil, c.bad
	}
	var id string
	var err error
	set := true
	if ifUnset {
		id, set, err = c.session.SetNameIfUnset(ctx, name)
	} else {
		id, err = c.session.SetName(ctx, name)
	}
	if err != nil || !set {
		return nothing(err)
	}
	if l := c.handle.live; l != nil {
		l.tell(&agent.NameChanged{To: c.session.Name()})
		_ = l.renamed(context.WithoutCancel(ctx), c.session) // does not wait and does not fail
	}
	return idResult(id, nil)
}

func appendLabelChange(ctx context.Context, c *call) ([]byte, error) {
	target, label := c.nonEmpty("targetId"), c.optText("label")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.SetLabel(ctx, target, label))
}

func appendUsage(ctx context.Context, c *call) ([]byte, error) {
	usage := format.UsageEntry{
		Kind:     c.text("kind"),
		Provider: c.text("provider"),
		Model:    c.text("model"),
		Usage:    c.usage("usage"),
		Note:     c.optText("note"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendUsage(ctx, usage))
}

// appendContextEdit takes null, which hides the entry, or {content}.
func appendContextEdit(ctx context.Context, c *call) ([]byte, error) {
	target, replacement := c.nonEmpty("targetId"), c.replacement("replacement")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendContextEdit(ctx, target, replacement))
}

func branchWithSummary(ctx context.Context, c *call) ([]byte, error) {
	id := c.entry("entryId")
	summary := format.BranchSummary{
		Summary:  c.text("summary"),
		Details:  c.json("details"),
		FromHook: c.optFlag("fromHook"),
		Usage:    c.optUsage("usage"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.BranchWithSummary(ctx, id, summary))
}
