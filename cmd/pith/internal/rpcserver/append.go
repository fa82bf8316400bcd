package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// A write appends one entry and returns its ID.
type write func(context.Context, *pith.Session) (string, error)

// appending returns a method that appends one entry and returns its ID. read
// reads the parameters.
func appending(name, signature string, read func(*call) write) *method {
	return onSession(name, signature, func(ctx context.Context, c *call) ([]byte, error) {
		write := read(c)
		if c.bad != nil {
			return nil, c.bad
		}
		return idResult(write(ctx, c.session))
	})
}

func appendMethods() []*method {
	return []*method{
		appending("appendMessage", "message", appendMessage),
		appending("appendThinkingLevelChange", "level|thinkingLevel", func(c *call) write {
			level := c.text("level")
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendThinkingLevel(ctx, level) }
		}),
		appending("appendModelChange", "provider, modelId", func(c *call) write {
			provider, model := c.text("provider"), c.text("modelId")
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendModel(ctx, provider, model) }
		}),
		appending("appendCompaction", "summary, firstKeptEntryId, tokensBefore, details?, fromHook?, usage?", func(c *call) write {
			compaction := format.Compaction{
				Summary:          c.text("summary"),
				FirstKeptEntryID: c.optText("firstKeptEntryId"), // null and "" keep nothing
				TokensBefore:     c.whole("tokensBefore"),
				Details:          c.json("details"),
				FromHook:         c.optFlag("fromHook"),
				Usage:            c.optUsage("usage"),
			}
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendCompaction(ctx, compaction) }
		}),
		appending("appendCustomEntry", "customType, data?", func(c *call) write {
			customType := c.text("customType")
			data, _ := c.given("data") // null is data too
			return func(ctx context.Context, s *pith.Session) (string, error) {
				return s.AppendCustom(ctx, customType, data)
			}
		}),
		appending("appendCustomMessageEntry", "customType, content, display, details?", func(c *call) write {
			c.flag("display") // required
			m := c.customMessage()
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendCustomMessage(ctx, m) }
		}),
		onSession("appendSessionInfo", "name, ifUnset?", appendSessionInfo),
		appending("appendLabelChange", "targetId, label?", func(c *call) write {
			target, label := c.nonEmpty("targetId"), c.optText("label")
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.SetLabel(ctx, target, label) }
		}),
		appending("appendUsage", "kind, provider, model, usage, note?", func(c *call) write {
			usage := format.UsageEntry{
				Kind: c.text("kind"), Provider: c.text("provider"), Model: c.text("model"), Usage: c.usage("usage"), Note: c.optText("note"),
			}
			return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendUsage(ctx, usage) }
		}),
		// A replacement is null, which hides the entry, or {content}.
		appending("appendContextEdit", "targetId, replacement", func(c *call) write {
			target, replacement := c.nonEmpty("targetId"), c.replacement("replacement")
			return func(ctx context.Context, s *pith.Session) (string, error) {
				return s.AppendContextEdit(ctx, target, replacement)
			}
		}),
		appending("branchWithSummary", "entryId|branchFromId, summary, details?, fromHook?, usage?", func(c *call) write {
			id := c.entry("entryId")
			summary := format.BranchSummary{
				Summary: c.text("summary"), Details: c.json("details"), FromHook: c.optFlag("fromHook"), Usage: c.optUsage("usage"),
			}
			return func(ctx context.Context, s *pith.Session) (string, error) {
				return s.BranchWithSummary(ctx, id, summary)
			}
		}),
	}
}

func appendMessage(c *call) write {
	raw := c.object("message")
	if c.bad != nil {
		return nil
	}
	m, err := format.DecodeMessage(raw)
	if err != nil {
		c.reject("message", err.Error())
	}
	return func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendMessage(ctx, m) }
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
