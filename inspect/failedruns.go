package inspect

import (
	"cmp"

	"github.com/pith-sessions/pith/internal/subagent"
)

// FailedRuns holds issues about subagent runs, by the entry that mentions them.
type FailedRuns map[Text][]Issue

// FailedRuns returns the subagent runs that failed, as mentioned in the session
// itself. It does not read other files.
func (r *Reading) FailedRuns() (FailedRuns, error) {
	var calls []subagent.Invocation
	var err error
	if r.scope.AllBranches {
		calls, err = subagent.FindAll(r.s)
	} else {
		calls, err = subagent.Find(r.s, r.scope.Leaf)
	}
	if err != nil {
		return nil, err
	}
	failed := FailedRuns{}
	for i := range calls {
		call := &calls[i]
		entry := Text(cmp.Or(call.ResultEntry, call.CallEntry))
		add := func(agent string, status subagent.Status, why string) {
			text, _ := cut(why, issueText)
			if text != "" {
				text = ": " + text
			}
			failed[entry] = append(failed[entry], Issue{Kind: IssueSubagent, EntryID: entry, Name: Text(agent), Text: Text(status) + text})
		}
		for _, run := range subagent.Flat(calls[i : i+1]) {
			if run.Status.Bad() {
				add(run.Agent, run.Status, run.Reason)
			}
		}
		if len(call.Runs) == 0 && call.Status.Bad() && call.ResultEntry != "" {
			add(call.Tool, call.Status, call.Error)
		}
	}
	return failed, nil
}
