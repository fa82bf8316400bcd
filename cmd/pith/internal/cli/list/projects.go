package list

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

func (a *Commands) Projects() *cobra.Command {
	var worktrees, asJSON bool
	cmd := &cobra.Command{
		Use:   "projects",
		Short: "List the projects that have sessions",
		Long: `List the projects that have sessions, most recently used first.

A session belongs to the working directory in its header. A directory that no
longer exists is marked as missing; if it was moved, pith move updates its
sessions.`,
		Example: `  pith projects
  pith projects --worktrees
  pith projects --json | jq -r '.[] | select(.missing) | .dir'`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.projects(cmd.Context(), worktrees, asJSON) },
	}
	cmd.Flags().BoolVar(&worktrees, "worktrees", false, "group the worktrees of a Git repository into one project")
	a.AddSources(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// projectRecord is a project in JSON. docs/reference/json.md describes it.
type projectRecord struct {
	Dir        view.Text   `json:"dir"`
	Others     []view.Text `json:"others"`
	Repository *view.Text  `json:"repository"`
	Missing    bool        `json:"missing"`
	Sessions   int         `json:"sessions"`
	Size       int64       `json:"size"`
	LastUsed   view.Time   `json:"lastUsed"`
}

func (a *Commands) projects(ctx context.Context, worktrees, asJSON bool) error {
	infos, err := a.List(ctx, true, false)
	if err != nil {
		return err
	}
	list := project.Group(infos, project.Options{Worktrees: worktrees})
	if asJSON {
		records := make([]projectRecord, len(list))
		for i, p := range list {
			records[i] = projectRecord{view.Text(p.Dir), view.Texts(p.Others), view.TextOrNull(p.Repository), p.Missing, len(p.Sessions), p.Size, view.Time{Time: p.LastUsed}}
		}
		return a.Out.JSON(records)
	}
	if len(list) == 0 {
		a.NoteNoSessions()
		return nil
	}
	a.printProjects(list)
	return nil
}

func (a *Commands) printProjects(list []project.Project) {
	g := layout.Grid{Head: []string{"used", "sessions", "size", "project"}, Right: []bool{false, true, true, false}, Flex: 3}
	gone := ""
	for _, p := range list {
		dir, t := termsafe.Line(cmp.Or(a.ShortPath(p.Dir), "unknown")), tone.None
		if p.Missing && !a.InTeam() { // other people's directories are on their machines
			dir, t = dir+missingMark, tone.Warning
			gone = cmp.Or(gone, p.Dir)
		}
		g.Add(t, a.When(p.LastUsed), strconv.Itoa(len(p.Sessions)), humanize.Bytes(p.Size), dir)
		for _, o := range p.Others {
			g.Add(tone.Dim, "", "", "", "also "+termsafe.Line(a.ShortPath(o)))
		}
	}
	g.Print(a.Out, a.Colors, a.Width())
	if gone != "" {
		a.Note("if a missing project was moved, run %s", a.Hint("move", gone, "NEW"))
	}
}
