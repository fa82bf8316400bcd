package webui

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/page"
)

// mostRows is the number of projects and of sessions on the page of costs.
const mostRows = 10

// usage is the data of the page of costs.
type usage struct {
	Range, Bars, Measure, Stack []choice
	Menus                       []menu
	Cards                       []card
	RangeName                   string
	Chart                       *chart
	Groups                      []line
	Total                       line
	Tables                      []table
	Fault, Zone, Copies         string
	Sessions                    string
	LastUse, All                string // of an empty page
}

type card struct{ Name, Span, Big, Unit, Sub string }

// line is a line of a table.
type line struct {
	Mark             template.HTML
	Name, Link       string
	Class            string
	Model            bool
	spent            [3]format.Spent // last week, this week, and in the range
	estimated        format.Money    // the part of the range
	Width, Estimated string          // the bar: its recorded and its estimated part in percent
}

func (l line) Last() string    { return money(l.spent[0]) }
func (l line) This() string    { return money(l.spent[1]) }
func (l line) InRange() string { return money(l.spent[2]) }
func (l line) Tokens() string  { return humanize.Short(l.spent[2].Tokens) }

type table struct {
	Name, What string
	Rows       []line
}

// times are the times of the page: midnights of the reader's zone.
type times struct{ now, start, thisWeek, lastWeek time.Time }

// timesOf returns the times of a page about the last days, or about all responses.
func timesOf(now time.Time, l *cost.Ledger, days int) times {
	t := times{now: now, start: midnight(now).AddDate(0, 0, 1-days), thisWeek: monday(now)}
	t.lastWeek = t.thisWeek.AddDate(0, 0, -7)
	if days == 0 {
		t.start = now
		for i := range l.Responses {
			if at := l.Responses[i].Time; !at.IsZero() && at.Before(t.start) {
				t.start = at
			}
		}
		t.start = midnight(t.start.In(now.Location()))
	}
	return t
}

// long reports whether the range has too many days for a bar each.
func (t *times) long() bool { return t.now.Sub(t.start).Hours()/24 > mostDays }

// unit returns what a bar stands for: a day, a week or a month.
func (t *times) unit(asked string) string {
	switch {
	case asked == "week" || asked == "month":
		return asked
	case t.long():
		return "week"
	}
	return "day"
}

// usagePage serves what sessions cost: by time, agent and model, each response once.
func (s *Server) usagePage(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	v, now := r.URL.Query(), s.c.App.Now()
	spent, err := ops.Spent(r.Context(), s.c.App, v.Get("q"))
	if err != nil {
		return err
	}
	chosen := spent.Chosen
	u := usage{Zone: now.Format("MST")}
	if spent.Fault != nil {
		u.Fault = spent.Fault.Error()
	}
	days := map[string]int{"7d": 7, "90d": 90, "all": 0}
	n, ok := days[v.Get("range")]
	if !ok {
		n = 30
	}
	t := timesOf(now, chosen, n)
	u.RangeName = "All"
	if n > 0 {
		u.RangeName = fmt.Sprintf("%d days", n)
	}
	unit := t.unit(v.Get("bars"))
	u.choices(v, spent, unit, t)
	within := chosen
	if n > 0 {
		within = chosen.Between(t.start, time.Time{})
	}
	if copies, _ := within.Copies(); copies > 0 {
		u.Copies = amount.Count(int64(copies), "response") + " copied into forks are counted once."
	}
	if len(within.Responses) == 0 {
		var last time.Time
		for i := range chosen.Responses {
			if at := chosen.Responses[i].Time; at.After(last) {
				last = at
			}
		}
		if !last.IsZero() {
			u.LastUse = last.In(now.Location()).Format("2 January 2006")
		}
		u.All = address(v, "range", "all")
		return show(w, "usage", u)
	}
	u.cards(chosen, within, t)
	u.Chart = newChart(within, v, unit, t)
	u.byAgent(chosen, within, t, v)
	u.tables(within, l)
	return show(w, "usage", u)
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// monday returns the start of the week of a time.
func monday(t time.Time) time.Time {
	return midnight(t).AddDate(0, 0, -(int(t.Weekday())+6)%7)
}

// address returns the address of the page with another value of a parameter.
func address(v url.Values, name, value string) string {
	to := url.Values{}
	for _, k := range []string{"q", "range", "bars", "show", "stack"} {
		if was := v.Get(k); was != "" {
			to.Set(k, was)
		}
	}
	if to.Set(name, value); value == "" {
		to.Del(name)
	}
	if len(to) == 0 {
		return "/usage"
	}
	return "/usage?" + to.Encode()
}

// choices adds the parameters of the page. The first of each is the default.
func (u *usage) choices(v url.Values, spent *ops.Ledgers, unit string, t times) {
	q, all := spent.Query, spent.All
	of := func(name, chosen string, values ...string) (out []choice) {
		for i := 0; i < len(values); i += 2 {
			out = append(out, choice{Name: values[i+1], Link: address(v, name, values[i]), Chosen: chosen == values[i]})
		}
		return out
	}
	u.Range = of("range", v.Get("range"), "7d", "7d", "", "30d", "90d", "90d", "all", "All")
	if u.Bars = of("bars", unit, "day", "Day", "week", "Week", "month", "Month"); t.long() {
		u.Bars = u.Bars[1:]
	}
	u.Measure = of("show", v.Get("show"), "", "Cost", "tokens", "Tokens")
	u.Stack = of("stack", v.Get("stack"), "", "Agent", "model", "Model")
	agents, projects := map[string]int64{}, map[string]int64{}
	for i := range all.Responses {
		r := &all.Responses[i]
		x := &all.Sessions[r.Session]
		agents[page.AgentOf(x.Root).Root] += r.Cost.Micros()
		projects[base(x.Cwd)] += r.Cost.Micros()
	}
	pick := func(filter, none string, values map[string]int64, most int, shown func(string) string) menu {
		m := menu{Name: none, Set: q.Has(filter)}
		keys := make([]string, 0, len(values))
		for k := range values {
			if k != "" {
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b)) })
		m.Choices = []choice{{Name: none, Link: address(v, "q", ops.Refine(q, filter, "")), Chosen: !m.Set}}
		for _, k := range keys[:min(len(keys), most)] {
			c := choice{Name: shown(k), Link: address(v, "q", ops.Refine(q, filter, k)), Chosen: slices.Contains(q.Wants(filter), k)}
			if c.Chosen {
				m.Name = c.Name
			}
			m.Choices = append(m.Choices, c)
		}
		return m
	}
	u.Menus = []menu{pick("source", "All agents", agents, 12, func(k string) string { return page.AgentOf(k).Name }), pick("project", "All projects", projects, 15, func(k string) string { return k })}
	u.Menus[1].Right = true
	if q.Has("model") {
		u.Menus = append(u.Menus, menu{Name: strings.Join(q.Wants("model"), ", "), Set: true, Right: true, Choices: []choice{{Name: "All models", Link: address(v, "q", ops.Refine(q, "model", ""))}}})
	}
}

