package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

// views shows a view of the session, or asks which one.
func (c *commands) views(name string) tea.Cmd {
	names := []string{"contents", "issues", "files", "costs", "usage"}
	do := []func() tea.Cmd{c.chat.toggleContents, c.issues, c.files, c.costs, c.showUsage}
	if i := slices.Index(names, name); i >= 0 {
		return do[i]()
	}
	c.ask(&dialog.Choice{Title: "View", Answers: names}, func(i int) tea.Cmd { return do[i]() })
	return nil
}

// issues lists the issues of the shown path; Enter goes to one.
func (c *commands) issues() tea.Cmd {
	turns := c.chat.turns
	return c.work("looking for issues", func(ctx context.Context) done {
		found, err := turns.Issues(ctx)
		if err != nil {
			return done{err: err}
		}
		if len(found) == 0 {
			return done{note: "no issues found"}
		}
		return done{then: func() tea.Cmd { return c.showIssues(turns, found) }}
	})
}

func (c *commands) showIssues(turns *live.Turns, found []live.Issue) tea.Cmd {
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = strings.TrimSpace(fmt.Sprintf("turn %d · %s %s: %s", f.Number, f.Kind, f.Name, termsafe.Line(string(f.Text))))
	}
	c.choose(&dialog.Messages{Title: "Issues", About: "Select an issue to go to it", Noun: "Issue", Verb: "go to", Texts: texts}, func(i int) tea.Cmd {
		if turns != c.chat.turns || c.chat.page == nil {
			return nil // another path is shown meanwhile
		}
		return c.chat.page.Show(conversation.Place{Turn: found[i].Turn, EntryID: string(found[i].EntryID)})
	})
	return nil
}

// files lists the files that tools read and changed.
func (c *commands) files() tea.Cmd {
	turns := c.chat.turns
	return c.work("reading file uses", func(ctx context.Context) done {
		uses, err := turns.Files(ctx)
		if err != nil {
			return done{err: err}
		}
		if len(uses) == 0 {
			return done{note: "no tool used a file"}
		}
		sheet := &dialog.Sheet{Title: "Files, with the turns that used them"}
		for _, u := range uses {
			var parts []string
			for _, p := range []struct {
				verb  string
				turns []int
			}{{"edited", u.Edited}, {"written", u.Written}, {"read", u.Read}} {
				if len(p.turns) > 0 {
					parts = append(parts, p.verb+" in "+numbers(p.turns))
				}
			}
			sheet.Facts = append(sheet.Facts, dialog.Fact{Name: termsafe.Line(humanize.Path(c.c.Home, string(u.Path))), About: strings.Join(parts, "; ")})
		}
		return done{then: func() tea.Cmd { c.tell(sheet); return nil }}
	})
}

// mostNumbers is the maximum number of turns listed for a file.
const mostNumbers = 8

func numbers(turns []int) string {
	var out []string
	for i, n := range turns {
		if i == mostNumbers {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(turns)-i)
		}
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// costs shows the cost of the shown path, by model and by turn.
func (c *commands) costs() tea.Cmd {
	turns := c.chat.turns
	return c.work("counting", func(ctx context.Context) done {
		rows, all, err := turns.Costs(ctx)
		if err != nil {
			return done{err: err}
		}
		if len(all) == 0 {
			return done{note: "no response has a recorded cost"}
		}
		sheet := &dialog.Sheet{Title: "Costs, by model and by turn"}
		for _, m := range inspect.ByModel(all) {
			sheet.Facts = append(sheet.Facts, dialog.Fact{Name: humanize.Dollars(m.Cost.Micros()), About: fmt.Sprintf("%s, %s, %s tokens", termsafe.Line(string(m.Model)), humanize.Count(m.Calls, "call"), humanize.Number(m.Tokens))})
		}
		sheet.Facts = append(sheet.Facts, dialog.Fact{})
		for i := range rows {
			if r := &rows[i]; r.Spent.Tokens > 0 || r.Spent.Cost > 0 {
				sheet.Facts = append(sheet.Facts, dialog.Fact{Name: humanize.Dollars(r.Spent.Cost.Micros()), About: fmt.Sprintf("turn %d, %s tokens: %s", r.Number, humanize.Number(r.Spent.Tokens), termsafe.Line(string(r.Title)))})
			}
		}
		return done{then: func() tea.Cmd { c.tell(sheet); return nil }}
	})
}

// showUsage shows the usage of all sessions in the last days.
func (a *App) showUsage() tea.Cmd {
	if a.c.Usage == nil {
		return a.say(paint.Muted, "usage is not available here")
	}
	return a.work("counting usage", func(ctx context.Context) done {
		parts, err := a.c.Usage(ctx)
		if err != nil {
			return done{err: err}
		}
		sheet := &dialog.Sheet{Title: "Usage of all sessions in the last 7 days"}
		for i, u := range parts {
			if i > 0 {
				sheet.Facts = append(sheet.Facts, dialog.Fact{})
			}
			for _, g := range u.Groups {
				sheet.Facts = append(sheet.Facts, dialog.Fact{Name: humanize.Dollars(g.Cost.Micros()),
					About: fmt.Sprintf("%s, %s, %s tokens", termsafe.Line(humanize.Path(a.c.Home, string(g.Key))), humanize.Count(g.Sessions, "session"), humanize.Short(g.Tokens))})
			}
			if i == len(parts)-1 {
				sheet.Facts = append(sheet.Facts, dialog.Fact{}, dialog.Fact{Name: humanize.Dollars(u.Total.Cost.Micros()), About: "total"})
			}
		}
		return done{then: func() tea.Cmd { a.tell(sheet); return nil }}
	})
}
