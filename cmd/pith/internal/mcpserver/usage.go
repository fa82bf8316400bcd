package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/sessiondir"
)

func (s *server) usage(ctx context.Context, c *call) error {
	one, by, since, offset := c.text("session"), c.text("by"), c.text("since"), c.offset()
	var start time.Time
	if since != "" {
		var ok bool
		if start, ok = catalog.ParseMoment(since, s.opt.Now()); !ok {
			c.fail(usagef("invalid since %q: use a date like 2026-01-31, or an age like 12h, 7d, 2w", short(since, 40)))
		}
	}
	if c.bad != nil {
		return c.bad
	}
	l, err := s.library(ctx)
	if err != nil {
		return err
	}
	var chosen *catalog.Info
	if one != "" {
		if chosen, _, err = l.find(one); err != nil {
			return err
		}
	}
	ledger, err := cost.Count(ctx, l.infos, cost.Options{
		Environment: sessiondir.Environment{Getenv: s.opt.Catalog.Getenv, Home: s.opt.Catalog.Home}, CacheDir: s.opt.Catalog.Index.Dir(),
	})
	if err != nil {
		return err
	}
	ledger = ledger.Between(start, time.Time{})
	if chosen != nil {
		ledger = ledger.Where(func(r *cost.Response) bool { return ledger.Sessions[r.Session].Path == chosen.Path })
	}
	key, name, err := s.grouping(by, l, ledger)
	if err != nil {
		return err
	}
	groups := ledger.By(key)
	if by != "day" {
		cost.DearestFirst(groups)
	}
	total := ledger.Total()
	c.head("%s in %s: %s", humanize.Count(total.Responses, "response"), humanize.Count(total.Sessions, "session"), spent(&total))
	groups = groups[min(offset, len(groups)):]
	c.list(offset, len(groups), false, func(i int, _ int64) string {
		return fmt.Sprintf("%s: %s\n", name(groups[i].Key), spent(&groups[i]))
	})
	return nil
}

// grouping returns the key function of a grouping, and a function that formats
// its keys.
func (s *server) grouping(by string, l *library, ledger *cost.Ledger) (func(*cost.Response) string, func(string) string, error) {
	quote := func(key string) string { return s.guard.line(key, 100) }
	known := map[string]string{}
	masked := func(key string) string { // groups are sorted by key, so hidden text must not affect it
		text, ok := known[key]
		if !ok {
			text = s.guard.masked(key)
			known[key] = text
		}
		return text
	}
	switch by {
	case "", "model":
		return func(r *cost.Response) string { return masked(r.Model) }, quote, nil
	case "session":
		return func(r *cost.Response) string { return ledger.Sessions[r.Session].ID }, l.id, nil
	case "project":
		return func(r *cost.Response) string { return masked(ledger.Sessions[r.Session].Cwd) }, quote, nil
	case "day":
		return cost.Days(time.UTC), quote, nil
	}
	return nil, nil, usagef("invalid by %q: use model, session, project or day", short(by, 40))
}

func spent(g *cost.Group) string {
	return fmt.Sprintf("%s tokens (input %s, cached %s, output %s), %s", humanize.Short(g.Tokens), humanize.Short(g.Input),
		humanize.Short(g.CacheRead), humanize.Short(g.Output), humanize.Dollars(g.Cost.Micros()))
}
