package show

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/jsonout"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// These are what pith subagents --json prints, as docs/reference/json.md describes it.
type (
	subagentsRecord struct {
		ID          jsonout.Text      `json:"id"`
		File        jsonout.Text      `json:"file"`
		Leaf        *jsonout.Text     `json:"leaf"`
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
		ToolCallID  *jsonout.Text        `json:"toolCallId"`
		Tool        jsonout.Text         `json:"tool"`
		CallEntry   *jsonout.Text        `json:"callEntry"`
		ResultEntry *jsonout.Text        `json:"resultEntry"`
		Mode        jsonout.Text         `json:"mode"`
		Status      subagent.Status      `json:"status"`
		Context     *jsonout.Text        `json:"context"`
		RunID       *jsonout.Text        `json:"runId"`
		AsyncID     *jsonout.Text        `json:"asyncId"`
		Error       *jsonout.Text        `json:"error"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Requested   []agentRequestRecord `json:"requested"`
		Unassigned  agentUsageRecord     `json:"unassigned"`
		Runs        []agentRunRecord     `json:"runs"`
	}

	agentRequestRecord struct {
		Agent jsonout.Text `json:"agent"`
		Task  jsonout.Text `json:"task"`
		Step  int          `json:"step"`
	}

	agentRunRecord struct {
		Index      int                  `json:"index"`
		RunID      *jsonout.Text        `json:"runId"`
		Agent      jsonout.Text         `json:"agent"`
		Key        *jsonout.Text        `json:"key"`
		Task       jsonout.Text         `json:"task"`
		TaskFrom   *jsonout.Text        `json:"taskFrom"`
		Status     subagent.Status      `json:"status"`
		Bad        bool                 `json:"bad"`
		Reason     *jsonout.Text        `json:"reason"`
		Model      *jsonout.Text        `json:"model"`
		Thinking   *jsonout.Text        `json:"thinking"`
		Usage      agentUsageRecord     `json:"usage"`
		UsageFrom  *jsonout.Text        `json:"usageFrom"`
		Total      agentUsageRecord     `json:"total"`
		DurationMs int64                `json:"durationMs"`
		ToolCalls  int                  `json:"toolCalls"`
		Turns      int                  `json:"turns"`
		Skills     []jsonout.Text       `json:"skills"`
		Source     *agentSourceRecord   `json:"source"`
		Tried      []agentAttemptRecord `json:"tried"`
		Paths      []agentPathRecord    `json:"paths"`
		Session    *agentSessionRecord  `json:"session"`
		Note       *jsonout.Text        `json:"note"`
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
		Path *jsonout.Text       `json:"path"`
	}

	agentAttemptRecord struct {
		Kind subagent.SourceKind `json:"kind"`
		Path jsonout.Text        `json:"path"`
		Why  jsonout.Text        `json:"why"`
	}

	agentPathRecord struct {
		Kind subagent.PathKind `json:"kind"`
		Path jsonout.Text      `json:"path"`
		Gone bool              `json:"gone"`
	}

	agentSessionRecord struct {
		ID      jsonout.Text  `json:"id"`
		File    jsonout.Text  `json:"file"`
		Name    *jsonout.Text `json:"name"`
		Entries int           `json:"entries"`
		Forked  bool          `json:"forked"`
	}
)

// subagentReport is a report with tasks and errors of at most so many characters;
// 0 means any number.
func subagentReport(s *pith.Session, leaf string, all bool, r *subagent.Report, most int) subagentsRecord {
	return subagentsRecord{
		ID: jsonout.Text(s.ID()), File: jsonout.Text(s.File()), Leaf: jsonout.TextOrNull(leaf), AllBranches: all, Invocations: agentCallRecords(r.Invocations, most),
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
			ToolCallID: jsonout.TextOrNull(inv.ToolCallID), Tool: jsonout.Text(inv.Tool), CallEntry: jsonout.TextOrNull(inv.CallEntry), ResultEntry: jsonout.TextOrNull(inv.ResultEntry),
			Mode: jsonout.Text(inv.Mode), Status: inv.Status, Context: jsonout.TextOrNull(inv.Context), RunID: jsonout.TextOrNull(inv.RunID), AsyncID: jsonout.TextOrNull(inv.AsyncID),
			Error: jsonout.TextOrNull(shortText(inv.Error, most)), Begun: jsonout.TimeOrNull(inv.Begun), Ended: jsonout.TimeOrNull(inv.Ended),
			Requested: make([]agentRequestRecord, 0, len(inv.Requested)), Unassigned: agentUsage(inv.Unassigned), Runs: agentRunRecords(inv.Runs, most),
		}
		for _, q := range inv.Requested {
			rec.Requested = append(rec.Requested, agentRequestRecord{jsonout.Text(q.Agent), jsonout.Text(shortText(q.Task, most)), q.Step})
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
			Index: r.Index, RunID: jsonout.TextOrNull(r.RunID), Agent: jsonout.Text(r.Agent), Key: jsonout.TextOrNull(r.Key), Task: jsonout.Text(shortText(r.Task, most)), TaskFrom: jsonout.TextOrNull(string(r.TaskFrom)),
			Status: r.Status, Bad: r.Status.Bad(), Reason: jsonout.TextOrNull(shortText(r.Reason, most)), Model: jsonout.TextOrNull(r.Model), Thinking: jsonout.TextOrNull(r.Thinking),
			Usage: agentUsage(r.Usage), UsageFrom: jsonout.TextOrNull(string(r.UsageFrom)), Total: agentUsage(r.Total), DurationMs: r.Duration.Milliseconds(),
			ToolCalls: r.ToolCalls, Turns: r.Turns, Skills: []jsonout.Text{}, Tried: []agentAttemptRecord{}, Paths: []agentPathRecord{},
			Note: jsonout.TextOrNull(r.Note), Unfollowed: r.Unfollowed, Calls: agentCallRecords(r.Calls, most), Children: agentRunRecords(r.Children, most),
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
		rec.Skills = append(rec.Skills, jsonout.Text(skill))
	}
	if r.Source.Kind != "" {
		rec.Source = &agentSourceRecord{r.Source.Kind, jsonout.TextOrNull(r.Source.Path)}
	}
	for _, t := range r.Tried {
		rec.Tried = append(rec.Tried, agentAttemptRecord{t.Kind, jsonout.Text(t.Path), jsonout.Text(t.Why)})
	}
	for _, p := range r.Paths {
		rec.Paths = append(rec.Paths, agentPathRecord{p.Kind, jsonout.Text(p.Path), p.Gone})
	}
	if c := r.Session; c != nil {
		rec.Session = &agentSessionRecord{jsonout.Text(c.ID), jsonout.Text(c.File), jsonout.TextOrNull(c.Name), c.Entries, c.Forked}
	}
}
