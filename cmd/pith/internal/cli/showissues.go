package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect"
)

// issueWords say what an issue is.
var issueWords = map[string]string{
	inspect.IssueTool: "tool error", inspect.IssueAnswer: "failed answer", inspect.IssueNoResult: "no result", inspect.IssueBash: "failed command",
	inspect.IssueRetry: "retry", inspect.IssueComplaint: "complaint", inspect.IssueSubagent: "failed subagent",
}

// issues prints the exchanges in which something went wrong.
func (v *showing) issues(ctx context.Context) error {
	failed, err := v.reading.FailedRuns()
	if err != nil {
		return err
	}
	l := v.list("exchange", "exchanges")
	last := v.reading.Len() - 1
	err = v.each(ctx, inspect.Detail{MaxContent: 4000, Roles: v.flags.roles}, func(i int, x *inspect.Exchange) error {
		t := x.Issues(failed, v.chosen.Indexes[i] == last)
		if len(t.Issues) == 0 {
			return nil
		}
		r := troublesRecord{Troubles: t}
		if v.flags.given("budget") {
			v.shorten(&r)
		}
		if v.isJSON() {
			return l.addJSON(i, r)
		}
		return l.add(i, v.troublesText(&r))
	})
	if err != nil {
		return err
	}
	return l.end("no issues", nil)
}

// A troublesRecord is an exchange with issues, as it is printed in JSON.
type troublesRecord struct {
	inspect.Troubles
	LeftOut int `json:"leftOut,omitempty"` // earlier issues for which there was no room
}

// shorten leaves of an exchange what a budget has room for: the last issues, half
// of the budget for all of them.
func (v *showing) shorten(r *troublesRecord) {
	most := v.shortText(longestLine)
	r.LeftOut = max(0, len(r.Issues)-int(max(1, v.flags.budget*2/int64(most))))
	r.Issues = r.Issues[r.LeftOut:]
	for i := range r.Issues {
		r.Issues[i].Text = r.Issues[i].Text.Short(most)
	}
	r.LastAnswer = r.LastAnswer.Short(most)
}

func (v *showing) troublesText(t *troublesRecord) string {
	out := &bufferPrinter{}
	facts := slices.DeleteFunc([]string{oneLine(string(t.Title)), humanize.Moment(t.Time.Time)}, func(s string) bool { return s == "" })
	if v.isMarkdown() {
		fmt.Fprintf(out, "\n## %s\n\n%s\n\n", exchangeName(t.Number), escapeMarkdown(strings.Join(facts, " · ")))
		if t.LeftOut > 0 {
			fmt.Fprintf(out, "- … %s before\n", humanize.Count(t.LeftOut, "issue"))
		}
		for _, issue := range t.Issues {
			fmt.Fprintf(out, "- **%s** %s %s\n", issueName(&issue), code(string(issue.EntryID)), escapeMarkdown(issueLine(&issue)))
		}
		if t.LastAnswer != "" {
			fmt.Fprintf(out, "\nLast answer: %s\n", escapeMarkdown(string(t.LastAnswer)))
		}
		return out.String()
	}
	c := sheet{out: out, colors: v.colors, width: v.columns(), started: true}
	c.heading(toneUser, exchangeName(t.Number), facts, "")
	if t.LeftOut > 0 {
		c.line(toneDim, fmt.Sprintf("… %s before", humanize.Count(t.LeftOut, "issue")))
	}
	for _, issue := range t.Issues {
		tn := toneError
		if issue.Kind == inspect.IssueRetry || issue.Kind == inspect.IssueComplaint {
			tn = toneWarning
		}
		c.line(tn, fmt.Sprintf("%s · %s · %s", issueName(&issue), oneLine(string(issue.EntryID)), issueLine(&issue)))
	}
	if t.LastAnswer != "" {
		c.line(toneDim, "last answer: "+termsafe.Fit(strings.Join(strings.Fields(string(t.LastAnswer)), " "), longestLine))
	}
	return out.String()
}

func issueName(i *inspect.Issue) string {
	word := issueWords[i.Kind]
	if i.Name != "" {
		word += " of " + oneLine(string(i.Name))
	}
	return word
}

func issueLine(i *inspect.Issue) string {
	text := strings.Join(strings.Fields(string(i.Text)), " ")
	if i.Words != "" {
		text = fmt.Sprintf("“%s”: %s", i.Words, text)
	}
	return termsafe.Fit(text, longestLine)
}
