package show

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/record"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/subagent"
)

// These are what pith subagents --json prints, as docs/cli.md describes it.
type (
	subagentsRecord struct {
		ID          record.Text       `json:"id"`
		File        record.Text       `json:"file"`
		Leaf        *record.Text      `json:"leaf"`
		AllBranches bool              `json:"allBranches"`
		Invocations []agentCallRecord `json:"invocations"`
		LeftOut     int               `json:"leftOut,omitempty"` // calls before them for which a budget had no room
		Page        *callsPage        `json:"page,omitempty"`    // with LeftOut alone
		Runs        int               `json:"runs"`
		Bad         int               `json:"bad"`
		Gone        int               `json:"gone"`
		Limited     bool              `json:"limited"`
		Own         agentUsageRecord  `json:"own"`
		Children    agentUsageRecord  `json:"children"`
		All         agentUsageRecord  `json:"all"`
	}

	// A callsPage says how to get the calls that were left out.
	callsPage struct {
		Earlier *string `json:"earlier"`
	}

	agentCallRecord struct {
		ToolCallID  *record.Text         `json:"toolCallId"`
		Tool        record.Text          `json:"tool"`
		CallEntry   *record.Text         `json:"callEntry"`
		ResultEntry *record.Text         `json:"resultEntry"`
		Mode        record.Text          `json:"mode"`
		Status      subagent.Status      `json:"status"`
		Context     *record.Text         `json:"context"`
		RunID       *record.Text         `json:"runId"`
		AsyncID     *record.Text         `json:"asyncId"`
		Error       *record.Text         `json:"error"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Requested   []agentRequestRecord `json:"requested"`
		Unassigned  agentUsageRecord     `json:"unassigned"`
		Runs        []agentRunRecord     `json:"runs"`
	}

	agentRequestRecord struct {
		Agent record.Text `json:"agent"`
		Task  record.Text `json:"task"`
		Step  int         `json:"step"`
	}

	agentRunRecord struct {
		Index      int                  `json:"index"`
		RunID      *record.Text         `json:"runId"`
		Agent      record.Text          `json:"agent"`
		Key        *record.Text         `json:"key"`
		Task       record.Text          `json:"task"`
		TaskFrom   *record.Text         `json:"taskFrom"`
		Status     subagent.Status      `json:"status"`
		Bad        bool                 `json:"bad"`
		Reason     *record.Text         `json:"reason"`
		Model      *record.Text         `json:"model"`
		Thinking   *record.Text         `json:"thinking"`
		Usage      agentUsageRecord     `json:"usage"`
		UsageFrom  *record.Text         `json:"usageFrom"`
		Total      agentUsageRecord     `json:"total"`
		DurationMs int64                `json:"durationMs"`
		ToolCalls  int                  `json:"toolCalls"`
		Turns      int                  `json:"turns"`
		Skills     []record.Text        `json:"skills"`
		Source     *agentSourceRecord   `json:"source"`
		Tried      []agentAttemptRecord `json:"tried"`
		Paths      []agentPathRecord    `json:"paths"`
		Session    *agentSessionRecord  `json:"session"`
		Note       *record.Text         `json:"note"`
		Unfollowed int                  `json:"unfollowed"`
		Calls      []agentCallRecord    `json:"calls"`
		Children   []agentRunRecord     `json:"children"`
	}

	agentUsageRecord struct {
		Input      int64        `json:"input"`
		Output     int64        `json:"output"`
		CacheRead  int64        `json:"cacheRead"`
		CacheWrite int64        `json:"cacheWrite"`
		Tokens     int64        `json:"tokens"`
		Cost       format.Money `json:"costMicros"`
	}

	agentSourceRecord struct {
		Kind subagent.SourceKind `json:"kind"`
		Path *record.Text        `json:"path"`
	}

	agentAttemptRecord struct {
		Kind subagent.SourceKind `json:"kind"`
		Path record.Text         `json:"path"`
		Why  record.Text         `json:"why"`
	}

	agentPathRecord struct {
		Kind subagent.PathKind `json:"kind"`
		Path record.Text       `json:"path"`
		Gone bool              `json:"gone"`
	}

	agentSessionRecord struct {
		ID      record.Text  `json:"id"`
		File    record.Text  `json:"file"`
		Name    *record.Text `json:"name"`
		Entries int          `json:"entries"`
		Forked  bool         `json:"forked"`
	}
)

// subagentReport is a report with tasks and errors of at most so many characters;
// 0 means any number.
func subagentReport(s *pith.Session, leaf string, all bool, r *subagent.Report, most int) subagentsRecord {
	return subagentsRecord{
		ID: record.Text(s.ID()), File: record.Text(s.File()), Leaf: record.TextOrNull(leaf), AllBranches: all, Invocations: agentCallRecords(r.Invocations, most),
		Runs: r.Runs, Bad: r.Bad, Gone: r.Gone, Limited: r.Limited,
		Own: agentUsage(r.Own), Children: agentUsage(r.Children), All: agentUsage(r.All),
	}
}

func agentUsage(s format.Spent) agentUsageRecord {
	return agentUsageRecord{s.Input, s.Output, s.CacheRead, s.CacheWrite, s.Tokens, s.Cost}
}

func agentCallRecords(list []subagent.Invocation, most int) []agentCallRecord {
	out := make([]agentCallRecord, 0, len(list))
	for i := range list {
		inv := &list[i]
		rec := agentCallRecord{
			ToolCallID: record.TextOrNull(inv.ToolCallID), Tool: record.Text(inv.Tool), CallEntry: record.TextOrNull(inv.CallEntry), ResultEntry: record.TextOrNull(inv.ResultEntry),
			Mode: record.Text(inv.Mode), Status: inv.Status, Context: record.TextOrNull(inv.Context), RunID: record.TextOrNull(inv.RunID), AsyncID: record.TextOrNull(inv.AsyncID),
			Error: record.TextOrNull(shortText(inv.Error, most)), Begun: record.TimeOrNull(inv.Begun), Ended: record.TimeOrNull(inv.Ended),
			Requested: make([]agentRequestRecord, 0, len(inv.Requested)), Unassigned: agentUsage(inv.Unassigned), Runs: agentRunRecords(inv.Runs, most),
		}
		for _, q := range inv.Requested {
			rec.Requested = append(rec.Requested, agentRequestRecord{record.Text(q.Agent), record.Text(shortText(q.Task, most)), q.Step})
		}
		out = append(out, rec)
	}
	return out
}

func agentRunRecords(runs []subagent.Run, most int) []agentRunRecord {
	out := make([]agentRunRecord, 0, len(runs))
	for i := range runs {
		r := &runs[i]
		rec := agentRunRecord{
			Index: r.Index, RunID: record.TextOrNull(r.RunID), Agent: record.Text(r.Agent), Key: record.TextOrNull(r.Key), Task: record.Text(shortText(r.Task, most)), TaskFrom: record.TextOrNull(string(r.TaskFrom)),
			Status: r.Status, Bad: r.Status.Bad(), Reason: record.TextOrNull(shortText(r.Reason, most)), Model: record.TextOrNull(r.Model), Thinking: record.TextOrNull(r.Thinking),
			Usage: agentUsage(r.Usage), UsageFrom: record.TextOrNull(string(r.UsageFrom)), Total: agentUsage(r.Total), DurationMs: r.Duration.Milliseconds(),
			ToolCalls: r.ToolCalls, Turns: r.Turns, Skills: []record.Text{}, Tried: []agentAttemptRecord{}, Paths: []agentPathRecord{},
			Note: record.TextOrNull(r.Note), Unfollowed: r.Unfollowed, Calls: agentCallRecords(r.Calls, most), Children: agentRunRecords(r.Children, most),
		}
		rec.files(r)
		out = append(out, rec)
	}
	return out
}

func shortText(s string, most int) string { return string(inspect.Text(s).Short(most)) }

// files adds what a run says about skills and files.
func (rec *agentRunRecord) files(r *subagent.Run) {
	for _, skill := range r.Skills {
		rec.Skills = append(rec.Skills, record.Text(skill))
	}
	if r.Source.Kind != "" {
		rec.Source = &agentSourceRecord{r.Source.Kind, record.TextOrNull(r.Source.Path)}
	}
	for _, t := range r.Tried {
		rec.Tried = append(rec.Tried, agentAttemptRecord{t.Kind, record.Text(t.Path), record.Text(t.Why)})
	}
	for _, p := range r.Paths {
		rec.Paths = append(rec.Paths, agentPathRecord{p.Kind, record.Text(p.Path), p.Gone})
	}
	if c := r.Session; c != nil {
		rec.Session = &agentSessionRecord{record.Text(c.ID), record.Text(c.File), record.TextOrNull(c.Name), c.Entries, c.Forked}
	}
}
