package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
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
		return idResult(ops.Append(ctx, c.session, e))
	})
}

func appendMethods() []*method {
	return []*method{
		appending("appendMessage", "message:object", readMessage),
		appending("appendThinkingLevelChange", "level|thinkingLevel", func(c *call) format.Entry {
			return &format.ThinkingLevelChange{Level: c.text("level")}
		}),
		appending("appendModelChange", "provider, modelId", func(c *call) format.Entry {
			return &format.ModelChange{Provider: c.text("provider"), ModelID: c.text("modelId")}
		}),
		appending("appendCompaction", "summary, firstKeptEntryId:textOrNull, tokensBefore:whole, details:any?, fromHook:flag?, usage:object?", func(c *call) format.Entry {
			return &format.Compaction{
				Summary:          c.text("summary"),
				FirstKeptEntryID: c.text("firstKeptEntryId"), // null and "" keep nothing
				TokensBefore:     c.whole("tokensBefore"),
				Details:          c.json("details"),
				FromHook:         c.optFlag("fromHook"),
				Usage:            c.optUsage(),
			}
		}),
		appending("appendCustomEntry", "customType, data:any?", func(c *call) format.Entry { return c.customEntry() }),
		appending("appendCustomMessageEntry", "customType, content:content, display:flag, details:any?", func(c *call) format.Entry { return c.customMessage() }),
		onSession("appendSessionInfo", "name, ifUnset:flag?", appendSessionInfo),
		appending("appendLabelChange", "targetId:name, label?", func(c *call) format.Entry {
			return &format.Label{TargetID: c.text("targetId"), Label: c.text("label")}
		}),
		appending("appendUsage", "kind, provider, model, usage:object, note?", func(c *call) format.Entry {
			return &format.UsageEntry{Kind: c.text("kind"), Provider: c.text("provider"), Model: c.text("model"), Usage: c.usage("usage"), Note: c.text("note")}
		}),
		// A replacement is null, which hides the entry, or {content}.
		appending("appendContextEdit", "targetId:name, replacement:replacement", func(c *call) format.Entry { return c.contextEdit() }),
		onSession("branchWithSummary", "entryId|branchFromId:entry, summary, details:any?, fromHook:flag?, usage:object?", branchWithSummary),
	}
}

func readMessage(c *call) format.Entry {
	m, err := format.DecodeMessage(c.raw("message"))
	if err != nil {
		c.reject("message", err.Error())
	}
	return &format.MessageEntry{Message: m}
}

func branchWithSummary(ctx context.Context, c *call) ([]byte, error) {
	id := c.text("entryId")
	summary := format.BranchSummary{Summary: c.text("summary"), Details: c.json("details"), FromHook: c.optFlag("fromHook"), Usage: c.optUsage()}
	return idResult(c.session.BranchWithSummary(ctx, id, summary))
}

func appendSessionInfo(ctx context.Context, c *call) ([]byte, error) {
	name, ifUnset := c.text("name"), c.flag("ifUnset")
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
