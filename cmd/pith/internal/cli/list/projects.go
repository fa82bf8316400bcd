package list

import (
	"cmp"
	"strconv"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// printProjects prints the projects of sessions. The worktrees of a Git repository
// are one project.
func (a *Commands) printProjects(infos []catalog.Info) error {
	list := ops.Projects(infos)
	if a.JSON {
		return a.Out.JSON(list)
	}
	if len(list) == 0 {
		a.NoteNoSessions()
		return nil
	}
	a.printProjectTable(list)
	return nil
}

func (a *Commands) printProjectTable(list []ops.Project) {
	g := layout.Grid{Head: []string{"used", "sessions", "size", "project"}, Right: []bool{false, true, true, false}, Flex: 3}
	gone := ""
	for _, p := range list {
		dir, t := termsafe.Line(cmp.Or(a.ShortPath(p.Dir), "unknown")), tone.None
		if p.Missing {
			dir, t = dir+missingMark, tone.Warning
			gone = cmp.Or(gone, p.Dir)
		}
		g.Add(t, a.When(p.LastUsed), strconv.Itoa(p.Count), humanize.Bytes(p.Size), dir)
		for _, o := range p.Others {
			g.Add(tone.Dim, "", "", "", "also "+termsafe.Line(a.ShortPath(o)))
		}
	}
	g.Print(a.Out, a.Colors, a.Width())
	if gone != "" {
		a.Note("if a missing project was moved, run %s", a.Hint("move", gone, "NEW"))
	}
}
