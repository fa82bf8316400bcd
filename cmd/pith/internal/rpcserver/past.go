package rpcserver

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/recall"
	"github.com/pith-sessions/pith/sessiondir"
)

// pastMethods tell what stands in sessions. They read files, not open sessions.
func pastMethods() []*method {
	return []*method{
		beside("search", "query, cwd?, sessionDir?, order?, limit?, offset?", searchSessions),
		beside("files", "path, cwd?, sessionDir?, limit?, offset?", touchedFiles),
		beside("usage", "cwd?, sessionDir?, by?, since?, until?", usage),
		beside("show", "path, view?, leafId?, offset?, limit?, maxContent?, budget?", show),
		beside("subagents", "path, leafId?", subagents),
		beside("diff", "path, otherPath?, leafId?, otherLeafId?", difference),
		beside("doctor", "path", examine),
	}
}

// optWhole is a whole number that is not negative; otherwise when it is not given. What
// is larger than anything there is counts as that, so that two can be added.
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

// searching are the options of a search.
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
	var l list
	for i := min(offset, len(r.Hits)); i < len(r.Hits); i++ {
		l.add(c.hit(&r.Hits[i]).end())
	}
	return found(l, r.More, r.Sessions), nil
}

func found(hits list, more bool, sessions int) []byte {
	var o object
	o.raw("hits", hits.end())
	o.flag("more", more)
	o.number("sessions", int64(sessions))
	return o.end()
}

// relevant is a search for what is most about a question in plain words.
func (c *call) relevant(ctx context.Context, text string, o recall.Options) ([]byte, error) {
	a, err := recall.Ask(ctx, text, o)
	if err != nil {
		return nil, err
	}
	var l list
	for i := range a.Memories {
		m := &a.Memories[i]
		h := c.hit(&m.Hit)
		h.exchange(&m.Exchange)
		h.raw("copies", texts(m.Copies))
		l.add(h.end())
	}
	return found(l, a.More > 0, a.Sessions), nil
}

func (c *call) hit(h *search.Hit) *object {
	var o object
	o.text("path", h.Session.Path)
	o.text("id", h.Session.ID)
	o.text("cwd", h.Session.Cwd)
	o.known("name", h.Session.Name)
	o.raw("entryId", textOrNull(h.EntryID))
	o.text("role", h.Role)
	o.text("kind", string(h.Kind))
	o.known("tool", h.Tool)
	o.moment("time", h.Time)
	o.text("snippet", h.Snippet.Text)
	c.whose(&o, h.Session.Path)
	return &o
}

func (o *object) moment(name string, t time.Time) {
	if t.IsZero() {
		o.raw(name, null)
		return
	}
	o.text(name, format.FormatTime(t))
}

func (o *object) exchange(x *recall.Exchange) {
	o.raw("exchange", textOrNull(x.FirstEntry))
	o.text("question", x.Question)
	o.text("answer", x.Answer)
	o.raw("modified", texts(x.Modified))
	o.number("errors", int64(x.Errors))
	o.flag("left", x.Left)
	o.known("why", x.Why)
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
	var l list
	for i := range t.List {
		touch := &t.List[i]
		var item object
		item.text("path", touch.Session.Path)
		item.text("id", touch.Session.ID)
		item.text("entryId", touch.EntryID)
		item.moment("time", touch.Time)
		item.text("file", touch.Path)
		item.number("changed", int64(touch.Changed))
		item.number("read", int64(touch.Read))
		item.number("failed", int64(touch.Failed))
		item.exchange(&touch.Exchange)
		item.raw("copies", texts(touch.Copies))
		c.whose(&item, touch.Session.Path)
		l.add(item.end())
	}
	var answer object
	answer.raw("touches", l.end())
	answer.flag("more", t.More)
	answer.number("sessions", int64(t.Sessions))
	return answer.end(), nil
}

// moments reads since and until.
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
	o, by := c.searching(), c.optText("by")
	since, until := c.moments()
	var ledger *cost.Ledger
	keys := map[string]func(*cost.Response) string{
		"":        func(r *cost.Response) string { return r.Model },
		"model":   func(r *cost.Response) string { return r.Model },
		"session": func(r *cost.Response) string { return ledger.Sessions[r.Session].ID },
		"project": func(r *cost.Response) string { return ledger.Sessions[r.Session].Cwd },
		"day":     func(r *cost.Response) string { return r.Day(time.UTC) },
	}
	if keys[by] == nil {
		c.reject("by", "must be model, session, project or day")
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
	if ledger, err = cost.Count(ctx, infos, cost.Options{CacheDir: o.Catalog.Index.Dir()}); err != nil {
		return nil, err
	}
	ledger = ledger.Between(since, until)
	if o.Cwd != "" {
		all := ledger
		ledger = all.Where(func(r *cost.Response) bool { return sessiondir.SameProject(o.Cwd, all.Sessions[r.Session].Cwd) })
	}
	var groups list
	for _, g := range ledger.By(keys[by]) {
		groups.add(spending(&g).end())
	}
	total := ledger.Total()
	answer := spending(&total)
	answer.raw("groups", groups.end())
	return answer.end(), nil
}

func spending(g *cost.Group) *object {
	var o object
	o.text("key", g.Key)
	o.number("sessions", int64(g.Sessions))
	o.number("responses", int64(g.Responses))
	o.number("tokens", g.Tokens)
	o.number("input", g.Input)
	o.number("output", g.Output)
	o.number("cacheRead", g.CacheRead)
	o.number("cacheWrite", g.CacheWrite)
	o.number("costMicros", g.Cost.Micros())
	return &o
}

// examine is the method doctor.
func examine(ctx context.Context, c *call) ([]byte, error) {
	path := c.nonEmpty("path")
	if c.bad != nil {
		return nil, c.bad
	}
	r, err := doctor.Check(ctx, sessiondir.ExpandPath(path, ""), doctor.Options{Store: c.server.opt.Store, Now: c.server.opt.Now})
	if err != nil {
		return nil, err
	}
	var l list
	for _, f := range r.Findings {
		var o object
		o.text("code", string(f.Code))
		o.text("severity", f.Severity.String())
		o.number("line", int64(f.Line))
		o.number("offset", f.Offset)
		o.known("entryId", f.EntryID)
		o.text("what", f.What)
		o.text("means", f.Means)
		o.known("fix", f.Fix)
		l.add(o.end())
	}
	var o object
	o.text("path", r.File)
	o.number("version", int64(r.Version))
	o.number("entries", int64(r.Entries))
	o.raw("findings", l.end())
	return o.end(), nil
}
