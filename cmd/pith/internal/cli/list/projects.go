package list

import (
	"cmp"
	"strconv"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// projectRecord is a project in JSON. docs/reference/json.md describes it.
type projectRecord struct {
	Dir        string    `json:"dir"`
	Others     []string  `json:"others"`
	Repository string    `json:"repository,null"`
	Missing    bool      `json:"missing"`
	Sessions   int       `json:"sessions"`
	Size       int64     `json:"size"`
	LastUsed   time.Time `json:"lastUsed"`
}

// printProjects prints the projects of sessions. The worktrees of a Git repository
// are one project.
func (a *Commands) printProjects(infos []catalog.Info, asJSON bool) error {
	list := project.Group(infos, project.Options{Worktrees: true})
	if asJSON {
		records := make([]projectRecord, len(list))
		for i, p := range list {
			records[i] = projectRecord{p.Dir, p.Others, p.Repository, p.Missing, len(p.Sessions), p.Size, p.LastUsed}
		}
		return a.Out.JSON(records)
	}
	if len(list) == 0 {
		a.NoteNoSessions()
		return nil
	}
	a.printProjectTable(list)
	return nil
}

func (a *Commands) printProjectTable(list []project.Project) {
	g := layout.Grid{Head: []string{"used", "sessions", "size", "project"}, Right: []bool{false, true, true, false}, Flex: 3}
	gone := ""
	for _, p := range list {
		dir, t := termsafe.Line(cmp.Or(a.ShortPath(p.Dir), "unknown")), tone.None
		if p.Missing {
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
