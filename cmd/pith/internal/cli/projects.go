package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

func (a *app) projectsCommand() *cobra.Command {
	var worktrees, asJSON bool
	cmd := &cobra.Command{
		Use:   "projects",
		Short: "List the projects that have sessions",
		Long: `List the projects that have sessions, the one used last first.

A session belongs to the working directory that its header names. A directory
under several names is one project; one that is gone is marked as missing, and
pith move tells its sessions where it is now.`,
		Example: `  pith projects
  pith projects --worktrees
  pith projects --json | jq -r '.[] | select(.missing) | .dir'`,
		Args: takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.projects(cmd.Context(), worktrees, asJSON) },
	}
	cmd.Flags().BoolVar(&worktrees, "worktrees", false, "make one project of all worktrees of a git repository")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// projectRecord is a project in JSON, as docs/cli.md describes it.
type projectRecord struct {
	Dir        jsText   `json:"dir"`
	Others     []jsText `json:"others"`
	Repository *jsText  `json:"repository"`
	Missing    bool     `json:"missing"`
	Sessions   int      `json:"sessions"`
	Size       int64    `json:"size"`
	LastUsed   *string  `json:"lastUsed"`
}

func (a *app) projects(ctx context.Context, worktrees, asJSON bool) error {
	infos, err := a.sessions(ctx, true, false)
	if err != nil {
		return err
	}
	list := project.Group(infos, project.Options{Worktrees: worktrees})
	if asJSON {
		records := make([]projectRecord, len(list))
		for i, p := range list {
			records[i] = projectRecord{jsText(p.Dir), []jsText{}, jsTextOrNull(p.Repository), p.Missing, len(p.Sessions), p.Size, timeOrNull(p.LastUsed)}
			for _, o := range p.Others {
				records[i].Others = append(records[i].Others, jsText(o))
			}
		}
		return a.out.json(records)
	}
	if len(list) == 0 {
		a.note("no sessions found; make sample ones with pith demo")
		return nil
	}
	a.printProjects(list)
	return nil
}

// projectsByCwd are the projects of sessions by the working directories that the
// sessions name.
func projectsByCwd(infos []catalog.Info) map[string]*project.Project {
	out := map[string]*project.Project{}
	for _, p := range project.Group(infos, project.Options{}) {
		for _, name := range append(p.Others, p.Dir) {
			out[name] = &p
		}
	}
	return out
}

func (a *app) printProjects(list []project.Project) {
	g := grid{head: []string{"used", "sessions", "size", "project"}, right: []bool{false, true, true, false}, flex: 3}
	gone := ""
	for _, p := range list {
		dir, t := termsafe.Line(cmp.Or(a.homely(p.Dir), "unknown")), toneNone
		if p.Missing {
			dir, t = dir+missingMark, toneWarning
			gone = cmp.Or(gone, p.Dir)
		}
		g.add(t, a.when(p.LastUsed), strconv.Itoa(len(p.Sessions)), humanize.Bytes(p.Size), dir)
		for _, o := range p.Others {
			g.add(toneDim, "", "", "", "also "+termsafe.Line(a.homely(o)))
		}
	}
	g.print(a.out, a.colors, a.width())
	if gone != "" {
		a.note("if a missing project was moved: %s", a.hint("move", gone, "NEW"))
	}
}
