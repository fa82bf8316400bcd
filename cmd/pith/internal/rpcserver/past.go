package rpcserver

import (
	"cmp"
	"context"
	"math"
	"slices"
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
		background("search", "query, cwd?, sessionDir?, order?, limit?, offset?", searchSessions),
		background("files", "path?, session?, at?, diff?, cwd?, sessionDir?, limit?, offset?", files),
		background("blame", "path, line?, lastLine?, sessionDir?", blamed),
		background("usage", "cwd?, sessionDir?, by?, since?, until?", usage),
		background("show", "path, view?, leafId?, offset?, limit?, maxContent?, budget?", show),
		background("subagents", "path, leafId?", subagents),
		background("diff", "path, otherPath?, leafId?, otherLeafId?", difference),
		background("doctor", "path", examine),
	}
}

// optWhole returns a non-negative integer, or otherwise if it is not given.
// Large values are capped, so that two can be added.
func (p *params) optWhole(name string, otherwise int) int {
	if _, ok := p.present(name); !ok {
		return otherwise
	}
	n := p.whole(name)
	if n < 0 {
		p.reject(name, "must not be negative")
	}
	return int(min(n, math.MaxInt32))
}

// searching returns the options of a search.
func (c *call) searching() search.Options {
	o := search.Options{Catalog: c.catalogOptions(), Cwd: c.optText("cwd")}
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
	text, order, o := c.nonEmpty("query"), c.optText("order"), c.searching()
	limit, offset := cmp.Or(c.optWhole("limit", 0), 20), c.optWhole("offset", 0)
	switch order {
	case "", "newest", "best", "relevance":
	default:
		c.reject("order", "must be newest, best or relevance")
	}
	if c.bad != nil {
		return nil, c.bad
	}
	if order == "relevance" {
		return c.relevant(ctx, text, recall.Options{Search: o, Limit: limit, Offset: offset, Now: c.server.now()})
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

// relevant searches for the entries most relevant to a question in plain words.
func (c *call) relevant(ctx context.Context, text string, o recall.Options) ([]byte, error) {
	a, err := recall.Ask(ctx, text, o)
	if err != nil {
		return nil, err
	}
	return view.Marshal(c.rows(nil).Recall(a))
}

func touchedFiles(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.nonEmpty("path"), recall.Options{Search: c.searching(), Limit: cmp.Or(c.optWhole("limit", 0), 20), Offset: c.optWhole("offset", 0)}
	if c.bad != nil {
		return nil, c.bad
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

// moments reads the parameters since and until.
func (c *call) moments() (since, until time.Time) {
	for name, into := range map[string]*time.Time{"since": &since, "until": &until} {
		text, ok := c.optText(name), true
		if text == "" {
			continue
		}
		parse := catalog.ParseMoment
		if name == "until" {
			parse = catalog.ParseEnd
		}
		if *into, ok = parse(text, c.server.now()); !ok {
			c.reject(name, "must be a date like 2026-01-31, or an age like 7d")
		}
	}
	return since, until
}

func usage(ctx context.Context, c *call) ([]byte, error) {
	o, by := c.searching(), cmp.Or(c.optText("by"), "model")
	since, until := c.moments()
	if !slices.Contains(view.UsageKeys, by) {
		c.reject("by", "must be one of "+strings.Join(view.UsageKeys, ", "))
	}
	if c.bad != nil {
		return nil, c.bad
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
	u := c.rows(nil).Usage(ledger, by, time.UTC)
	u.Since, u.Until = view.Time{Time: since}, view.Time{Time: until}
	return view.Marshal(u)
}

// examine implements the method doctor.
func examine(ctx context.Context, c *call) ([]byte, error) {
	path := c.nonEmpty("path")
	if c.bad != nil {
		return nil, c.bad
	}
	r, err := doctor.Check(ctx, sessiondir.ExpandPath(path, ""), doctor.Options{Store: c.server.opt.Store, Now: c.server.opt.Now})
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
