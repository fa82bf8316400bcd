package cli

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

type usageFlags struct {
	by                    *oneOf
	since, until, project string
	json                  bool
}

func (a *app) usageCommand() *cobra.Command {
	var f usageFlags
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Add up tokens and cost over all sessions",
		Long: `Add up the tokens and the cost that are recorded in the sessions of all projects.

Each response counts once, in the session in which it was made: what a fork, a
clone or a branch has copied is not counted again, nor what a subagent's own
session and its parent both tell of. Costs are those that were recorded with the
responses; pith knows no prices.`,
		Example: `  pith usage
  pith usage --by model --since 30d
  pith usage --by session --project .
  pith usage --by month --json | jq -r '.groups[] | [.key, .costMicros / 1e6] | @tsv'`,
		Args: takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.usage(cmd.Context(), f) },
	}
	f.by = choice(cmd, "by", "what to add up by", "day", "month", "project", "model", "session")
	cmd.Flags().StringVar(&f.since, "since", "", "only responses since `TIME`: 2026-01-31, or an age like 12h, 7d, 2w, 3mo")
	cmd.Flags().StringVar(&f.until, "until", "", "only responses until `TIME`")
	cmd.Flags().StringVar(&f.project, "project", "", "only sessions of the project at `DIR`")
	_ = cmd.MarkFlagDirname("project") // the flag was just made
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *app) usage(ctx context.Context, f usageFlags) error {
	now := a.env.Now()
	since, err := sessionTime("since", f.since, now, catalog.ParseMoment)
	if err != nil {
		return err
	}
	until, err := sessionTime("until", f.until, now, catalog.ParseEnd)
	if err != nil {
		return err
	}
	infos, err := a.sessions(ctx, true, true)
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
	if f.project != "" {
		dir, err := a.directory(f.project)
		if err != nil {
			return err
		}
		of := projectAt(dir)
		chosen = chosen.Where(func(r *cost.Response) bool { return of(ledger.Sessions[r.Session].Cwd) })
	}
	groups := a.usageGroups(chosen, f.by.value, now.Location())
	if f.json {
		return a.out.json(usageRecordOf(chosen, groups, f.by.value, since, until))
	}
	a.printUsage(chosen, groups, f.by.value)
	return nil
}

// ledger counts sessions, with a progress bar.
func (a *app) ledger(ctx context.Context, infos []catalog.Info) (*cost.Ledger, error) {
	bar := a.progress("counting")
	defer bar.done()
	return cost.Count(ctx, infos, cost.Options{
		Environment: sessiondir.Environment{Getenv: a.env.Getenv, Home: a.env.home()},
		Progress:    func(done, total int) { bar.at(int64(done), int64(total), humanize.Number) },
		Skipped:     func(path string, err error) { a.note("note: passed over %s: %v", path, cause(err)) },
	})
}

// directory is a directory that a person named, as an absolute path.
func (a *app) directory(name string) (string, error) {
	cwd, err := a.env.Cwd()
	if err != nil {
		cwd = "" // matters for a relative path alone
	}
	dir := sessiondir.ExpandPath(name, cwd)
	if dir == "" {
		return "", usagef("%q is in a home folder that does not exist", name)
	}
	return dir, nil
}

// projectAt tells whether a working directory is the project at a directory. The
// file system is asked once for each name.
func projectAt(dir string) func(cwd string) bool {
	known := map[string]bool{}
	return func(cwd string) bool {
		same, ok := known[cwd]
		if !ok {
			same = sessiondir.SameProject(dir, cwd)
			known[cwd] = same
		}
		return same
	}
}

// A usageGroup is a sum and what it is the sum of.
type usageGroup struct {
	cost.Group
	label   string        // for reading
	session *catalog.Info // nil unless sums are by session
}

func (a *app) usageGroups(l *cost.Ledger, by string, zone *time.Location) []usageGroup {
	var groups []cost.Group
	switch by {
	case "day":
		groups = l.By(func(r *cost.Response) string { return r.Day(zone) })
	case "month":
		groups = l.By(func(r *cost.Response) string { return r.Month(zone) })
	case "model":
		groups = l.By(func(r *cost.Response) string { return r.Model })
	case "project":
		projects := projectsByCwd(l.Sessions)
		groups = l.By(func(r *cost.Response) string { return projects[l.Sessions[r.Session].Cwd].Dir })
	case "session":
		groups = l.By(func(r *cost.Response) string { return l.Sessions[r.Session].Path })
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
		case by == "project":
			out[i].label = cmp.Or(a.homely(g.Key), "unknown")
		case by == "model":
			out[i].label = cmp.Or(g.Key, "other")
		default:
			out[i].label = cmp.Or(g.Key, "no date")
		}
	}
	return out
}

// usageRecord is the report in JSON, as docs/cli.md describes it.
type usageRecord struct {
	By     string        `json:"by"`
	Since  *string       `json:"since"`
	Until  *string       `json:"until"`
	Groups []groupRecord `json:"groups"`
	Total  sumRecord     `json:"total"`
	Copies sumRecord     `json:"copies"`
}

type groupRecord struct {
	Key   jsText  `json:"key"`
	Path  *jsText `json:"path,omitempty"`
	Title *jsText `json:"title,omitempty"`
	Cwd   *jsText `json:"cwd,omitempty"`
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

func usageRecordOf(l *cost.Ledger, groups []usageGroup, by string, since, until time.Time) usageRecord {
	total := l.Total()
	r := usageRecord{By: by, Since: timeOrNull(since), Until: timeOrNull(until), Groups: []groupRecord{}, Total: sumOf(&total)}
	r.Copies = sumOf(&cost.Group{Responses: l.Copies, Spent: l.Again})
	for i := range groups {
		g := &groups[i]
		record := groupRecord{Key: jsText(g.Key), sumRecord: sumOf(&g.Group)}
		if s := g.session; s != nil {
			path, title, cwd := jsText(s.Path), jsText(s.Title()), jsText(s.Cwd)
			record.Key, record.Path, record.Title, record.Cwd = jsText(s.ID), &path, &title, &cwd
		}
		r.Groups = append(r.Groups, record)
	}
	return r
}