// money returns a cost for people: rounded, and with what is unknown.
func money(s format.Spent) string {
	known := amount.Cents(s)
	switch {
	case s.Unpriced == 0:
		return known
	case known == "":
		return "unknown"
	}
	return known + " + unknown"
}

func (u *usage) cards(chosen, within *cost.Ledger, t times) {
	last, before := chosen.Between(t.lastWeek, t.thisWeek).Total(), chosen.Between(t.lastWeek.AddDate(0, 0, -7), t.lastWeek).Total()
	this, sum := chosen.Between(t.thisWeek, time.Time{}).Total(), within.Total()
	u.Sessions = amount.Count(int64(sum.Responses), "response") + " in " + amount.Count(int64(sum.Sessions), "session")
	big := func(name, span string, s format.Spent, sub string) card {
		c := card{Name: name, Span: span, Big: cmp.Or(amount.Cents(s), money(s), "nothing"), Sub: sub}
		if s.Unpriced > 0 && c.Big != "unknown" {
			c.Unit = "+ unknown"
		}
		return c
	}
	span := t.lastWeek.Format("2") + "–" + t.thisWeek.AddDate(0, 0, -1).Format("2 Jan")
	if t.lastWeek.Month() != t.thisWeek.AddDate(0, 0, -1).Month() {
		span = t.lastWeek.Format("2 Jan") + " – " + t.thisWeek.AddDate(0, 0, -1).Format("2 Jan")
	}
	change := "nothing the week before"
	if was, is := before.Cost.Micros(), last.Cost.Micros(); was > 0 {
		change = fmt.Sprintf("%+d%% on the week before (%s)", (is-was)*100/was, money(before.Spent))
		change = strings.Replace(change, "-", "−", 1)
	}
	days := int(t.now.Sub(t.thisWeek).Hours()/24) + 1
	var recorded, estimated, unknown format.Spent
	models, responses := map[string]int{}, 0
	for i := range within.Responses {
		switch r := &within.Responses[i]; {
		case r.Unpriced > 0:
			unknown = unknown.Plus(r.Spent)
			models[base(r.Model)]++
			responses++
		case r.Estimated:
			estimated = estimated.Plus(r.Spent)
		default:
			recorded = recorded.Plus(r.Spent)
		}
	}
	parts := "all recorded"
	switch {
	case estimated.Cost > 0 && recorded.Cost > 0:
		parts = amount.Cents(recorded) + " recorded + " + amount.Cents(estimated) + " estimated"
	case estimated.Cost > 0:
		parts = "all estimated"
	case recorded.Cost == 0:
		parts = "no known price"
	}
	u.Cards = []card{
		big("Last week", span, last.Spent, change),
		big("This week", "since Monday", this.Spent, amount.Count(int64(days), "day")+", "+amount.Count(int64(this.Sessions), "session")),
		big(u.RangeName, "", sum.Spent, parts),
	}
	if responses == 0 {
		u.Cards = append(u.Cards, card{Name: "Without a price", Big: "none", Sub: "every response has a price"})
		return
	}
	name := "of " + amount.Count(int64(len(models)), "model")
	for model := range models {
		if len(models) == 1 {
			name = "of " + cmp.Or(model, "an unknown model")
		}
	}
	u.Cards = append(u.Cards, card{Name: "Without a price", Big: humanize.Short(unknown.Tokens), Unit: "tokens", Sub: amount.Count(int64(responses), "response") + " " + name})
}

