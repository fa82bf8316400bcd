package webui

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/page"
)

// ledger counts the sessions of all agents, also those that programs made for their own
// use, which lists leave out.
func (s *Server) ledger(ctx context.Context) (*cost.Ledger, error) {
	o := s.c.Catalog
	o.IncludeInternal, o.Responses = true, true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, o))
	if err != nil {
		return nil, err
	}
	return cost.Count(ctx, infos, cost.Options{Environment: s.environment(), CacheDir: o.Index.Dir()})
}

// usage is the data of the page of costs.
type usage struct {
	Chosen                []chosen
	Cost, Tokens, Summary string
	Copies                string
	Charts                []chart
	query                 url.Values
	zone                  *time.Location
}

// chosen is a filter of the sums.
type chosen struct{ Name, Without string }

type chart struct {
	Name, What  string
	Columns     bool // over time, next to each other
	Few         bool // few enough that each has its name below
	Bars        []bar
	More        int
	Top, Middle string // of the axis
	First, Last string
}

type bar struct {
	Name, Link, Cost, Tokens string
	Share, Rest              string // percent
}

// usagePage serves charts of the costs, which count every response once and
// link to their sessions.
func (s *Server) usagePage(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	all, err := s.ledger(r.Context())
	if err != nil {
		return err
	}
	u := usage{query: url.Values{}, zone: s.c.Now().Location()}
	keys := map[string]func(*cost.Response) string{
		"day": cost.Days(u.zone), "month": cost.Months(u.zone),
		"model":   func(r *cost.Response) string { return r.Model },
		"project": func(r *cost.Response) string { return s.shortenHome(all.Sessions[r.Session].Cwd) },
	}
	ledger := all
	for _, name := range []string{"month", "day", "project", "model"} {
		if values, ok := r.URL.Query()[name]; ok {
			u.query.Set(name, values[0])
			ledger = ledger.Where(func(r *cost.Response) bool { return keys[name](r) == values[0] })
		}
	}
	for name := range u.query {
		without := maps.Clone(u.query)
		without.Del(name)
		u.Chosen = append(u.Chosen, chosen{name + ": " + named(u.query.Get(name)), "/usage?" + without.Encode()})
	}
	slices.SortFunc(u.Chosen, func(a, b chosen) int { return cmp.Compare(a.Name, b.Name) })
	total := ledger.Total()
	u.Cost, u.Tokens = cmp.Or(amount.Cost(total.Spent), "no cost"), page.Count(total.Tokens, "token")
	u.Summary = page.Count(int64(total.Responses), "response") + " in " + page.Count(int64(total.Sessions), "session")
	if n, _ := ledger.Copies(); n > 0 {
		u.Copies = page.Count(int64(n), "copy") + " in forks not counted again"
	}
	u.overTime(ledger, keys)
	for _, name := range []string{"model", "project"} {
		if _, ok := u.query[name]; !ok {
			groups := ledger.By(keys[name])
			cost.DearestFirst(groups)
			u.add(chart{Name: "By " + name, What: strings.ToUpper(name[:1]) + name[1:]}, groups, 20, func(g *cost.Group) (string, string) { return g.Key, "/usage?" + u.link(name, g.Key).Encode() })
		}
	}
	u.bySession(ledger, l)
	return show(w, "usage", u)
}

// link returns the query of the page with one more filter.
func (u *usage) link(name, value string) url.Values {
	q := maps.Clone(u.query)
	q.Set(name, value)
	return q
}

// mostDays is the maximum number of days in a chart. More are shown as months.
const mostDays = 92

// overTime adds a chart of days, or of months if there are many days, without
// gaps.
func (u *usage) overTime(ledger *cost.Ledger, keys map[string]func(*cost.Response) string) {
	if _, ok := u.query["day"]; ok {
		return
	}
	name, layout, groups := "day", time.DateOnly, ledger.By(keys["day"])
	if days := between(groups, layout, 0, 1); len(days) > mostDays {
		name, layout, groups = "month", "2006-01", ledger.By(keys["month"])
		groups = between(groups, layout, 1, 0)
	} else {
		groups = days
	}
	u.add(chart{Name: "By " + name, What: "Date", Columns: len(groups) > 1}, groups, 400, func(g *cost.Group) (string, string) { return g.Key, "/usage?" + u.link(name, g.Key).Encode() })
}

// between adds the days or months without costs.
func between(groups []cost.Group, layout string, months, days int) []cost.Group {
	const most = 2000 // a file may claim any year
	var out []cost.Group
	var next time.Time
	for _, g := range groups {
		at, err := time.Parse(layout, g.Key)
		if err == nil && !next.IsZero() {
			for n := 0; next.Before(at) && n < most; n++ {
				out = append(out, cost.Group{Key: next.Format(layout)})
				next = next.AddDate(0, months, days)
			}
		}
		if out = append(out, g); err == nil {
			next = at.AddDate(0, months, days)
		}
	}
	return out
}

// bySession lists the sessions of the sums.
func (u *usage) bySession(ledger *cost.Ledger, l *listing) {
	groups := ledger.By(func(r *cost.Response) string { return ledger.Sessions[r.Session].Path })
	cost.DearestFirst(groups)
	infos := make(map[string]*catalog.Info, len(l.infos))
	for i := range ledger.Sessions {
		infos[ledger.Sessions[i].Path] = &ledger.Sessions[i]
	}
	u.add(chart{Name: "By session", What: "Session"}, groups, 50, func(g *cost.Group) (string, string) {
		link := ""
		if key := l.keyOf(g.Key); key != "" {
			link = "/s/" + url.PathEscape(key)
		}
		return infos[g.Key].Title(), link
	})
}

// add adds a chart of the first groups.
func (u *usage) add(c chart, groups []cost.Group, most int, describe func(*cost.Group) (name, link string)) {
	c.More = max(0, len(groups)-most)
	if c.Columns {
		groups = groups[c.More:]
	} else {
		groups = groups[:len(groups)-c.More]
	}
	if len(groups) == 0 {
		return
	}
	size := func(g *cost.Group) float64 { return float64(g.Cost.Micros()) }
	if !slices.ContainsFunc(groups, func(g cost.Group) bool { return g.Cost > 0 }) {
		size = func(g *cost.Group) float64 { return float64(g.Tokens) } // no cost was recorded
	}
	top := 1.0
	for i := range groups {
		top = max(top, size(&groups[i]))
	}
	for i := range groups {
		g := &groups[i]
		name, link := describe(g)
		share := 100 * size(g) / top
		c.Bars = append(c.Bars, bar{page.OneLine(named(name), 80), link, amount.CostCell(g.Spent), humanize.Short(g.Tokens), fmt.Sprintf("%.1f", share), fmt.Sprintf("%.1f", 100-share)})
	}
	highest := slices.MaxFunc(groups, func(a, b cost.Group) int { return cmp.Compare(size(&a), size(&b)) })
	c.Top, c.Middle = amount.Cost(format.Spent{Cost: highest.Cost}), amount.Cost(format.Spent{Cost: highest.Cost / 2})
	if highest.Cost == 0 {
		c.Top, c.Middle = humanize.Short(highest.Tokens), humanize.Short(highest.Tokens/2)
	}
	c.Few = len(c.Bars) <= 14
	c.First, c.Last = c.Bars[0].Name, c.Bars[len(c.Bars)-1].Name
	u.Charts = append(u.Charts, c)
}

func named(key string) string { return cmp.Or(key, "unknown") }
