package view

import (
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// Usage is the sum of the usage of responses.
type Usage struct {
	By     string       `json:"by"`
	Since  Time         `json:"since"`
	Until  Time         `json:"until"`
	Groups []UsageGroup `json:"groups"`
	Total  Sum          `json:"total"`
	Copies Sum          `json:"copies"` // responses in copies, which no other sum includes
	// Prices is the date of the prices by which costs were estimated.
	Prices string `json:"prices,omitempty"`
}

// A UsageGroup is the sum of the responses with one key: a day, the first day of a week, a month, a model, a
// source, a project's directory, a session's ID or a person.
type UsageGroup struct {
	Key   Text  `json:"key"`
	Path  *Text `json:"path,omitempty"` // these three by session only
	Title *Text `json:"title,omitempty"`
	Cwd   *Text `json:"cwd,omitempty"`
	Sum
}

// A Sum is the total usage of a number of responses.
type Sum struct {
	Sessions   int `json:"sessions"`
	Responses  int `json:"responses"`
	CacheWarms int `json:"cacheWarms"` // requests that only keep a prompt cache alive
	format.Spent
}

// SumOf converts a group.
func SumOf(g *cost.Group) Sum { return Sum{g.Sessions, g.Responses, g.CacheWarms, g.Spent} }

// UsageKeys are the values of Usage.By.
var UsageKeys = []string{"day", "week", "month", "project", "model", "source", "session"}

// A Calendar has the days and weeks of the user.
type Calendar struct {
	Zone  *time.Location
	First time.Weekday // of a week
}

// Weekdays are the names of the days on which a week may begin, the usual one
// first.
var Weekdays = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// WeekdayOf returns the day with one of these names.
func WeekdayOf(name string) time.Weekday { return time.Weekday((slices.Index(Weekdays, name) + 1) % 7) }

// Usage adds up the responses of a ledger by one of UsageKeys. Days, weeks and
// months are in order; other groups are sorted by decreasing cost.
func (r *Rows) Usage(l *cost.Ledger, by string, c Calendar) Usage {
	sessions := map[string]*catalog.Info{}
	groups := l.By(r.usageKey(l, by, c, sessions))
	if by != "day" && by != "week" && by != "month" {
		cost.DearestFirst(groups)
	}
	total := l.Total()
	out := Usage{By: by, Groups: make([]UsageGroup, len(groups)), Total: SumOf(&total)}
	out.Copies.Responses, out.Copies.Spent = l.Copies()
	if total.Estimated || out.Copies.Estimated {
		out.Prices = prices.Published().Date
	}
	for i := range groups {
		g := UsageGroup{Key: Text(groups[i].Key), Sum: SumOf(&groups[i])}
		if s := sessions[groups[i].Key]; s != nil {
			path, title, cwd := Text(s.Path), Text(s.Title()), Text(s.Cwd)
			g.Key, g.Path, g.Title, g.Cwd = Text(s.ID), &path, &title, &cwd
		}
		out.Groups[i] = g
	}
	return out
}

// usageKey returns a function for the key of a response. By session that is the
// file's path, and sessions receives the sessions.
func (r *Rows) usageKey(l *cost.Ledger, by string, c Calendar, sessions map[string]*catalog.Info) func(*cost.Response) string {
	of := func(x *cost.Response) *catalog.Info { return &l.Sessions[x.Session] }
	switch by {
	case "day":
		return cost.Days(c.Zone)
	case "week":
		return cost.Weeks(c.Zone, c.First)
	case "month":
		return cost.Months(c.Zone)
	case "project":
		projects := ProjectsByCwd(l.Sessions)
		return func(x *cost.Response) string { return projects[of(x).Cwd].Dir }
	case "source":
		return func(x *cost.Response) string { return of(x).Root }
	case "session":
		return func(x *cost.Response) string {
			sessions[of(x).Path] = of(x)
			return of(x).Path
		}
	}
	return func(x *cost.Response) string { return x.Model }
}
