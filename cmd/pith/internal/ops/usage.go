package ops

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/internal/prices"
	"github.com/pith-sessions/pith/sessiondir"
)

// A UsageKey is what usage is grouped by.
type UsageKey string

// Words implements [Words].
func (UsageKey) Words() []string {
	return []string{"day", "week", "month", "project", "model", "source", "session"}
}

// A Weekday is the day on which weeks begin.
type Weekday string

// Words implements [Words]. The first is the usual one.
func (Weekday) Words() []string {
	return []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
}

func (d Weekday) day() time.Weekday {
	return time.Weekday(max(0, slices.Index(d.Words(), string(d)))+1) % 7
}

// A Spending is the sum of the usage of responses.
type Spending struct {
	By     UsageKey        `json:"by"`
	Since  time.Time       `json:"since"`
	Until  time.Time       `json:"until"`
	Groups []SpendingGroup `json:"groups"`
	Total  cost.Group      `json:"total"`
	Copies cost.Group      `json:"copies"` // responses in copies, which no other sum includes
	// Prices is the date of the prices by which costs were estimated.
	Prices string `json:"prices,omitempty"`
}

// A SpendingGroup is the sum of the responses with one key: a day, the first day of a
// week, a month, a model, a source, a project's directory, a session's ID or a person.
type SpendingGroup struct {
	Key   string  `json:"key"`
	Path  *string `json:"path,omitempty"` // these three by session only
	Title *string `json:"title,omitempty"`
	Cwd   *string `json:"cwd,omitempty"`
	cost.Group
}

// UsageParams choose the responses of Usage.
type UsageParams struct {
	Where
	By        UsageKey `json:"by"` // model by default
	Query     string   `json:"query"`
	TimeZone  string   `json:"timeZone"` // of days, weeks and months; "" means that of the clock
	WeekStart Weekday  `json:"weekStart"`
}

// Usage adds up tokens and cost. Each response counts once, in the session it was made
// in: copies are found among all sessions, before any are chosen.
func Usage(ctx context.Context, a *App, p UsageParams) (*Spending, error) {
	zone := a.now().Location()
	if p.TimeZone != "" {
		var err error
		if zone, err = time.LoadLocation(p.TimeZone); err != nil {
			return nil, &ParamError{"timeZone", "must be a time zone like Europe/Berlin or UTC"}
		}
	}
	a, cwd := p.in(a)
	q, err := a.query(p.Query, cwd, zone)
	if err != nil {
		return nil, err
	}
	ledger, err := a.responses(ctx)
	if err != nil {
		return nil, err
	}
	if ledger, err = ledger.Choose(ctx, q, a.anywhere().searching(cwd)); err != nil {
		return nil, err
	}
	if cwd != "" {
		every := ledger
		ledger = every.Where(func(r *cost.Response) bool { return sessiondir.SameProject(cwd, every.Sessions[r.Session].Cwd) })
	}
	since, until := q.Range()
	u := &Spending{By: cmp.Or(p.By, "model"), Since: since, Until: until, Total: ledger.Total()}
	u.Copies.Responses, u.Copies.Spent = ledger.Copies()
	if u.Total.Estimated || u.Copies.Estimated {
		u.Prices = prices.Published().Date
	}
	u.group(ledger, zone, p.WeekStart.day())
	return u, nil
}

// group adds the groups. Days, weeks and months are in order; others are sorted by
// decreasing cost.
func (u *Spending) group(l *cost.Ledger, zone *time.Location, first time.Weekday) {
	of := func(r *cost.Response) *catalog.Info { return &l.Sessions[r.Session] }
	sessions := map[string]*catalog.Info{} // by path
	key := func(r *cost.Response) string { return r.Model }
	switch u.By {
	case "day":
		key = cost.Days(zone)
	case "week":
		key = cost.Weeks(zone, first)
	case "month":
		key = cost.Months(zone)
	case "project":
		projects := ProjectsByCwd(l.Sessions)
		key = func(r *cost.Response) string { return projects[of(r).Cwd].Dir }
	case "source":
		key = func(r *cost.Response) string { return of(r).Root }
	case "session":
		key = func(r *cost.Response) string {
			sessions[of(r).Path] = of(r)
			return of(r).Path
		}
	}
	groups := l.By(key)
	if u.By != "day" && u.By != "week" && u.By != "month" {
		cost.DearestFirst(groups)
	}
	for _, g := range groups {
		out := SpendingGroup{Key: g.Key, Group: g}
		if s := sessions[g.Key]; s != nil {
			out.Key, out.Path, out.Title, out.Cwd = s.ID, &s.Path, new(s.Title()), &s.Cwd
		}
		u.Groups = append(u.Groups, out)
	}
}

// anywhere returns the App for the sessions of all agents: a response that two agents have
// counts for the first.
func (a *App) anywhere() *App {
	all := *a
	all.Sources = nil
	return &all
}

// responses returns the responses of all sessions, each once.
func (a *App) responses(ctx context.Context) (*cost.Ledger, error) {
	where := a.anywhere().Listing()
	where.IncludeInternal, where.Responses = true, true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return nil, err
	}
	count := cost.Options{Environment: a.Environment, Skipped: a.Skipped}
	if at := a.working("counting", false); at != nil {
		count.Progress = func(done, total int) { at(int64(done), int64(total)) }
	}
	return cost.Count(ctx, infos, count)
}

// Ledgers are the responses of all sessions, and those that a query chooses.
type Ledgers struct {
	All, Chosen *cost.Ledger
	Query       query.Query
	Fault       error // of the query, of which the valid part counts
}

// Spent returns the responses that a query chooses, for a front end that adds them up
// itself. Sessions that programs made for their own use count as well.
func Spent(ctx context.Context, a *App, text string) (*Ledgers, error) {
	all, err := a.responses(ctx)
	if err != nil {
		return nil, err
	}
	s := &Ledgers{All: all, Chosen: all}
	if s.Query, s.Fault = query.Parse(text, a.env("", nil)); !s.Query.IsZero() {
		s.Chosen, err = all.Choose(ctx, s.Query, a.anywhere().searching(""))
	}
	return s, err
}

// Dearest returns the sums of the responses with the same key, the most expensive first.
func Dearest(l *cost.Ledger, most int, key func(*cost.Response) string) []cost.Group {
	groups := l.By(key)
	cost.DearestFirst(groups)
	return groups[:min(len(groups), most)]
}
