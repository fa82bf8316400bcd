package list

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

type usageFlags struct {
	lookup.Query
	by, weekStart *flags.OneOf
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

Days are those of this machine's time zone, or of the variable TZ.`,
		Example: `  pith usage
  pith usage --by model --since 30d
  TZ=UTC pith usage --by week
  pith usage --by session --project .
  pith usage 'tag:client-a since:this-month'
  pith usage --by month --json | jq -c '.groups[] | [.key, .costMicros / 1e6]'`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteQuery,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.ParseQuery(&f.Query, args); err != nil {
				return err
			}
			return a.usage(cmd.Context(), f)
		},
	}
	f.by = flags.Choice(cmd, "by", "group by `KEY`", ops.UsageKey("").Words()...)
	f.weekStart = flags.Choice(cmd, "week-start", "begin weeks on `DAY`", ops.Weekday("").Words()...)
	a.AddQuery(cmd, &f.Query)
	return cmd
}

func (a *Commands) usage(ctx context.Context, f usageFlags) error {
	p := ops.UsageParams{Query: f.Whole(), By: ops.UsageKey(f.by.Value), WeekStart: ops.Weekday(f.weekStart.Value)}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	u, err := ops.Usage(ctx, a.App(), p)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Out.JSON(u)
	}
	a.printUsage(u)
	return nil
}

func (a *Commands) usageLabel(by ops.UsageKey, g *ops.SpendingGroup) string {
	switch key := g.Key; {
	case g.Title != nil:
		return *g.Title
	case by == "project":
		return cmp.Or(a.ShortPath(key), "unknown")
	case by == "model":
		return cmp.Or(key, "other")
	default:
		return cmp.Or(key, "no date")
	}
}
