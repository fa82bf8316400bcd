package list

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
)

type usageFlags struct {
	lookup.Scope
	by           *flags.OneOf
	since, until string
	json         bool
}

func (a *Commands) Usage() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Add up tokens and cost over all sessions",
		Long: `Add up the tokens and the cost that are recorded in the sessions of all
projects.

Each response counts once, in the session in which it was made: what a fork, a
clone or a branch has copied is not counted again, nor what a subagent's own
session and its parent both tell of. Costs are those that were recorded with the
responses; pith knows no prices.`,
		Example: `  pith usage
  pith usage --by model --since 30d
  pith usage --by session --project .
  pith usage --by month --json | jq -c '.groups[] | [.key, .costMicros / 1e6]'`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.by.Value == "person" && !a.InTeam() {
				return exit.Usagef("--by person is for a team's sessions; name their store with --store or PITH_STORE")
			}
			return a.usage(cmd.Context(), f)
		},
	}
	f.by = flags.Choice(cmd, "by", "what to add up by", "day", "month", "project", "model", "source", "session", "person")
	cmd.Flags().StringVar(&f.since, "since", "", "only responses since `TIME`: 2026-01-31, or an age like 12h, 7d, 2w, 3mo")
	cmd.Flags().StringVar(&f.until, "until", "", "only responses until `TIME`")
	f.AddScope(cmd, "count", lookup.UsuallyAll)
	a.AddSources(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) usage(ctx context.Context, f usageFlags) error {
	now := a.Env.Now()
	since, err := flags.Time("since", f.since, now, catalog.ParseMoment)
	if err != nil {
		return err
	}
	until, err := flags.Time("until", f.until, now, catalog.ParseEnd)
	if err != nil {
		return err
	}
	sources := a.Sources
	if err := a.CheckSources(); err != nil {
		return err
	}
	a.Sources = nil // a response that two agents have is counted once, for the first
	infos, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	ledger, err := a.ledger(ctx, infos)
	if err != nil {
		return err
	}
	// Copies are told for the whole store: which of them a span or a project
	// would have counted again depends on who counts.
	chosen := ledger.Between(since, until)
	if f.Here || f.Project != "" {
		of, err := a.usageOf(f)
		if err != nil {
			return err
		}
		chosen = chosen.Where(func(r *cost.Response) bool { return of(ledger.Sessions[r.Session].Cwd) })
	}
	if len(sources) > 0 {
		chosen = chosen.Where(func(r *cost.Response) bool { return slices.Contains(sources, ledger.Sessions[r.Session].Root) })
	}
	groups := a.usageGroups(chosen, f.by.Value, now.Location())
	if f.json {
		return a.Out.JSON(a.usageRecordOf(chosen, groups, f.by.Value, since, until))
	}
	a.printUsage(chosen, groups, f.by.Value)
	return nil
}

// usageOf tells which working directories a count is about.
func (a *Commands) usageOf(f usageFlags) (func(cwd string) bool, error) {
	if f.Project != "" {
		return a.Within(&f.Scope), nil
	}
	cwd, err := a.Cwd()
	return lookup.ProjectAt(cwd), err
}

// ledger counts sessions, with a progress bar.
func (a *Commands) ledger(ctx context.Context, infos []catalog.Info) (*cost.Ledger, error) {
	bar := a.Progress("counting")
	defer bar.Done()
	return cost.Count(ctx, infos, cost.Options{
		Environment: a.Environment(), CacheDir: a.CacheDir(),
		Progress: func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) },
		Skipped:  func(path string, err error) { a.Note("note: passed over %s: %v", path, lookup.Cause(err)) },
	})
}

// A usageGroup is a sum and what it is the sum of.
type usageGroup struct {
	cost.Group
	label   string        // for reading
	session *catalog.Info // nil unless sums are by session
}

