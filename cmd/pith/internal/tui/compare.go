package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/amount"
)

// compare shows what the paths to two entries have in common, and what happened
// on each of them since.
func (c *commands) compare(a, b string) tea.Cmd {
	s := c.session()
	return c.work("comparing", func(ctx context.Context) done {
		found, err := diff.Compare(ctx, diff.Side{Session: s, Leaf: a}, diff.Side{Session: s, Leaf: b})
		if err != nil {
			return done{err: err}
		}
		sheet := &dialog.Sheet{Title: "Comparison of " + termsafe.Line(a) + " and " + termsafe.Line(b)}
		common := humanize.Count(found.Common.Turns, "turn")
		if q := found.Common.Question; q != "" {
			common += ", the last: " + termsafe.Fit(q, longestQuestion)
		}
		sheet.Facts = append(sheet.Facts, dialog.Fact{Name: "in common", About: common})
		sheet.Facts = append(sheet.Facts, c.side(a, &found.A)...)
		sheet.Facts = append(sheet.Facts, c.side(b, &found.B)...)
		if len(found.BothModified) > 0 {
			sheet.Facts = append(sheet.Facts, dialog.Fact{}, dialog.Fact{Name: "both changed", About: c.paths(found.BothModified)})
		}
		return done{then: func() tea.Cmd { c.tell(sheet); return nil }}
	})
}

// The maximum lengths of a user message and of a response in a comparison, in
// cells.
const (
	longestQuestion = 200
	longestResponse = 1200
)

func (c *commands) side(id string, b *diff.Branch) []dialog.Fact {
	turns := 0
	for _, t := range b.Turns {
		turns += min(t.Number, 1)
	}
	about := humanize.Count(turns, "turn") + " since then"
	if cost := amount.Cost(b.Spent); cost != "" {
		about += ", cost " + cost
	}
	facts := []dialog.Fact{{}, {Name: termsafe.Line(id), About: about}}
	for _, t := range b.Turns {
		name, text := fmt.Sprintf("  turn %d", t.Number), termsafe.Fit(t.Text, longestQuestion)
		if t.Number == 0 {
			name, text = "  turn", "rest of the shared turn"
		}
		if t.Calls > 0 {
			text += " (" + humanize.Count(t.Calls, "tool call")
			if t.Errors > 0 {
				text += ", " + humanize.Count(t.Errors, "error")
			}
			text += ")"
		}
		facts = append(facts, dialog.Fact{Name: name, About: text})
	}
	if len(b.Modified) > 0 {
		facts = append(facts, dialog.Fact{Name: "  changed", About: c.paths(b.Modified)})
	}
	if b.Failure != "" {
		facts = append(facts, dialog.Fact{Name: "  failed", About: termsafe.Line(b.Failure)})
	}
	if b.Answer != "" {
		facts = append(facts, dialog.Fact{Name: "  response", About: termsafe.Fit(strings.Join(strings.Fields(b.Answer), " "), longestResponse)})
	}
	return facts
}

func (c *commands) paths(list []string) string {
	out := make([]string, len(list))
	for i, path := range list {
		out[i] = termsafe.Line(humanize.Path(c.c.Home, path))
	}
	return strings.Join(out, ", ")
}
