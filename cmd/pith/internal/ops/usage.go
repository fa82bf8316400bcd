package ops

import (
	"cmp"
	"context"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/sessiondir"
)

// A UsageKey is what usage is grouped by.
type UsageKey string

// Words implements [Words].
func (UsageKey) Words() []string { return view.UsageKeys }

// A Weekday is the day on which weeks begin.
type Weekday string

// Words implements [Words].
func (Weekday) Words() []string { return view.Weekdays }

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
func Usage(ctx context.Context, a *App, p UsageParams) (*view.Usage, error) {
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
	all := *a
	all.Sources = nil // a response that two agents have counts for the first
	o := all.searching(cwd)
	where := o.Catalog
	where.IncludeInternal, where.Responses = true, true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return nil, err
	}
	since, until := q.Range()
	count := cost.Options{Environment: a.Environment, Skipped: a.Skipped}
	if at := a.working("counting", false); at != nil {
		count.Progress = func(done, total int) { at(int64(done), int64(total)) }
	}
	ledger, err := cost.Count(ctx, infos, count)
	if err != nil {
		return nil, err
	}
	if ledger, err = ledger.Choose(ctx, q, o); err != nil {
		return nil, err
	}
	if cwd != "" {
		every := ledger
		ledger = every.Where(func(r *cost.Response) bool { return sessiondir.SameProject(cwd, every.Sessions[r.Session].Cwd) })
	}
	by := string(cmp.Or(p.By, "model"))
	u := (&view.Rows{}).Usage(ledger, by, view.Calendar{Zone: zone, First: view.WeekdayOf(cmp.Or(string(p.WeekStart), view.Weekdays[0]))})
	u.Since, u.Until = view.Time{Time: since}, view.Time{Time: until}
	return &u, nil
}
