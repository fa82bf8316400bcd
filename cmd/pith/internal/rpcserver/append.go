package rpcserver

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/format"
)

// appending returns a method that appends one entry and returns its ID. P is the
// parameters, from which entry makes the entry.
func appending[P any, E interface {
	*P
	entry() format.Entry
}](name string) *method {
	return onSession(name, func(ctx context.Context, c *call, p *P) (any, error) {
		return ops.Append(ctx, c.session, E(p).entry())
	})
}

func appendMethods() []*method {
	return []*method{
		appending[messageParams]("appendMessage").whenQuiet(),
		appending[levelParams]("appendThinkingLevelChange"),
		appending[modelParams]("appendModelChange"),
		appending[compactionParams]("appendCompaction").whenQuiet(),
		appending[customParams]("appendCustomEntry"),
		appending[shownMessageParams]("appendCustomMessageEntry"),
		onSession("appendSessionInfo", appendSessionInfo),
		appending[labelParams]("appendLabelChange"),
		appending[usageParams]("appendUsage"),
		appending[contextEditParams]("appendContextEdit").whenQuiet(),
		onSession("branchWithSummary", branchWithSummary).whenQuiet(),
	}
}

type messageParams struct {
	Message message `json:"message" need:"given"`
}

func (p *messageParams) entry() format.Entry {
	return &format.MessageEntry{Message: p.Message.Message}
}

type levelParams struct {
	Level string `json:"level|thinkingLevel" need:"given"`
}

func (p *levelParams) entry() format.Entry { return &format.ThinkingLevelChange{Level: p.Level} }

type modelParams struct {
	Provider string `json:"provider" need:"given"`
	ModelID  string `json:"modelId" need:"given"`
}

func (p *modelParams) entry() format.Entry {
	return &format.ModelChange{Provider: p.Provider, ModelID: p.ModelID}
}

type compactionParams struct {
	Summary          string          `json:"summary" need:"given"`
	FirstKeptEntryID nullText        `json:"firstKeptEntryId" need:"given"` // null and "" keep nothing
	TokensBefore     int64           `json:"tokensBefore" need:"given"`
	Details          json.RawMessage `json:"details"`
	FromHook         *bool           `json:"fromHook"`
	Usage            usage           `json:"usage"`
}

func (p *compactionParams) entry() format.Entry {
	return &format.Compaction{
		Summary: p.Summary, FirstKeptEntryID: valueOf(p.FirstKeptEntryID.text), TokensBefore: p.TokensBefore,
		Details: p.Details, FromHook: p.FromHook, Usage: p.Usage.Usage,
	}
}

// customParams are an entry with the state of an extension.
type customParams struct {
	CustomType string   `json:"customType" need:"given"`
	Data       anything `json:"data"`
}

func (p *customParams) entry() format.Entry {
	return &format.Custom{CustomType: p.CustomType, Data: json.RawMessage(p.Data)}
}

// customMessageParams are a message for the model, which the user sees only if display is
// set.
type customMessageParams struct {
	CustomType string          `json:"customType" need:"given"`
	Content    content         `json:"content" need:"given"`
	Display    bool            `json:"display"`
	Details    json.RawMessage `json:"details"`
}

func (p *customMessageParams) entry() format.Entry {
	return &format.CustomMessage{CustomType: p.CustomType, Content: p.Content.Content, Display: p.Display, Details: p.Details}
}

// shownMessageParams are customMessageParams with pi's required display.
type shownMessageParams struct {
	CustomType string          `json:"customType" need:"given"`
	Content    content         `json:"content" need:"given"`
	Display    bool            `json:"display" need:"given"`
	Details    json.RawMessage `json:"details"`
}

func (p *shownMessageParams) entry() format.Entry { return (*customMessageParams)(p).entry() }

type labelParams struct {
	TargetID string `json:"targetId" need:"value"`
	Label    string `json:"label"`
}

func (p *labelParams) entry() format.Entry {
	return &format.Label{TargetID: p.TargetID, Label: p.Label}
}

type usageParams struct {
	Kind     string `json:"kind" need:"given"`
	Provider string `json:"provider" need:"given"`
	Model    string `json:"model" need:"given"`
	Usage    usage  `json:"usage" need:"given"`
	Note     string `json:"note"`
}

func (p *usageParams) entry() format.Entry {
	return &format.UsageEntry{Kind: p.Kind, Provider: p.Provider, Model: p.Model, Usage: *p.Usage.Usage, Note: p.Note}
}

type contextEditParams struct {
	TargetID    string      `json:"targetId" need:"value"`
	Replacement replacement `json:"replacement" need:"given"`
}

func (p *contextEditParams) entry() format.Entry {
	return &format.ContextEdit{TargetID: p.TargetID, Replacement: p.Replacement.Content}
}

type summaryParams struct {
	EntryID  entryRef        `json:"entryId|branchFromId" need:"given"`
	Summary  string          `json:"summary" need:"given"`
	Details  json.RawMessage `json:"details"`
	FromHook *bool           `json:"fromHook"`
	Usage    usage           `json:"usage"`
}

func branchWithSummary(ctx context.Context, c *call, p *summaryParams) (any, error) {
	summary := format.BranchSummary{Summary: p.Summary, Details: p.Details, FromHook: p.FromHook, Usage: p.Usage.Usage}
	return c.session.BranchWithSummary(ctx, p.EntryID.id, summary)
}

type nameParams struct {
	Name    string `json:"name" need:"given"`
	IfUnset bool   `json:"ifUnset"`
}

func appendSessionInfo(ctx context.Context, c *call, p *nameParams) (any, error) {
	var id string
	var err error
	set := true
	if p.IfUnset {
		id, set, err = c.session.SetNameIfUnset(ctx, p.Name)
	} else {
		id, err = c.session.SetName(ctx, p.Name)
	}
	if err != nil || !set {
		return nil, err
	}
	if l := c.handle.live; l != nil {
		l.notify(&agent.NameChanged{To: c.session.Name()})
		_ = l.renamed(context.WithoutCancel(ctx), c.session) // does not wait and cannot fail
	}
	return id, nil
}
