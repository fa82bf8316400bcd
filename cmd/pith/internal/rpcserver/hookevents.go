package rpcserver

import (
	"context"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

func (l *live) beforeSwitch(ctx context.Context, e agent.SwitchEvent) error {
	name, o := "session_before_switch", reasons(e.Reason, "targetSessionFile", e.OtherFile)
	if e.Reason == agent.ReasonFork {
		name, o = "session_before_fork", &object{}
		o.text("entryId", e.EntryID)
		position := "before"
		if e.At {
			position = "at"
		}
		o.text("position", position)
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
	var o object
	o.text("reason", string(e.Reason))
	o.flag("willRetry", e.WillRetry)
	o.known("customInstructions", e.Instructions)
	o.raw("preparation", preparation)
	o.raw("branchEntries", branch)
	a := l.consult(ctx, "session_before_compact", &o)
	d := agent.CompactDecision{Details: a.json("details"), Instructions: a.text("customInstructions")}
	if p := a.members("compaction", contentMembers); p != nil {
		d.Compaction = &format.Compaction{
			Summary: p.text("summary"), FirstKeptEntryID: p.text("firstKeptEntryId"), TokensBefore: p.whole("tokensBefore"), Details: p.json("details"), Usage: p.optUsage(),
		}
		a.take(p)
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
	var ops, set, o object
	ops.raw("read", texts(files.Read()))
	ops.raw("written", texts(files.Written()))
	ops.raw("edited", texts(files.Edited()))
	set.flag("enabled", p.Settings.Enabled)
	set.number("reserveTokens", p.Settings.ReserveTokens)
	set.number("keepRecentTokens", p.Settings.KeepRecentTokens)
	o.text("firstKeptEntryId", p.FirstKeptEntryID)
	o.raw("messagesToSummarize", history)
	o.raw("turnPrefixMessages", prefix)
	o.flag("isSplitTurn", p.SplitTurn)
	o.number("tokensBefore", p.TokensBefore)
	o.number("keptTokens", p.KeptTokens)
	o.known("previousSummary", p.PreviousSummary)
	o.raw("fileOps", ops.end())
	o.raw("settings", set.end())
	return o.end(), nil
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
	var o object
	o.text("reason", string(e.Reason))
	o.flag("willRetry", e.WillRetry)
	o.flag("fromExtension", e.FromHook)
	if e.Result != nil {
		o.raw("compactionEntry", lineOf(e.Result.Compaction))
	} else {
		name = "session_compact_failed"
		o.known("errorMessage", piwire.CompactionMessage(e))
		o.flag("aborted", e.Aborted)
	}
	return l.inform(ctx, name, &o)
}

func (l *live) beforeTree(ctx context.Context, e agent.BeforeTreeEvent) (agent.TreeDecision, error) {
	var p, o object
	p.raw("targetId", textOrNull(e.TargetID))
	p.raw("oldLeafId", textOrNull(e.Branch.OldLeafID))
	p.raw("commonAncestorId", textOrNull(e.Branch.CommonAncestorID))
	p.raw("entriesToSummarize", texts(e.Branch.EntryIDs))
	p.flag("userWantsSummary", e.Options.Summarize)
	p.known("customInstructions", e.Options.Instructions)
	p.flag("replaceInstructions", e.Options.ReplaceInstructions)
	p.known("label", e.Options.Label)
	o.raw("preparation", p.end())
	a := l.consult(ctx, "session_before_tree", &o)
	d := agent.TreeDecision{Instructions: a.words("customInstructions"), ReplaceInstructions: a.optFlag("replaceInstructions"), Label: a.words("label")}
	if p := a.members("summary", contentMembers); p != nil {
		d.Summary = &format.BranchSummary{Summary: p.text("summary"), Details: p.json("details"), Usage: p.optUsage()}
		a.take(p)
	}
	return d, a.check()
}

func (l *live) tree(ctx context.Context, _ *pith.Session, e *agent.Navigated) error {
	var o object
	o.raw("newLeafId", textOrNull(e.NewLeafID))
	o.raw("oldLeafId", textOrNull(e.OldLeafID))
	fromHook := false
	if e.Summary != nil {
		o.raw("summaryEntry", lineOf(e.Summary))
		fromHook = e.Summary.FromHook != nil && *e.Summary.FromHook
	}
	o.flag("fromExtension", fromHook)
	return l.inform(ctx, "session_tree", &o)
}

// renamed reports the display name. It does not wait for the client, since the
// request that set the name may block the reader of the answers.
func (l *live) renamed(ctx context.Context, s *pith.Session) error {
	var o object
	o.raw("name", textOrNull(s.Name()))
	l.server.work.Go(func() { l.hookFailed("Renamed", l.inform(ctx, "session_info_changed", &o)) })
	return nil
}

func (l *live) beforePrompt(ctx context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
	var o object
	o.text("prompt", e.Text)
	o.text("systemPrompt", e.System)
	o.raw("model", modelInfo(e.Model))
	a := l.consult(ctx, "before_agent_start", &o)
	d := agent.PromptDecision{System: a.words("systemPrompt")}
	all := slices.Collect(jsonl.Elements(a.json("messages")))
	if raw := a.json("message"); raw != nil {
		all = slices.Insert(all, 0, raw)
	}
	for _, raw := range all {
		p := readParams(messageMembers, raw)
		d.Messages = append(d.Messages, *p.customMessage())
		a.take(p)
	}
	return d, a.check()
}
