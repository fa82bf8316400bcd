package rpcserver

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

func (l *live) beforeSwitch(ctx context.Context, e agent.SwitchEvent) error {
	name, o := "session_before_switch", reasons(e.Reason, "targetSessionFile", e.OtherFile)
	if e.Reason == agent.ReasonFork {
		name, o = "session_before_fork", object{}.Text("entryId", e.EntryID)
		position := "before"
		if e.At {
			position = "at"
		}
		o = o.Text("position", position)
	}
	return l.consult(ctx, name, o).check()
}

func (l *live) beforeCompact(ctx context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
	if !l.wants("session_before_compact") {
		return agent.CompactDecision{}, nil
	}
	preparation, err := planned(e.Plan)
	if err != nil {
		return agent.CompactDecision{}, err
	}
	v := e.Session.View()
	path, err := v.Path(e.Session.LeafID())
	if err != nil {
		return agent.CompactDecision{}, err
	}
	branch, err := lineList(v, path)
	if err != nil {
		return agent.CompactDecision{}, err
	}
	o := object{}.
		Text("reason", string(e.Reason)).
		Flag("willRetry", e.WillRetry).
		Known("customInstructions", e.Instructions).
		Raw("preparation", preparation).
		Raw("branchEntries", branch)
	a := l.consult(ctx, "session_before_compact", o)
	d := agent.CompactDecision{Details: a.Details, Instructions: valueOf(a.Instructions)}
	if a.Compaction != nil {
		d.Compaction = a.Compaction.compaction()
	}
	return d, a.check()
}

// planned returns a plan as pi's hooks get it.
func planned(p *compact.Plan) ([]byte, error) {
	history, err := messageList(p.History())
	if err != nil {
		return nil, err
	}
	prefix, err := messageList(p.TurnPrefix())
	if err != nil {
		return nil, err
	}
	files, err := p.Files()
	if err != nil {
		return nil, err
	}
	ops := object{}.Raw("read", texts(files.Read())).Raw("written", texts(files.Written())).Raw("edited", texts(files.Edited()))
	set := object{}.
		Flag("enabled", p.Settings.Enabled).
		Number("reserveTokens", p.Settings.ReserveTokens).
		Number("keepRecentTokens", p.Settings.KeepRecentTokens)
	return object{}.
		Text("firstKeptEntryId", p.FirstKeptEntryID).
		Raw("messagesToSummarize", history).
		Raw("turnPrefixMessages", prefix).
		Flag("isSplitTurn", p.SplitTurn).
		Number("tokensBefore", p.TokensBefore).
		Number("keptTokens", p.KeptTokens).
		Known("previousSummary", p.PreviousSummary).
		Raw("fileOps", ops).
		Raw("settings", set), nil
}

func messageList(messages iter.Seq2[pith.ContextMessage, error]) ([]byte, error) {
	var l list
	for m, err := range messages {
		if err != nil {
			return nil, err
		}
		l.add(m.Raw)
	}
	return l.end(), nil
}

func (l *live) compacted(ctx context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
	name := "session_compact"
	o := object{}.Text("reason", string(e.Reason)).Flag("willRetry", e.WillRetry).Flag("fromExtension", e.FromHook)
	if e.Result != nil {
		o = o.Raw("compactionEntry", lineOf(e.Result.Compaction))
	} else {
		name = "session_compact_failed"
		o = o.Known("errorMessage", piwire.CompactionMessage(e)).Flag("aborted", e.Aborted)
	}
	return l.inform(ctx, name, o)
}

func (l *live) beforeTree(ctx context.Context, e agent.BeforeTreeEvent) (agent.TreeDecision, error) {
	preparation := object{}.
		TextOrNull("targetId", e.TargetID).
		TextOrNull("oldLeafId", e.Branch.OldLeafID).
		TextOrNull("commonAncestorId", e.Branch.CommonAncestorID).
		Raw("entriesToSummarize", texts(e.Branch.EntryIDs)).
		Flag("userWantsSummary", e.Options.Summarize).
		Known("customInstructions", e.Options.Instructions).
		Flag("replaceInstructions", e.Options.ReplaceInstructions).
		Known("label", e.Options.Label)
	a := l.consult(ctx, "session_before_tree", object{}.Raw("preparation", preparation))
	d := agent.TreeDecision{Instructions: a.Instructions, ReplaceInstructions: a.ReplaceInstructions, Label: a.Label}
	if p := a.Summary; p != nil {
		d.Summary = &format.BranchSummary{Summary: p.Summary, Details: p.Details, Usage: p.Usage.Usage}
	}
	return d, a.check()
}

func (l *live) tree(ctx context.Context, _ *pith.Session, e *agent.Navigated) error {
	o := object{}.TextOrNull("newLeafId", e.NewLeafID).TextOrNull("oldLeafId", e.OldLeafID)
	fromHook := false
	if e.Summary != nil {
		o = o.Raw("summaryEntry", lineOf(e.Summary))
		fromHook = e.Summary.FromHook != nil && *e.Summary.FromHook
	}
	return l.inform(ctx, "session_tree", o.Flag("fromExtension", fromHook))
}

// renamed reports the display name. It does not wait for the client, since the
// request that set the name may block the reader of the answers.
func (l *live) renamed(ctx context.Context, s *pith.Session) error {
	about := object{}.TextOrNull("name", s.Name())
	l.server.work.Go(func() { l.hookFailed("Renamed", l.inform(ctx, "session_info_changed", about)) })
	return nil
}

func (l *live) beforePrompt(ctx context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
	model, err := present.JSON(modelInfo(e.Model))
	if err != nil {
		return agent.PromptDecision{}, err
	}
	a := l.consult(ctx, "before_agent_start", object{}.Text("prompt", e.Text).Text("systemPrompt", e.System).Raw("model", model))
	d := agent.PromptDecision{System: a.SystemPrompt}
	err = a.check()
	all := slices.Collect(jsonl.Elements(a.Messages))
	if a.Message != nil {
		all = slices.Insert(all, 0, []byte(a.Message))
	}
	for _, raw := range all {
		var p customMessageParams
		err = cmp.Or(err, signatureOf[customMessageParams]().read(raw, &p))
		d.Messages = append(d.Messages, *p.entry().(*format.CustomMessage))
	}
	return d, err
}
