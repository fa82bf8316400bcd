package rpcserver

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/internal/recall"
	"github.com/pith-sessions/pith/sessiondir"
)

// pastMethods returns the methods that read the content of sessions. They read
// files, not open sessions.
func pastMethods() []*method {
	return []*method{
		background("search", "query:name, cwd?, sessionDir?, order:newest/best/relevance?, limit:count?, offset:count?", searchSessions),
		background("files", "path?, session:name?, cwd?, sessionDir?, limit:count?, offset:count?", files),
		background("usage", "cwd?, sessionDir?, by:"+strings.Join(view.UsageKeys, "/")+"?, since?, until?, timeZone:name?, weekStart:"+strings.Join(view.Weekdays, "/")+"?", usage),
		background("show", "path:name, view:conversation/toc/issues/tools/costs?, turns?, leafId?, maxContent:count?, budget:count?", show),
		background("subagents", "path:name, leafId?", subagents),
		background("diff", "path:name, otherPath?, leafId?, otherLeafId?", difference),
		background("doctor", "path:name", examine),
	}
}

func (c *call) searching() search.Options {
	o := search.Options{Catalog: c.catalogOptions(), Cwd: c.text("cwd")}
	if c.server.opt.Words != nil {
		o.Index = c.server.opt.Words()
	}
	if o.Cwd != "" {
		o.Cwd = sessiondir.ExpandPath(o.Cwd, "")
	}
	return o
}

func (s *server) now() time.Time {
	if s.opt.Now != nil {
		return s.opt.Now()
	}
	return time.Now()
}

func searchSessions(ctx context.Context, c *call) ([]byte, error) {
	text, order, o := c.text("query"), c.text("order"), c.searching()
	limit, offset := cmp.Or(c.count("limit", 0), 20), c.count("offset", 0)
	if order == "relevance" {
		a, err := recall.Ask(ctx, text, recall.Options{Search: o, Limit: limit, Offset: offset, Now: c.server.now()})
		if err != nil {
			return nil, err
		}
		return view.Marshal(c.rows(nil).Recall(a))
	}
	q, err := search.Parse(text, c.server.now())
	if err != nil {
		return nil, &paramError{"query", err.Error()}
	}
	o.Limit, o.Order = limit+offset, search.Order(order)
	r, err := search.Search(ctx, q, o)
	if err != nil {
		return nil, err
	}
	r.Hits = r.Hits[min(offset, len(r.Hits)):]
	return view.Marshal(c.rows(nil).Search(r))
}

func touchedFiles(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.text("path"), recall.Options{Search: c.searching(), Limit: cmp.Or(c.count("limit", 0), 20), Offset: c.count("offset", 0)}
	if path == "" {
		return nil, &paramError{"path", "must not be empty"}
	}
	t, err := recall.Touched(ctx, path, o.Search.Cwd, o)
	if err != nil {
		return nil, err
	}
	rows, touches := c.rows(nil), make([]view.Touch, len(t.List))
	for i := range t.List {
		touches[i] = rows.Touch(&t.List[i])
	}
	return view.Marshal(struct {
		Touches  []view.Touch `json:"touches"`
		More     bool         `json:"more"`
		Sessions int          `json:"sessions"`
	}{touches, t.More, t.Sessions})
}

// moment reads a parameter with a time; the zero time if it is not given. Dates
// are those of a zone.
func (c *call) moment(name string, zone *time.Location, parse func(string, time.Time) (time.Time, bool)) (t time.Time, err error) {
	if text := c.text(name); text != "" {
		var ok bool
		if t, ok = parse(text, c.server.now().In(zone)); !ok {
			err = &paramError{name, "must be a date like 2026-01-31, or an age like 7d"}
		}
	}
	return t, err
}

func usage(ctx context.Context, c *call) ([]byte, error) {
	o, by, zone := c.searching(), cmp.Or(c.text("by"), "model"), c.server.now().Location()
	if name := c.text("timeZone"); name != "" {
		var err error
		if zone, err = time.LoadLocation(name); err != nil {
			return nil, &paramError{"timeZone", "must be a time zone like Europe/Berlin or UTC"}
		}
	}
	since, err := c.moment("since", zone, catalog.ParseStart)
	if err != nil {
		return nil, err
	}
	until, err := c.moment("until", zone, catalog.ParseEnd)
	if err != nil {
		return nil, err
	}
	where := o.Catalog
	where.IncludeInternal = true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return nil, err
	}
	ledger, err := cost.Count(ctx, infos, cost.Options{CacheDir: o.Catalog.Index.Dir()})
	if err != nil {
		return nil, err
	}
	ledger = ledger.Between(since, until)
	if o.Cwd != "" {
		all := ledger
		ledger = all.Where(func(r *cost.Response) bool { return sessiondir.SameProject(o.Cwd, all.Sessions[r.Session].Cwd) })
	}
	u := c.rows(nil).Usage(ledger, by, view.Calendar{Zone: zone, First: view.WeekdayOf(cmp.Or(c.text("weekStart"), view.Weekdays[0]))})
	u.Since, u.Until = view.Time{Time: since}, view.Time{Time: until}
	return view.Marshal(u)
}

// examine implements the method doctor.
func examine(ctx context.Context, c *call) ([]byte, error) {
	r, err := doctor.Check(ctx, sessiondir.ExpandPath(c.text("path"), ""), doctor.Options{Store: c.server.opt.Store, Now: c.server.opt.Now})
	if err != nil {
		return nil, err
	}
	return view.Marshal(struct {
		Path     view.Text        `json:"path"`
		Version  int              `json:"version"`
		Entries  int              `json:"entries"`
		Findings []view.Diagnosis `json:"findings"`
	}{view.Text(r.File), r.Version, r.Entries, view.DiagnosesOf(r.Findings)})
}
