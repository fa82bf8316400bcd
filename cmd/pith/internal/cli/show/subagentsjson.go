package show

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// These are what pith subagents --json prints, as docs/reference/json.md describes it.
type (
	subagentsRecord struct {
		ID          view.Text         `json:"id"`
		File        view.Text         `json:"file"`
		Leaf        *view.Text        `json:"leaf"`
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
		ToolCallID  *view.Text           `json:"toolCallId"`
		Tool        view.Text            `json:"tool"`
		CallEntry   *view.Text           `json:"callEntry"`
		ResultEntry *view.Text           `json:"resultEntry"`
		Mode        view.Text            `json:"mode"`
		Status      subagent.Status      `json:"status"`
		Context     *view.Text           `json:"context"`
		RunID       *view.Text           `json:"runId"`
		AsyncID     *view.Text           `json:"asyncId"`
		Error       *view.Text           `json:"error"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Requested   []agentRequestRecord `json:"requested"`
		Unassigned  agentUsageRecord     `json:"unassigned"`
		Runs        []agentRunRecord     `json:"runs"`
	}

	agentRequestRecord struct {
		Agent view.Text `json:"agent"`
		Task  view.Text `json:"task"`
		Step  int       `json:"step"`
	}

	agentRunRecord struct {
		Index      int                  `json:"index"`
		RunID      *view.Text           `json:"runId"`
		Agent      view.Text            `json:"agent"`
		Key        *view.Text           `json:"key"`
		Task       view.Text            `json:"task"`
		TaskFrom   *view.Text           `json:"taskFrom"`
		Status     subagent.Status      `json:"status"`
		Bad        bool                 `json:"bad"`
		Reason     *view.Text           `json:"reason"`
		Model      *view.Text           `json:"model"`
		Thinking   *view.Text           `json:"thinking"`
		Usage      agentUsageRecord     `json:"usage"`
		UsageFrom  *view.Text           `json:"usageFrom"`
		Total      agentUsageRecord     `json:"total"`
		DurationMs int64                `json:"durationMs"`
		ToolCalls  int                  `json:"toolCalls"`
		Turns      int                  `json:"turns"`
		Skills     []view.Text          `json:"skills"`
		Source     *agentSourceRecord   `json:"source"`
		Tried      []agentAttemptRecord `json:"tried"`
		Paths      []agentPathRecord    `json:"paths"`
		Session    *agentSessionRecord  `json:"session"`
		Note       *view.Text           `json:"note"`
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
		Path *view.Text          `json:"path"`
	}

	agentAttemptRecord struct {
		Kind subagent.SourceKind `json:"kind"`
		Path view.Text           `json:"path"`
		Why  view.Text           `json:"why"`
	}

	agentPathRecord struct {
		Kind subagent.PathKind `json:"kind"`
		Path view.Text         `json:"path"`
		Gone bool              `json:"gone"`
	}

	agentSessionRecord struct {
		ID      view.Text  `json:"id"`
		File    view.Text  `json:"file"`
		Name    *view.Text `json:"name"`
		Entries int        `json:"entries"`
		Forked  bool       `json:"forked"`
	}
)

// subagentReport is a report with tasks and errors of at most so many characters;
// 0 means any number.
func subagentReport(s *pith.Session, leaf string, all bool, r *subagent.Report, most int) subagentsRecord {
	return subagentsRecord{
		ID: view.Text(s.ID()), File: view.Text(s.File()), Leaf: view.TextOrNull(leaf), AllBranches: all, Invocations: agentCallRecords(r.Invocations, most),
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
			ToolCallID: view.TextOrNull(inv.ToolCallID), Tool: view.Text(inv.Tool), CallEntry: view.TextOrNull(inv.CallEntry), ResultEntry: view.TextOrNull(inv.ResultEntry),
			Mode: view.Text(inv.Mode), Status: inv.Status, Context: view.TextOrNull(inv.Context), RunID: view.TextOrNull(inv.RunID), AsyncID: view.TextOrNull(inv.AsyncID),
			Error: view.TextOrNull(shortText(inv.Error, most)), Begun: view.TimeOrNull(inv.Begun), Ended: view.TimeOrNull(inv.Ended),
			Requested: make([]agentRequestRecord, 0, len(inv.Requested)), Unassigned: agentUsage(inv.Unassigned), Runs: agentRunRecords(inv.Runs, most),
		}
		for _, q := range inv.Requested {
			rec.Requested = append(rec.Requested, agentRequestRecord{view.Text(q.Agent), view.Text(shortText(q.Task, most)), q.Step})
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
			Index: r.Index, RunID: view.TextOrNull(r.RunID), Agent: view.Text(r.Agent), Key: view.TextOrNull(r.Key), Task: view.Text(shortText(r.Task, most)), TaskFrom: view.TextOrNull(string(r.TaskFrom)),
			Status: r.Status, Bad: r.Status.Bad(), Reason: view.TextOrNull(shortText(r.Reason, most)), Model: view.TextOrNull(r.Model), Thinking: view.TextOrNull(r.Thinking),
			Usage: agentUsage(r.Usage), UsageFrom: view.TextOrNull(string(r.UsageFrom)), Total: agentUsage(r.Total), DurationMs: r.Duration.Milliseconds(),
			ToolCalls: r.ToolCalls, Turns: r.Turns, Skills: []view.Text{}, Tried: []agentAttemptRecord{}, Paths: []agentPathRecord{},
			Note: view.TextOrNull(r.Note), Unfollowed: r.Unfollowed, Calls: agentCallRecords(r.Calls, most), Children: agentRunRecords(r.Children, most),
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
		rec.Skills = append(rec.Skills, view.Text(skill))
	}
	if r.Source.Kind != "" {
		rec.Source = &agentSourceRecord{r.Source.Kind, view.TextOrNull(r.Source.Path)}
	}
	for _, t := range r.Tried {
		rec.Tried = append(rec.Tried, agentAttemptRecord{t.Kind, view.Text(t.Path), view.Text(t.Why)})
	}
	for _, p := range r.Paths {
		rec.Paths = append(rec.Paths, agentPathRecord{p.Kind, view.Text(p.Path), p.Gone})
	}
	if c := r.Session; c != nil {
		rec.Session = &agentSessionRecord{view.Text(c.ID), view.Text(c.File), view.TextOrNull(c.Name), c.Entries, c.Forked}
	}
}
