package list

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

type usageFlags struct {
	lookup.Query
	by, week  *flags.OneOf
	utc, json bool
}

func (a *Commands) Usage() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage [QUERY...]",
		Short: "Show tokens and cost by day, week, model, project or session",
		Long: `Show the tokens and cost of the sessions of all projects.

QUERY is that of pith ls. since:, until: and model: choose responses, the others
sessions.

Each response counts once, in the session it was made in; copies in forks,
clones and parents of subagents are not counted again.

Recorded costs are used as they are. Where an agent records tokens and no cost,
pith estimates it by published prices, which it contains, or by your own in the
settings, and marks the amount with ~.

Days are those of this machine's time zone; with --utc, those of UTC.`,
		Example: `  pith usage
  pith usage --by model --since 30d
  pith usage --by week --week-start sunday --utc
  pith usage --by session --project .
  pith usage 'tag:client-a since:this-month'
  pith usage --by month --json | jq -c '.groups[] | [.key, .costMicros / 1e6]'`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			if local := a.Env.Now; f.utc {
				a.Env.Now = func() time.Time { return local().UTC() }
			}
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			return a.usage(cmd.Context(), f)
		},
	}
	f.by = flags.Choice(cmd, "by", "group by `KEY`", view.UsageKeys...)
	a.AddQuery(cmd, &f.Query)
	f.week = flags.Choice(cmd, "week-start", "first `DAY` of a week", view.Weekdays...)
	cmd.Flags().BoolVar(&f.utc, "utc", false, "use the days of UTC, not of this machine's time zone")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) usage(ctx context.Context, f usageFlags) error {
	now := a.Env.Now()
	since, until := f.Range()
	s, err := a.spending(ctx, since, until, now)
	if err != nil {
		return err
	}
	// Copies are found among all sessions, before any are chosen.
	ledger := s.ledger
	o := search.Options{Catalog: a.Listing(), Session: lookup.Marked(a.Marks())}
	if _, any := f.OfEntries(); any {
		o.Index = a.WordIndex()
	}
	chosen, err := ledger.Choose(ctx, f.Query.Query, o)
	if err != nil {
		return err
	}
	u := (&view.Rows{}).Usage(chosen, f.by.Value, view.Calendar{Zone: now.Location(), First: view.WeekdayOf(f.week.Value)})
	u.Since, u.Until = view.Time{Time: s.since}, view.Time{Time: s.until}
	if f.json {
		return a.Out.JSON(u)
	}
	a.printUsage(&u)
	return nil
}

// A spending is what the sessions of all projects and agents cost, and the
// times to show.
type spending struct {
	since, until time.Time
	sessions     []catalog.Info
	ledger       *cost.Ledger
}

// spending counts every session. A response that two agents have counts once,
// for the first, so agents must not be left out before.
func (a *Commands) spending(ctx context.Context, since, until, now time.Time) (s spending, err error) {
	s.since, s.until = since, until
	a.Sources = nil
	if s.sessions, err = a.ListResponses(ctx); err != nil {
		return s, err
	}
	s.ledger, err = a.ledger(ctx, s.sessions)
	return s, err
}

// ledger counts the usage of sessions, with a progress bar.
func (a *Commands) ledger(ctx context.Context, infos []catalog.Info) (*cost.Ledger, error) {
	o := cost.Options{
		Environment: a.Environment(), CacheDir: a.CacheDir(),
		Skipped: func(path string, err error) { a.Note("note: skipped %s: %v", path, lookup.Cause(err)) },
	}
	o.Progress = func(done, total int) { a.Working("counting", int64(done), int64(total), humanize.Number) }
	return cost.Count(ctx, infos, o)
}

func (a *Commands) usageLabel(by string, g *view.UsageGroup) string {
	switch key := string(g.Key); {
	case g.Path != nil:
		return string(*g.Title)
	case by == "project":
		return cmp.Or(a.ShortPath(key), "unknown")
	case by == "model":
		return cmp.Or(key, "other")
	default:
		return cmp.Or(key, "no date")
	}
}
