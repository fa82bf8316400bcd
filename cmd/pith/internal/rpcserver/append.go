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

func appendMessage(c *call) ([]byte, error) {
	raw := c.object("message")
	if c.bad != nil {
		return nil, c.bad
	}
	m, err := format.DecodeMessage(raw)
	if err != nil {
		return nil, &paramError{"message", err.Error()}
	}
	return idResult(c.session.AppendMessage(context.TODO(), m))
}

func appendThinkingLevelChange(c *call) ([]byte, error) {
	level := c.text("level")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendThinkingLevel(context.TODO(), level))
}

func appendModelChange(c *call) ([]byte, error) {
	provider, model := c.text("provider"), c.text("modelId")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendModel(context.TODO(), provider, model))
}

func appendCompaction(c *call) ([]byte, error) {
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
	return idResult(c.session.AppendCompaction(context.TODO(), compaction))
}

func appendCustomEntry(c *call) ([]byte, error) {
	customType := c.text("customType")
	data, _ := c.given("data") // null is data too
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendCustom(context.TODO(), customType, data))
}

func appendCustomMessageEntry(c *call) ([]byte, error) {
	m := format.CustomMessage{
		CustomType: c.text("customType"),
		Content:    c.content("content"),
		Display:    c.flag("display"),
		Details:    c.json("details"),
	}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendCustomMessage(context.TODO(), m))
}

func appendSessionInfo(c *call) ([]byte, error) {
	name, ifUnset := c.text("name"), c.isTrue("ifUnset")
	if c.bad != nil {
		return nil, c.bad
	}
	var id string
	var err error
	set := true
	if ifUnset {
		id, set, err = c.session.SetNameIfUnset(context.TODO(), name)
	} else {
		id, err = c.session.SetName(context.TODO(), name)
	}
	if err != nil || !set {
		return nothing(err)
	}
	if l := c.handle.live; l != nil {
		l.tell(&agent.NameChanged{To: c.session.Name()})
		_ = l.renamed(context.Background(), c.session) // does not wait and does not fail
	}
	return idResult(id, nil)
}

func appendLabelChange(c *call) ([]byte, error) {
	target, label := c.nonEmpty("targetId"), c.optText("label")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.SetLabel(context.TODO(), target, label))
}

func appendUsage(c *call) ([]byte, error) {
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
	return idResult(c.session.AppendUsage(context.TODO(), usage))
}

// appendContextEdit takes null, which hides the entry, or {content}.
func appendContextEdit(c *call) ([]byte, error) {
	target, replacement := c.nonEmpty("targetId"), c.replacement("replacement")
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.AppendContextEdit(context.TODO(), target, replacement))
}

func branchWithSummary(c *call) ([]byte, error) {
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
	return idResult(c.session.BranchWithSummary(context.TODO(), id, summary))
}
