package inspect

import (
	"fmt"
	"strings"
)

// The kinds of issues.
const (
	IssueTool      = "toolError" // a tool reported an error
	IssueAnswer    = "failure"   // an answer failed, was aborted or cut off
	IssueNoResult  = "noResult"  // a tool was called and no result came
	IssueBash      = "bashError" // a command of the user failed or was cancelled
	IssueRetry     = "retry"     // the model says that it tries again or is sorry
	IssueComplaint = "complaint" // the user says that something is wrong
	IssueSubagent  = "subagent"  // a run of a subagent failed
	issueText      = 300         // characters of an issue's text
	speechRead     = 4000        // bytes of what was said that are looked at for words
)

// An Issue is something that went wrong, or that somebody said went wrong.
type Issue struct {
	Kind    string `json:"kind"`
	EntryID Text   `json:"entryId"`
	Name    Text   `json:"name,omitempty"` // of the tool
	Text    Text   `json:"text"`
	// Words are those by which a complaint or a retry was found.
	Words string `json:"words,omitempty"`
}

// Troubles are the issues of an exchange.
type Troubles struct {
	Number     int     `json:"number"`
	EntryID    Text    `json:"entryId"`
	Time       Moment  `json:"time"`
	Title      Text    `json:"title"`
	Issues     []Issue `json:"issues"`
	LastAnswer Text    `json:"lastAnswer"`
}

// Issues are what went wrong in an exchange. failed are the runs of subagents that
// failed, as [Reading.FailedRuns] finds them; nil leaves them out. That a call has
// no result counts unless the exchange may still go on, which the caller knows.
func (x *Exchange) Issues(failed FailedRuns, mayGoOn bool) Troubles {
	t := Troubles{Number: x.Number, EntryID: x.EntryID, Time: x.Time, Title: x.Title(), Issues: []Issue{}}
	told := map[Text]bool{} // entries whose runs were told
	for i := range x.Items {
		it := &x.Items[i]
		entry := it.EntryID
		if it.Tool != nil && it.Tool.Result != nil {
			entry = it.Tool.Result.EntryID
		}
		if runs := failed[entry]; len(runs) > 0 && (it.Tool == nil || it.Tool.Result != nil) {
			if !told[entry] {
				t.Issues = append(t.Issues, runs...)
			}
			told[entry] = true
			continue
		}
		if issue, ok := issueOf(it, mayGoOn); ok {
			t.Issues = append(t.Issues, issue)
		}
	}
	t.Issues = withoutRepeats(t.Issues)
	t.LastAnswer, _ = cut(string(x.LastAnswer()), issueText)
	return t
}

// withoutRepeats makes one of issues that follow each other and say the same of one
// entry, such as the calls of an answer that was broken off.
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
			issue.Kind, text = IssueNoResult, "no result came"
		case r != nil && r.IsError:
			issue.Kind, issue.EntryID, text = IssueTool, r.EntryID, r.Text
		}
	case Failure:
		issue.Kind = IssueAnswer
	case Shell:
		if it.Bash.Cancelled || it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0 {
			issue.Kind, text = IssueBash, "$ "+it.Bash.Command+"\n"+it.Text
		}
	case Answer:
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
