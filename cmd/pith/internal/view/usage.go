package view

import (
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/format"
)

// Usage is the sum of the usage of responses.
type Usage struct {
	By     string       `json:"by"`
	Since  Time         `json:"since"`
	Until  Time         `json:"until"`
	Groups []UsageGroup `json:"groups"`
	Total  Sum          `json:"total"`
	Copies Sum          `json:"copies"` // responses in copies, which no other sum includes
}

// A UsageGroup is the sum of the responses with one key: a day, a month, a model, a
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
var UsageKeys = []string{"day", "month", "project", "model", "source", "session"}

// Usage adds up the responses of a ledger by one of UsageKeys. Days and months
// are those of a zone, in order; other groups are sorted by decreasing cost.
func (r *Rows) Usage(l *cost.Ledger, by string, zone *time.Location) Usage {
	sessions := map[string]*catalog.Info{}
	groups := l.By(r.usageKey(l, by, zone, sessions))
	if by != "day" && by != "month" {
		cost.DearestFirst(groups)
	}
	total := l.Total()
	out := Usage{By: by, Groups: make([]UsageGroup, len(groups)), Total: SumOf(&total)}
	out.Copies.Responses, out.Copies.Spent = l.Copies()
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
func (r *Rows) usageKey(l *cost.Ledger, by string, zone *time.Location, sessions map[string]*catalog.Info) func(*cost.Response) string {
	of := func(x *cost.Response) *catalog.Info { return &l.Sessions[x.Session] }
	switch by {
	case "day":
		return cost.Days(zone)
	case "month":
		return cost.Months(zone)
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
