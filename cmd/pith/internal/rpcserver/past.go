package rpcserver

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/query"
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
		background("usage", "cwd?, sessionDir?, by:"+strings.Join(view.UsageKeys, "/")+"?, query?, timeZone:name?, weekStart:"+strings.Join(view.Weekdays, "/")+"?", usage),
		background("show", "path:name, view:conversation/toc/issues/tools/costs?, turns?, leafId?, maxContent:count?, budget:count?", show),
		background("subagents", "path:name, leafId?", subagents),
		background("diff", "path:name, otherPath?, leafId?, otherLeafId?", difference),
		background("doctor", "path:name", examine),
	}
}

func (c *call) searching() search.Options {
	o := search.Options{Catalog: c.catalogOptions(), Cwd: c.cwd(), Session: c.marked()}
	if c.server.opt.Words != nil {
		o.Index = c.server.opt.Words()
	}
	return o
}

// cwd returns the absolute path of the project that a request names, or "".
func (c *call) cwd() string {
	dir := c.text("cwd")
	if dir != "" {
		dir = sessiondir.ExpandPath(dir, "")
	}
	return dir
}

func (s *server) now() time.Time {
	if s.opt.Now != nil {
		return s.opt.Now()
	}
	return time.Now()
}

// query reads a parameter with a query; the zero query if it is not given.
func (c *call) query(name string, zone *time.Location) (query.Query, error) {
	q, err := query.Parse(c.text(name), query.Env{Now: c.server.now().In(zone), Cwd: c.cwd(), Catalog: c.catalogOptions()})
	if err != nil {
		err = &paramError{name, err.Error()}
	}
	return q, err
}

// marked returns a function that makes a session, with its marks, what filters
// look at.
func (c *call) marked() func(*catalog.Info) query.Session {
	of := c.rows(nil).Marks
	return func(i *catalog.Info) query.Session {
		if of == nil {
			return query.Session{Info: i}
		}
		m := of(i.ID)
		return query.Session{Info: i, Tags: m.Tags, Archived: m.Archived}
	}
}

func searchSessions(ctx context.Context, c *call) ([]byte, error) {
	order, o := c.text("order"), c.searching()
	limit, offset := cmp.Or(c.count("limit", 0), 20), c.count("offset", 0)
	q, err := c.query("query", c.server.now().Location())
	if err == nil && q.IsZero() {
		err = &paramError{"query", query.ErrEmpty.Error()}
	}
	if err != nil {
		return nil, err
	}
	if !q.Finds() {
		return c.chosenSessions(ctx, q, o, limit, offset)
	}
	if order == "relevance" {
		a, err := recall.Ask(ctx, q, recall.Options{Search: o, Limit: limit, Offset: offset})
		if err != nil {
			return nil, err
		}
		return view.Marshal(c.rows(nil).Recall(a))
	}
	o.Limit, o.Order = limit+offset, search.Order(order)
	r, err := search.Search(ctx, search.For(q), o)
	if err != nil {
		return nil, err
	}
	r.Hits = r.Hits[min(offset, len(r.Hits)):]
	return view.Marshal(c.rows(nil).Search(r))
}

// chosenSessions returns the sessions that a query without words chooses.
func (c *call) chosenSessions(ctx context.Context, q query.Query, o search.Options, limit, offset int) ([]byte, error) {
	infos, err := search.Sessions(ctx, q, o)
	if err != nil {
		return nil, err
	}
	infos = infos[min(offset, len(infos)):]
	out := view.FoundSessions{Sessions: []view.FoundSession{}, More: len(infos) > limit}
	rows := c.rows(nil)
	for i := range infos[:min(limit, len(infos))] {
		out.Sessions = append(out.Sessions, rows.Found(&infos[i], shortMessage))
	}
	return view.Marshal(out)
}

// shortMessage is the number of characters of a first message in a result.
const shortMessage = 1000

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

func usage(ctx context.Context, c *call) ([]byte, error) {
	o, by, zone := c.searching(), cmp.Or(c.text("by"), "model"), c.server.now().Location()
	if name := c.text("timeZone"); name != "" {
		var err error
		if zone, err = time.LoadLocation(name); err != nil {
			return nil, &paramError{"timeZone", "must be a time zone like Europe/Berlin or UTC"}
		}
	}
	q, err := c.query("query", zone)
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
	since, until := q.Range()
	if ledger, err = ledger.Choose(ctx, q, o); err != nil {
		return nil, err
	}
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
