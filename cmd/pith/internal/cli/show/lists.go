package show

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect"
)

// A listView prints the lists: issues and tools.
type listView struct{ *showing }

// issueWords describe the kinds of issues.
var issueWords = map[string]string{
	inspect.IssueTool: "tool error", inspect.IssueResponse: "failed response", inspect.IssueNoResult: "no result", inspect.IssueBash: "failed command",
	inspect.IssueRetry: "retry", inspect.IssueComplaint: "complaint", inspect.IssueSubagent: "failed subagent",
}

// issues prints the turns that have issues.
func (v listView) issues(ctx context.Context) error {
	failed, err := v.reading.FailedRuns()
	if err != nil {
		return err
	}
	l := v.list("turn", "turns")
	last := v.reading.Len() - 1
	err = v.each(ctx, inspect.Detail{MaxContent: 4000, Roles: v.flags.roles}, func(i int, x *inspect.Turn) error {
		t := x.Issues(failed, v.chosen.Indexes[i] == last)
		if len(t.Issues) == 0 {
			return nil
		}
		for _, part := range v.parts(t) {
			if err := l.add(i, part, func() string { return v.troublesText(&part) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.end("no issues", nil)
}

// parts splits a turn with issues into list elements: one, or with a
// budget several if the issues would take more than half of it. The last of
// those is full, so that the newest issues are together.
func (v listView) parts(t inspect.Troubles) []inspect.Troubles {
	if !v.flags.given("budget") {
		return []inspect.Troubles{t}
	}
	most := v.shortText(layout.LongestLine)
	for i := range t.Issues {
		t.Issues[i].Text = t.Issues[i].Text.Short(most)
	}
	t.LastResponse = t.LastResponse.Short(most)
	size := int(max(1, v.flags.budget*2/int64(most)))
	var parts []inspect.Troubles
	for end := len(t.Issues); end > 0; end -= size {
		part := t
		part.Issues = t.Issues[max(0, end-size):end]
		parts = append(parts, part)
	}
	slices.Reverse(parts)
	return parts
}

func (v listView) troublesText(t *inspect.Troubles) string {
	out := &layout.Buffer{}
	facts := layout.NonEmpty(layout.OneLine(string(t.Title)), humanize.Moment(t.Time.Time))
	c := layout.Sheet{Out: out, Colors: v.Colors, Width: v.Width(), Started: true}
	c.Heading(tone.User, turnName(t.Number), facts, "")
	for _, issue := range t.Issues {
		tn := tone.Error
		if issue.Kind == inspect.IssueRetry || issue.Kind == inspect.IssueComplaint {
			tn = tone.Warning
		}
		c.Line(tn, fmt.Sprintf("%s · %s · %s", issueName(&issue), layout.OneLine(string(issue.EntryID)), issueLine(&issue)))
	}
	if t.LastResponse != "" {
		c.Line(tone.Dim, "last response: "+termsafe.Fit(strings.Join(strings.Fields(string(t.LastResponse)), " "), layout.LongestLine))
	}
	return out.String()
}

func issueName(i *inspect.Issue) string {
	word := issueWords[i.Kind]
	if i.Name != "" {
		word += " of " + layout.OneLine(string(i.Name))
	}
	return word
}

func issueLine(i *inspect.Issue) string {
	text := strings.Join(strings.Fields(string(i.Text)), " ")
	if i.Words != "" {
		text = fmt.Sprintf("“%s”: %s", i.Words, text)
	}
	return termsafe.Fit(text, layout.LongestLine)
}

// A shownTool is a tool call in JSON.
type shownTool struct {
	Index   int            `json:"index"`  // among the calls shown, from 1
	Number  int            `json:"number"` // of the turn
	EntryID inspect.Text   `json:"entryId"`
	Time    inspect.Moment `json:"time"`
	Name    inspect.Text   `json:"name"`
	*inspect.Tool
}

// tools prints the tool calls with their results.
func (v listView) tools(ctx context.Context) error {
	l := v.list("call", "tools")
	err := v.each(ctx, v.detail(inspect.Whole), func(at int, x *inspect.Turn) error {
		for i := range x.Items {
			it := &x.Items[i]
			if it.Tool == nil {
				continue
			}
			n := l.count + 1
			record := shownTool{n, x.Number, it.EntryID, it.Time, it.Name, it.Tool}
			if err := l.add(at, record, func() string { return v.toolText(n, x, it) }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return l.end("no tool calls", nil)
}

func (v listView) toolText(n int, x *inspect.Turn, it *inspect.Item) string {
	name := layout.OneLine(string(it.Name))
	out := &layout.Buffer{}
	c := itemSheet{Sheet: layout.Sheet{Out: out, Colors: v.Colors, Width: v.Width(), Started: true}}
	c.Heading(tone.User, fmt.Sprintf("%d. %s", n, name), []string{turnName(x.Number), layout.OneLine(string(it.EntryID)), humanize.Moment(it.Time.Time)}, layout.OneLine(string(it.Label)))
	c.tool(it)
	return out.String()
}
