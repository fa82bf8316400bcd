package cli

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/subagent"
)

// These are what pith subagents --json prints, as docs/cli.md describes it.
type (
	subagentsRecord struct {
		ID          jsText            `json:"id"`
		File        jsText            `json:"file"`
		Leaf        *jsText           `json:"leaf"`
		AllBranches bool              `json:"allBranches"`
		Invocations []agentCallRecord `json:"invocations"`
		LeftOut     int               `json:"leftOut,omitempty"` // calls before them for which a budget had no room
		Runs        int               `json:"runs"`
		Bad         int               `json:"bad"`
		Gone        int               `json:"gone"`
		Limited     bool              `json:"limited"`
		Own         agentUsageRecord  `json:"own"`
		Children    agentUsageRecord  `json:"children"`
		All         agentUsageRecord  `json:"all"`
	}

	agentCallRecord struct {
		ToolCallID  *jsText              `json:"toolCallId"`
		Tool        jsText               `json:"tool"`
		CallEntry   *jsText              `json:"callEntry"`
		ResultEntry *jsText              `json:"resultEntry"`
		Mode        jsText               `json:"mode"`
		Status      subagent.Status      `json:"status"`
		Context     *jsText              `json:"context"`
		RunID       *jsText              `json:"runId"`
		AsyncID     *jsText              `json:"asyncId"`
		Error       *jsText              `json:"error"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Requested   []agentRequestRecord `json:"requested"`
		Unassigned  agentUsageRecord     `json:"unassigned"`
		Runs        []agentRunRecord     `json:"runs"`
	}

	agentRequestRecord struct {
		Agent jsText `json:"agent"`
		Task  jsText `json:"task"`
		Step  int    `json:"step"`
	}

	agentRunRecord struct {
		Index      int                  `json:"index"`
		RunID      *jsText              `json:"runId"`
		Agent      jsText               `json:"agent"`
		Key        *jsText              `json:"key"`
		Task       jsText               `json:"task"`
		TaskFrom   *jsText              `json:"taskFrom"`
		Status     subagent.Status      `json:"status"`
		Bad        bool                 `json:"bad"`
		Reason     *jsText              `json:"reason"`
		Model      *jsText              `json:"model"`
		Thinking   *jsText              `json:"thinking"`
		Usage      agentUsageRecord     `json:"usage"`
		UsageFrom  *jsText              `json:"usageFrom"`
		Total      agentUsageRecord     `json:"total"`
		DurationMs int64                `json:"durationMs"`
		ToolCalls  int                  `json:"toolCalls"`
		Turns      int                  `json:"turns"`
		Skills     []jsText             `json:"skills"`
		Source     *agentSourceRecord   `json:"source"`
		Tried      []agentAttemptRecord `json:"tried"`
		Paths      []agentPathRecord    `json:"paths"`
		Session    *agentSessionRecord  `json:"session"`
		Note       *jsText              `json:"note"`
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
		Path *jsText             `json:"path"`
	}

	agentAttemptRecord struct {
		Kind subagent.SourceKind `json:"kind"`
		Path jsText              `json:"path"`
		Why  jsText              `json:"why"`
	}

	agentPathRecord struct {
		Kind subagent.PathKind `json:"kind"`
		Path jsText            `json:"path"`
		Gone bool              `json:"gone"`
	}

	agentSessionRecord struct {
		ID      jsText  `json:"id"`
		File    jsText  `json:"file"`
		Name    *jsText `json:"name"`
		Entries int     `json:"entries"`
		Forked  bool    `json:"forked"`
	}
)

// subagentReport is a report with tasks and errors of at most so many characters;
// 0 means any number.
func subagentReport(s *pith.Session, leaf string, all bool, r *subagent.Report, most int) subagentsRecord {
	return subagentsRecord{
		ID: jsText(s.ID()), File: jsText(s.File()), Leaf: jsTextOrNull(leaf), AllBranches: all, Invocations: agentCallRecords(r.Invocations, most),
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
			ToolCallID: jsTextOrNull(inv.ToolCallID), Tool: jsText(inv.Tool), CallEntry: jsTextOrNull(inv.CallEntry), ResultEntry: jsTextOrNull(inv.ResultEntry),
			Mode: jsText(inv.Mode), Status: inv.Status, Context: jsTextOrNull(inv.Context), RunID: jsTextOrNull(inv.RunID), AsyncID: jsTextOrNull(inv.AsyncID),
			Error: jsTextOrNull(shortText(inv.Error, most)), Begun: timeOrNull(inv.Begun), Ended: timeOrNull(inv.Ended),
			Requested: make([]agentRequestRecord, 0, len(inv.Requested)), Unassigned: agentUsage(inv.Unassigned), Runs: agentRunRecords(inv.Runs, most),
		}
		for _, q := range inv.Requested {
			rec.Requested = append(rec.Requested, agentRequestRecord{jsText(q.Agent), jsText(shortText(q.Task, most)), q.Step})
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
			Index: r.Index, RunID: jsTextOrNull(r.RunID), Agent: jsText(r.Agent), Key: jsTextOrNull(r.Key), Task: jsText(shortText(r.Task, most)), TaskFrom: jsTextOrNull(string(r.TaskFrom)),
			Status: r.Status, Bad: r.Status.Bad(), Reason: jsTextOrNull(shortText(r.Reason, most)), Model: jsTextOrNull(r.Model), Thinking: jsTextOrNull(r.Thinking),
			Usage: agentUsage(r.Usage), UsageFrom: jsTextOrNull(string(r.UsageFrom)), Total: agentUsage(r.Total), DurationMs: r.Duration.Milliseconds(),
			ToolCalls: r.ToolCalls, Turns: r.Turns, Skills: []jsText{}, Tried: []agentAttemptRecord{}, Paths: []agentPathRecord{},
			Note: jsTextOrNull(r.Note), Unfollowed: r.Unfollowed, Calls: agentCallRecords(r.Calls, most), Children: agentRunRecords(r.Children, most),
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
		rec.Skills = append(rec.Skills, jsText(skill))
	}
	if r.Source.Kind != "" {
		rec.Source = &agentSourceRecord{r.Source.Kind, jsTextOrNull(r.Source.Path)}
	}
	for _, t := range r.Tried {
		rec.Tried = append(rec.Tried, agentAttemptRecord{t.Kind, jsText(t.Path), jsText(t.Why)})
	}
	for _, p := range r.Paths {
		rec.Paths = append(rec.Paths, agentPathRecord{p.Kind, jsText(p.Path), p.Gone})
	}
	if c := r.Session; c != nil {
		rec.Session = &agentSessionRecord{jsText(c.ID), jsText(c.File), jsTextOrNull(c.Name), c.Entries, c.Forked}
	}
}
