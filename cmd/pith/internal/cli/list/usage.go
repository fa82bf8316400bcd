package list

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
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

QUERY consists of the filters of pith ls. since:, until: and model: choose
responses, the others sessions.

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
		ValidArgsFunction: a.completeFilters,
		RunE: func(cmd *cobra.Command, args []string) error {
			if local := a.Env.Now; f.utc {
				a.Env.Now = func() time.Time { return local().UTC() }
			}
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			if len(f.Words) > 0 {
				return exit.Helpf("unexpected argument %q; see pith usage --help", f.Words[0])
			}
			return a.usage(cmd.Context(), f)
		},
	}
	f.by = flags.Choice(cmd, "by", "group by `KEY`", view.UsageKeys...)
	a.AddQuery(cmd, &f.Query, "count", lookup.UsuallyAll)
	f.week = flags.Choice(cmd, "week-start", "first `DAY` of a week", view.Weekdays...)
	cmd.Flags().BoolVar(&f.utc, "utc", false, "use the days of UTC, not of this machine's time zone")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) usage(ctx context.Context, f usageFlags) error {
	now := a.Env.Now()
	s, err := a.spending(ctx, f.Since, f.Until, now)
	if err != nil {
		return err
	}
	// Copies are found among all sessions, before any are chosen.
	ledger := s.ledger
	chosen := ledger.Between(s.since, s.until)
	if model := strings.ToLower(f.Model); model != "" {
		chosen = chosen.Where(func(r *cost.Response) bool { return strings.Contains(strings.ToLower(r.Model), model) })
	}
	f.Since, f.Until, f.Model = time.Time{}, time.Time{}, ""
	if f.Set() {
		marks := a.Marks()
		listed := make([]bool, len(ledger.Sessions))
		for i := range ledger.Sessions {
			info := &ledger.Sessions[i]
			of, hidden := f.Chooses(info, marks(info.ID))
			listed[i] = of || hidden
		}
		chosen = chosen.Where(func(r *cost.Response) bool { return listed[r.Session] })
	}
	if f.Here || f.Project != "" {
		of, err := a.usageOf(f.Scope)
		if err != nil {
			return err
		}
		chosen = chosen.Where(func(r *cost.Response) bool { return of(ledger.Sessions[r.Session].Cwd) })
	}
	if len(s.sources) > 0 {
		chosen = chosen.Where(func(r *cost.Response) bool { return slices.Contains(s.sources, ledger.Sessions[r.Session].Root) })
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
// part of it to show.
type spending struct {
	since, until time.Time
	sources      []string // show only these agents; none: all
	sessions     []catalog.Info
	ledger       *cost.Ledger
}

// spending counts every session, with the agents of --source to choose from. A response that two agents have counts once, for the first, so
// agents must not be left out before.
func (a *Commands) spending(ctx context.Context, since, until, now time.Time) (s spending, err error) {
	s.since, s.until = since, until
	s.sources, a.Sources = a.Sources, nil
	if s.sessions, err = a.ListResponses(ctx); err != nil {
		return s, err
	}
	var days *time.Location
	if !cost.Divides(s.since) && !cost.Divides(s.until) {
		days = now.Location()
	}
	s.ledger, err = a.ledger(ctx, s.sessions, days)
	return s, err
}

// usageOf returns a predicate for the working directories to count.
func (a *Commands) usageOf(s lookup.Scope) (func(cwd string) bool, error) {
	if !s.Here {
		return a.Within(&s), nil
	}
	cwd, err := a.Cwd()
	return lookup.ProjectAt(cwd), err
}

// ledger counts the usage of sessions, with a progress bar. If days is not nil, it
// may return sums: see [cost.Options].
func (a *Commands) ledger(ctx context.Context, infos []catalog.Info, days *time.Location) (*cost.Ledger, error) {
	o := cost.Options{
		Environment: a.Environment(), CacheDir: a.CacheDir(), Days: days,
		Skipped: func(path string, err error) { a.Note("note: skipped %s: %v", path, lookup.Cause(err)) },
	}
	bar := a.Progress("counting")
	defer bar.Done()
	o.Progress = func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) }
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
