package inspect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/subagent"
)

// The kinds of issues.
const (
	IssueTool      = "toolError" // a tool reported an error
	IssueResponse  = "failure"   // a response failed, was aborted or cut off
	IssueNoResult  = "noResult"  // a tool call has no result
	IssueBash      = "bashError" // a user's shell command failed or was cancelled
	IssueRetry     = "retry"     // the model apologizes or tries again
	IssueComplaint = "complaint" // the user says that something is wrong
	IssueSubagent  = "subagent"  // a subagent run failed
	issueText      = 300         // maximum length of an issue's text in characters
	speechRead     = 4000        // bytes of a message that are searched for phrases
)

// An Issue is a problem, or something that a person called a problem.
type Issue struct {
	Kind    string `json:"kind"`
	EntryID Text   `json:"entryId"`
	Name    Text   `json:"name,omitempty"` // name of the tool
	Text    Text   `json:"text"`
	// Words is the phrase by which a complaint or a retry was found.
	Words string `json:"words,omitempty"`
}

// Troubles are the issues of a turn.
type Troubles struct {
	Number       int     `json:"number"`
	EntryID      Text    `json:"entryId"`
	Time         Moment  `json:"time"`
	Title        Text    `json:"title"`
	Issues       []Issue `json:"issues"`
	LastResponse Text    `json:"lastResponse"`
}

// Issues returns the issues of a turn. failed holds the failed subagent
// runs, as returned by [Reading.FailedRuns]; nil omits them. A call without a
// result is an issue unless mayGoOn reports that the turn may still be in
// progress.
func (x *Turn) Issues(failed FailedRuns, mayGoOn bool) Troubles {
	t := Troubles{Number: x.Number, EntryID: x.EntryID, Time: x.Time, Title: x.Title(), Issues: []Issue{}}
	reported := map[Text]bool{} // entries whose runs were reported
	for i := range x.Items {
		it := &x.Items[i]
		entry := it.EntryID
		if it.Tool != nil && it.Tool.Result != nil {
			entry = it.Tool.Result.EntryID
		}
		if runs := failed[entry]; len(runs) > 0 && (it.Tool == nil || it.Tool.Result != nil) {
			if !reported[entry] {
				t.Issues = append(t.Issues, runs...)
			}
			reported[entry] = true
			continue
		}
		if issue, ok := issueOf(it, mayGoOn); ok {
			t.Issues = append(t.Issues, issue)
		}
	}
	t.Issues = withoutRepeats(t.Issues)
	t.LastResponse, _ = cut(string(x.LastResponse()), issueText)
	return t
}

// withoutRepeats merges consecutive equal issues of one entry, such as the
// calls of an interrupted response.
func withoutRepeats(list []Issue) []Issue {
	out := list[:0]
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to] == list[from] {
			to++
		}
		issue := list[from]
		if to-from > 1 {
			issue.Text += Text(fmt.Sprintf(" (%d times)", to-from))
		}
		out = append(out, issue)
		from = to
	}
	return out
}

func issueOf(it *Item, mayGoOn bool) (Issue, bool) {
	issue := Issue{EntryID: it.EntryID}
	text := it.Text
	switch it.Kind {
	case ToolUse:
		issue.Name = it.Name
		r := it.Tool.Result
		switch {
		case r == nil && !mayGoOn:
			issue.Kind, text = IssueNoResult, "no result"
		case r != nil && r.IsError:
			issue.Kind, issue.EntryID, text = IssueTool, r.EntryID, r.Text
		}
	case Failure:
		issue.Kind = IssueResponse
	case Shell:
		if it.Bash.Cancelled || it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0 {
			issue.Kind, text = IssueBash, "$ "+it.Bash.Command+"\n"+it.Text
		}
	case Response:
		if issue.Words = retryWords().in(string(it.Text)); issue.Words != "" {
			issue.Kind = IssueRetry
		}
	case User:
		if issue.Words = complaintWords().in(string(it.Text)); issue.Words != "" {
			issue.Kind = IssueComplaint
		}
	}
	issue.Text, _ = cut(strings.TrimSpace(string(text)), issueText)
	return issue, issue.Kind != ""
}

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
