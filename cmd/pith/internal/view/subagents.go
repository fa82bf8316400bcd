package view

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
)

type (
	// Subagents are the runs of subagents that a session's tools started.
	Subagents struct {
		Ref
		LeafID      *Text        `json:"leafId"`
		AllBranches bool         `json:"allBranches"`
		Invocations []AgentCall  `json:"invocations"`
		Runs        int          `json:"runs"`
		Bad         int          `json:"bad"`
		Gone        int          `json:"gone"`
		Limited     bool         `json:"limited"`
		Own         format.Spent `json:"own"`
		Children    format.Spent `json:"children"`
		All         format.Spent `json:"all"`
	}

	// An AgentCall is one call of a tool that runs subagents.
	AgentCall struct {
		ToolCallID    *Text           `json:"toolCallId"`
		Tool          Text            `json:"tool"`
		CallEntryID   *Text           `json:"callEntryId"`
		ResultEntryID *Text           `json:"resultEntryId"`
		Mode          Text            `json:"mode"`
		Status        subagent.Status `json:"status"`
		Context       *Text           `json:"context"`
		RunID         *Text           `json:"runId"`
		AsyncID       *Text           `json:"asyncId"`
		Error         *Text           `json:"error"`
		Started       Time            `json:"started"`
		Ended         Time            `json:"ended"`
		Requested     []AgentRequest  `json:"requested"`
		Unassigned    format.Spent    `json:"unassigned"`
		Runs          []AgentRun      `json:"runs"`
	}

	// An AgentRequest is a run that a call requested.
	AgentRequest struct {
		Agent Text `json:"agent"`
		Task  Text `json:"task"`
		Step  int  `json:"step"`
	}

	// An AgentRun is one run of a subagent.
	AgentRun struct {
		Index      int             `json:"index"`
		RunID      *Text           `json:"runId"`
		Agent      Text            `json:"agent"`
		Key        *Text           `json:"key"`
		Task       Text            `json:"task"`
		TaskFrom   *Text           `json:"taskFrom"`
		Status     subagent.Status `json:"status"`
		Bad        bool            `json:"bad"`
		Reason     *Text           `json:"reason"`
		Model      *Text           `json:"model"`
		Thinking   *Text           `json:"thinking"`
		Usage      format.Spent    `json:"usage"`
		UsageFrom  *Text           `json:"usageFrom"`
		Total      format.Spent    `json:"total"`
		DurationMs int64           `json:"durationMs"`
		ToolCalls  int             `json:"toolCalls"`
		Turns      int             `json:"turns"`
		Skills     []Text          `json:"skills"`
		Source     *AgentSource    `json:"source"`
		Tried      []AgentAttempt  `json:"tried"`
		Paths      []AgentPath     `json:"paths"`
		Session    *AgentSession   `json:"session"`
		Output     *Text           `json:"output"`
		Note       *Text           `json:"note"`
		Unfollowed int             `json:"unfollowed"`
		Calls      []AgentCall     `json:"calls"`
		Children   []AgentRun      `json:"children"`
	}

	// An AgentSource is the place where the conversation of a run was found.
	AgentSource struct {
		Kind subagent.SourceKind `json:"kind"`
		Path *Text               `json:"path"`
	}

	// An AgentAttempt is a place where it was not found.
	AgentAttempt struct {
		Kind subagent.SourceKind `json:"kind"`
		Path Text                `json:"path"`
		Why  Text                `json:"why"`
	}

	// An AgentPath is a file that a run names.
	AgentPath struct {
		Kind subagent.PathKind `json:"kind"`
		Path Text              `json:"path"`
		Gone bool              `json:"gone"`
	}

	// An AgentSession is the session of a run.
	AgentSession struct {
		ID      Text  `json:"id"`
		Path    Text  `json:"path"`
		Name    *Text `json:"name"`
		Entries int   `json:"entries"`
		Forked  bool  `json:"forked"`
	}
)

// SubagentsOf converts a report.
func SubagentsOf(s *pith.Session, leaf string, all bool, r *subagent.Report) Subagents {
	return Subagents{
		Ref: SessionRef(s), LeafID: TextOrNull(leaf), AllBranches: all, Invocations: agentCalls(r.Invocations),
		Runs: r.Runs, Bad: r.Bad, Gone: r.Gone, Limited: r.Limited,
		Own: r.Own, Children: r.Children, All: r.All,
	}
}

func agentCalls(list []subagent.Invocation) []AgentCall {
	out := make([]AgentCall, 0, len(list))
	for i := range list {
		inv := &list[i]
		rec := AgentCall{
			ToolCallID: TextOrNull(inv.ToolCallID), Tool: Text(inv.Tool), CallEntryID: TextOrNull(inv.CallEntry), ResultEntryID: TextOrNull(inv.ResultEntry),
			Mode: Text(inv.Mode), Status: inv.Status, Context: TextOrNull(inv.Context), RunID: TextOrNull(inv.RunID), AsyncID: TextOrNull(inv.AsyncID),
			Error: TextOrNull(inv.Error), Started: Time{Time: inv.Begun}, Ended: Time{Time: inv.Ended},
			Requested: make([]AgentRequest, 0, len(inv.Requested)), Unassigned: inv.Unassigned, Runs: agentRuns(inv.Runs),
		}
		for _, q := range inv.Requested {
			rec.Requested = append(rec.Requested, AgentRequest{Text(q.Agent), Text(q.Task), q.Step})
		}
		out = append(out, rec)
	}
	return out
}

func agentRuns(runs []subagent.Run) []AgentRun {
	out := make([]AgentRun, 0, len(runs))
	for i := range runs {
		r := &runs[i]
		rec := AgentRun{
			Index: r.Index, RunID: TextOrNull(r.RunID), Agent: Text(r.Agent), Key: TextOrNull(r.Key), Task: Text(r.Task), TaskFrom: TextOrNull(string(r.TaskFrom)),
			Status: r.Status, Bad: r.Status.Bad(), Reason: TextOrNull(r.Reason), Model: TextOrNull(r.Model), Thinking: TextOrNull(r.Thinking),
			Usage: r.Usage, UsageFrom: TextOrNull(string(r.UsageFrom)), Total: r.Total, DurationMs: r.Duration.Milliseconds(),
			ToolCalls: r.ToolCalls, Turns: r.Turns, Skills: Texts(r.Skills), Tried: []AgentAttempt{}, Paths: []AgentPath{},
			Output: TextOrNull(r.Output), Note: TextOrNull(r.Note), Unfollowed: r.Unfollowed, Calls: agentCalls(r.Calls), Children: agentRuns(r.Children),
		}
		rec.files(r)
		out = append(out, rec)
	}
	return out
}

func (rec *AgentRun) files(r *subagent.Run) {
	if r.Source.Kind != "" {
		rec.Source = &AgentSource{r.Source.Kind, TextOrNull(r.Source.Path)}
	}
	for _, t := range r.Tried {
		rec.Tried = append(rec.Tried, AgentAttempt{t.Kind, Text(t.Path), Text(t.Why)})
	}
	for _, p := range r.Paths {
		rec.Paths = append(rec.Paths, AgentPath{p.Kind, Text(p.Path), p.Gone})
	}
	if c := r.Session; c != nil {
		rec.Session = &AgentSession{Text(c.ID), Text(c.File), TextOrNull(c.Name), c.Entries, c.Forked}
	}
}