func (a *Commands) usageGroups(l *cost.Ledger, by string, zone *time.Location) []usageGroup {
	var groups []cost.Group
	switch by {
	case "day":
		groups = l.By(func(r *cost.Response) string { return r.Day(zone) })
	case "month":
		groups = l.By(func(r *cost.Response) string { return r.Month(zone) })
	case "model":
		groups = l.By(func(r *cost.Response) string { return r.Model })
	case "project":
		projects := lookup.ProjectsByCwd(l.Sessions)
		groups = l.By(func(r *cost.Response) string { return projects[l.Sessions[r.Session].Cwd].Dir })
	case "source":
		groups = l.By(func(r *cost.Response) string { return l.Sessions[r.Session].Root })
	case "session":
		groups = l.By(func(r *cost.Response) string { return l.Sessions[r.Session].Path })
	case "person":
		groups = l.By(func(r *cost.Response) string {
			person, _ := a.Whose(l.Sessions[r.Session].Path)
			return person
		})
	}
	if by != "day" && by != "month" {
		cost.DearestFirst(groups)
	}
	sessions := map[string]*catalog.Info{}
	if by == "session" {
		for i := range l.Sessions {
			sessions[l.Sessions[i].Path] = &l.Sessions[i]
		}
	}
	out := make([]usageGroup, len(groups))
	for i, g := range groups {
		out[i] = usageGroup{Group: g, label: g.Key, session: sessions[g.Key]}
		switch {
		case out[i].session != nil:
			out[i].label = out[i].session.Title()
			if who := a.Who(g.Key); who != "" {
				out[i].label = who + "  " + out[i].label
			}
		case by == "project":
			out[i].label = cmp.Or(a.Homely(g.Key), "unknown")
		case by == "model":
			out[i].label = cmp.Or(g.Key, "other")
		default:
			out[i].label = cmp.Or(g.Key, "no date")
		}
	}
	return out
}

// usageRecord is the report in JSON, as docs/reference/json.md describes it.
type usageRecord struct {
	By     string        `json:"by"`
	Since  *string       `json:"since"`
	Until  *string       `json:"until"`
	Groups []groupRecord `json:"groups"`
	Total  sumRecord     `json:"total"`
	Copies sumRecord     `json:"copies"`
	// Unpriced counts the responses with tokens and without a recorded cost.
	Unpriced int `json:"unpriced"`
}

type groupRecord struct {
	Key   view.Text  `json:"key"`
	Path  *view.Text `json:"path,omitempty"`
	Title *view.Text `json:"title,omitempty"`
	Cwd   *view.Text `json:"cwd,omitempty"`
	// Person and Machines are those of a session in a team's store.
	Person   string   `json:"person,omitempty"`
	Machines []string `json:"machines,omitempty"`
	sumRecord
}

type sumRecord struct {
	Sessions  int `json:"sessions"`
	Responses int `json:"responses"`
	format.Spent
}

func sumOf(g *cost.Group) sumRecord {
	return sumRecord{g.Sessions, g.Responses, g.Spent}
}

func (a *Commands) usageRecordOf(l *cost.Ledger, groups []usageGroup, by string, since, until time.Time) usageRecord {
	total := l.Total()
	r := usageRecord{By: by, Since: view.TimeOrNull(since), Until: view.TimeOrNull(until), Groups: []groupRecord{}, Total: sumOf(&total)}
	r.Unpriced = unpriced(l)
	r.Copies = sumOf(&cost.Group{Responses: l.Copies, Spent: l.Again})
	for i := range groups {
		g := &groups[i]
		sum := groupRecord{Key: view.Text(g.Key), sumRecord: sumOf(&g.Group)}
		if s := g.session; s != nil {
			path, title, cwd := view.Text(s.Path), view.Text(s.Title()), view.Text(s.Cwd)
			sum.Key, sum.Path, sum.Title, sum.Cwd = view.Text(s.ID), &path, &title, &cwd
			sum.Person, sum.Machines = a.Whose(s.Path)
		}
		r.Groups = append(r.Groups, sum)
	}
	return r
}