// byAgent fills the table of agents and their models.
func (u *usage) byAgent(chosen, within *cost.Ledger, t times, v url.Values) {
	type key struct{ agent, model string }
	lines := map[key]*line{}
	for n, l := range []*cost.Ledger{chosen.Between(t.lastWeek, t.thisWeek), chosen.Between(t.thisWeek, time.Time{}), within} {
		for i := range l.Responses {
			r := &l.Responses[i]
			agent := page.AgentOf(l.Sessions[r.Session].Root).Root
			for _, k := range []key{{agent, ""}, {agent, cmp.Or(base(r.Model), "unknown model")}, {}} {
				x := lines[k]
				if x == nil {
					x = &line{}
					lines[k] = x
				}
				if x.spent[n] = x.spent[n].Plus(r.Spent); r.Estimated && n == 2 {
					x.estimated += r.Cost
				}
			}
		}
	}
	u.Total = *lines[key{}]
	maps.DeleteFunc(lines, func(k key, x *line) bool {
		return k == key{} || x.spent[0].IsZero() && x.spent[1].IsZero() && x.spent[2].IsZero()
	})
	costOf := func(k key) int64 { return lines[k].spent[2].Cost.Micros() }
	keys := slices.SortedFunc(maps.Keys(lines), func(a, b key) int {
		return cmp.Or(cmp.Compare(costOf(key{b.agent, ""}), costOf(key{a.agent, ""})), cmp.Compare(a.agent, b.agent), cmp.Compare(len(min(a.model, "x")), len(min(b.model, "x"))),
			cmp.Compare(costOf(b), costOf(a)), cmp.Compare(a.model, b.model))
	})
	share := func(m format.Money) string {
		return fmt.Sprintf("%.1f", 100*float64(m.Micros())/float64(costOf(keys[0])))
	}
	for _, k := range keys {
		x, agent := lines[k], page.AgentOf(k.agent)
		x.Class, x.Name, x.Link = agent.Class, agent.Name, address(v, "q", ops.Refine(query.Query{}, "source", k.agent))
		if x.Model = k.model != ""; x.Model {
			x.Name, x.Link = k.model, address(v, "q", ops.Refine(query.Query{}, "source", k.agent)+" "+ops.Refine(query.Query{}, "model", k.model))
		} else {
			x.Mark = template.HTML(agent.Mark("", true))
		}
		if x.spent[2].Cost > 0 {
			x.Width, x.Estimated = share(x.spent[2].Cost-x.estimated), share(x.estimated)
		}
		u.Groups = append(u.Groups, *x)
	}
}

// tables adds the most expensive projects and sessions.
func (u *usage) tables(within *cost.Ledger, l *listing) {
	paths := map[string]*catalog.Info{}
	for i := range within.Sessions {
		paths[within.Sessions[i].Path] = &within.Sessions[i]
	}
	add := func(name, what string, key func(*cost.Response) string, describe func(*cost.Group) line) {
		groups := ops.Dearest(within, mostRows, key)
		t := table{Name: name, What: what}
		for i := range groups {
			x := describe(&groups[i])
			x.spent[2] = groups[i].Spent
			t.Rows = append(t.Rows, x)
		}
		u.Tables = append(u.Tables, t)
	}
	add("Projects", "Project", func(r *cost.Response) string { return base(within.Sessions[r.Session].Cwd) }, func(g *cost.Group) line {
		return line{Name: cmp.Or(g.Key, "no project"), Link: "/?" + url.Values{"q": {ops.Refine(query.Query{}, "project", g.Key)}}.Encode()}
	})
	add("Most expensive sessions", "Session", func(r *cost.Response) string { return within.Sessions[r.Session].Path }, func(g *cost.Group) line {
		info := paths[g.Key]
		x := line{Name: page.OneLine(info.Title(), 120), Mark: template.HTML(page.AgentOf(info.Root).Mark("sm", false))}
		if key := l.keyOf(g.Key); key != "" {
			x.Link = "/s/" + url.PathEscape(key)
		}
		return x
	})
}
