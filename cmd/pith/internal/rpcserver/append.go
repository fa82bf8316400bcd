package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/format"
)

// appending returns a method that appends one entry and returns its ID. read
// reads the entry from the parameters.
func appending(name, signature string, read func(*call) format.Entry) *method {
	return onSession(name, signature, func(ctx context.Context, c *call) ([]byte, error) {
		e := read(c)
		if c.bad != nil {
			return nil, c.bad
		}
		return idResult(change.Append(ctx, c.session, e))
	})
}

func appendMethods() []*method {
	return []*method{
		appending("appendMessage", "message", readMessage),
		appending("appendThinkingLevelChange", "level|thinkingLevel", func(c *call) format.Entry {
			return &format.ThinkingLevelChange{Level: c.text("level")}
		}),
		appending("appendModelChange", "provider, modelId", func(c *call) format.Entry {
			return &format.ModelChange{Provider: c.text("provider"), ModelID: c.text("modelId")}
		}),
		appending("appendCompaction", "summary, firstKeptEntryId, tokensBefore, details?, fromHook?, usage?", func(c *call) format.Entry {
			return &format.Compaction{
				Summary:          c.text("summary"),
				FirstKeptEntryID: c.optText("firstKeptEntryId"), // null and "" keep nothing
				TokensBefore:     c.whole("tokensBefore"),
				Details:          c.json("details"),
				FromHook:         c.optFlag("fromHook"),
				Usage:            c.optUsage("usage"),
			}
		}),
		appending("appendCustomEntry", "customType, data?", func(c *call) format.Entry { return c.customEntry() }),
		appending("appendCustomMessageEntry", "customType, content, display, details?", func(c *call) format.Entry {
			c.flag("display") // required
			m := c.customMessage()
			return &m
		}),
		onSession("appendSessionInfo", "name, ifUnset?", appendSessionInfo),
		appending("appendLabelChange", "targetId, label?", func(c *call) format.Entry {
			return &format.Label{TargetID: c.nonEmpty("targetId"), Label: c.optText("label")}
		}),
		appending("appendUsage", "kind, provider, model, usage, note?", func(c *call) format.Entry {
			return &format.UsageEntry{Kind: c.text("kind"), Provider: c.text("provider"), Model: c.text("model"), Usage: c.usage("usage"), Note: c.optText("note")}
		}),
		// A replacement is null, which hides the entry, or {content}.
		appending("appendContextEdit", "targetId, replacement", func(c *call) format.Entry { return c.contextEdit() }),
		onSession("branchWithSummary", "entryId|branchFromId, summary, details?, fromHook?, usage?", branchWithSummary),
	}
}

func readMessage(c *call) format.Entry {
	raw := c.object("message")
	if c.bad != nil {
		return nil
	}
	m, err := format.DecodeMessage(raw)
	if err != nil {
		c.reject("message", err.Error())
	}
	return &format.MessageEntry{Message: m}
}

func branchWithSummary(ctx context.Context, c *call) ([]byte, error) {
	id := c.entry("entryId")
	summary := format.BranchSummary{Summary: c.text("summary"), Details: c.json("details"), FromHook: c.optFlag("fromHook"), Usage: c.optUsage("usage")}
	if c.bad != nil {
		return nil, c.bad
	}
	return idResult(c.session.BranchWithSummary(ctx, id, summary))
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
		l.notify(&agent.NameChanged{To: c.session.Name()})
		_ = l.renamed(context.WithoutCancel(ctx), c.session) // does not wait and cannot fail
	}
	return idResult(id, nil)
}
