package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/reader"
)

// issueWords say what an issue is.
var issueWords = map[string]string{
	reader.IssueTool: "tool error", reader.IssueAnswer: "failed answer", reader.IssueNoResult: "no result", reader.IssueBash: "failed command",
	reader.IssueRetry: "retry", reader.IssueComplaint: "complaint", reader.IssueSubagent: "failed subagent",
}

// issues prints the exchanges in which something went wrong.
func (v *showing) issues(ctx context.Context) error {
	if v.isJSON() {
		if err := v.openJSON("exchanges", 0); err != nil {
			return err
		}
	} else {
		v.title()
	}
	failed, err := v.reading.FailedRuns()
	if err != nil {
		return err
	}
	found := 0
	last := v.reading.Len() - 1
	err = v.each(ctx, reader.Detail{MaxContent: 4000, Roles: v.flags.roles}, func(i int, x *reader.Exchange) error {
		t := x.Issues(failed, v.chosen.Indexes[i] == last)
		if len(t.Issues) == 0 {
			return nil
		}
		found++
		if v.isJSON() {
			return v.jsonElement(found == 1, t)
		}
		v.printTroubles(&t)
		return nil
	})
	if err != nil {
		return err
	}
	if v.isJSON() {
		return v.closeJSON()
	}
	if found == 0 {
		v.out.print("\nno issues\n")
	}
	v.printFindings(v.findings())
	v.printPage(0, 0)
	return nil
}

func (v *showing) printTroubles(t *reader.Troubles) {
	facts := []string{oneLine(string(t.Title)), headTime(t.Time.Time)}
	if v.isMarkdown() {
		fmt.Fprintf(v.out, "\n## %s\n\n%s\n\n", exchangeName(t.Number), escapeMarkdown(strings.Join(facts, " · ")))
		for _, issue := range t.Issues {
			fmt.Fprintf(v.out, "- **%s** %s %s\n", issueName(&issue), code(string(issue.EntryID)), escapeMarkdown(issueLine(&issue)))
		}
		if t.LastAnswer != "" {
			fmt.Fprintf(v.out, "\nLast answer: %s\n", escapeMarkdown(string(t.LastAnswer)))
		}
		return
	}
	c := sheet{out: v.out, colors: v.colors, width: v.columns(), started: true}
	c.heading(toneUser, exchangeName(t.Number), facts, "")
	for _, issue := range t.Issues {
		tn := toneError
		if issue.Kind == reader.IssueRetry || issue.Kind == reader.IssueComplaint {
			tn = toneWarning
		}
		c.line(tn, fmt.Sprintf("%s · %s · %s", issueName(&issue), oneLine(string(issue.EntryID)), issueLine(&issue)))
	}
	if t.LastAnswer != "" {
		c.line(toneDim, "last answer: "+plain.Fit(strings.Join(strings.Fields(string(t.LastAnswer)), " "), longestLine))
	}
}

func issueName(i *reader.Issue) string {
	word := issueWords[i.Kind]
	if i.Name != "" {
		word += " of " + oneLine(string(i.Name))
	}
	return word
}

func issueLine(i *reader.Issue) string {
	text := strings.Join(strings.Fields(string(i.Text)), " ")
	if i.Words != "" {
		text = fmt.Sprintf("“%s”: %s", i.Words, text)
	}
	return plain.Fit(text, longestLine)
}
