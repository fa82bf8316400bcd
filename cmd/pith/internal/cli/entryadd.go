package cli

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// jsonEntry adds an entry of any type that pi writes. Where it stands in the
// tree is decided anew.
func (a *app) jsonEntry(ctx context.Context, arg string) (addition, error) {
	raw, err := a.jsonArgument(ctx, "--entry", arg)
	if err != nil {
		return nil, err
	}
	if jsonl.KindOf(raw) != '{' {
		return nil, usagef("--entry is not a JSON object")
	}
	e, err := format.DecodeEntry(raw)
	if err != nil {
		return nil, usagef("--entry: %w", err)
	}
	add := conversationEntry(e)
	if add == nil {
		add = bookkeepingEntry(e)
	}
	if add == nil {
		return nil, usagef("--entry: the type %q cannot be added", e.Head().Type)
	}
	return add, nil
}

// conversationEntry adds an entry that models see; nil for any other.
func conversationEntry(e format.Entry) addition {
	switch e := e.(type) {
	case *format.MessageEntry:
		return func(s *pith.Session) (string, error) { return s.AppendMessage(e.Message) }
	case *format.Compaction:
		c := format.Compaction{Summary: e.Summary, FirstKeptEntryID: e.FirstKeptEntryID, TokensBefore: e.TokensBefore,
			Details: e.Details, FromHook: e.FromHook, Usage: e.Usage}
		return func(s *pith.Session) (string, error) { return s.AppendCompaction(c) }
	case *format.BranchSummary:
		b := format.BranchSummary{Summary: e.Summary, Details: e.Details, FromHook: e.FromHook, Usage: e.Usage}
		return func(s *pith.Session) (string, error) { return s.BranchWithSummary(s.LeafID(), b) }
	case *format.CustomMessage:
		m := format.CustomMessage{CustomType: e.CustomType, Content: e.Content, Display: e.Display, Details: e.Details}
		return func(s *pith.Session) (string, error) { return s.AppendCustomMessage(m) }
	case *format.ContextEdit:
		return func(s *pith.Session) (string, error) { return s.AppendContextEdit(e.TargetID, e.Replacement) }
	}
	return nil
}

// bookkeepingEntry adds an entry that no model sees; nil for any other.
func bookkeepingEntry(e format.Entry) addition {
	switch e := e.(type) {
	case *format.ModelChange:
		return func(s *pith.Session) (string, error) { return s.AppendModel(e.Provider, e.ModelID) }
	case *format.ThinkingLevelChange:
		return func(s *pith.Session) (string, error) { return s.AppendThinkingLevel(e.Level) }
	case *format.Custom:
		return func(s *pith.Session) (string, error) { return s.AppendCustom(e.CustomType, e.Data) }
	case *format.Label:
		return func(s *pith.Session) (string, error) { return s.SetLabel(e.TargetID, e.Label) }
	case *format.SessionInfo:
		return func(s *pith.Session) (string, error) { return s.SetName(e.Name) }
	case *format.UsageEntry:
		u := format.UsageEntry{Kind: e.Kind, Provider: e.Provider, Model: e.Model, Usage: e.Usage, Note: e.Note}
		return func(s *pith.Session) (string, error) { return s.AppendUsage(u) }
	}
	return nil
}
