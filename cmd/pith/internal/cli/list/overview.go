package list

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// overviewLimit is the number of sessions that pith shows without a command.
const overviewLimit = 10

// Overview prints the nearest sessions and commands to continue with. It is pith
// without arguments and without a terminal. If there are no sessions, it prints
// nothing and reports false.
func (a *Commands) Overview(ctx context.Context) (any bool, err error) {
	infos, all, err := a.Nearest(ctx)
	if err != nil || len(infos) == 0 {
		return false, err
	}
	chosen := a.PrintNearest(ctx, infos, all)
	if len(chosen) == 0 {
		return true, nil
	}
	first := "@"
	if all {
		a.Note("no sessions in this project yet; these are from other projects")
		first = a.ShortIDs(ctx, infos)[chosen[0].ID]
	}
	a.Note("next: %s, %s, pith --help", a.Hint("show", first), a.Hint("tree", first))
	return true, nil
}

// PrintNearest prints the first sessions of a list as pith ls would, pinned
// ones first and without archived ones, and notes how to list the others. It
// returns all sessions that are not archived.
func (a *Commands) PrintNearest(ctx context.Context, infos []catalog.Info, all bool) []catalog.Info {
	app, f := a.App(), lsFlags{all: all}
	l := ops.Arrange(app, infos)
	a.noteUnmarked(l.Unmarked)
	shown := l.Sessions[:min(len(l.Sessions), overviewLimit)]
	a.printTable(shown, ops.ShortIDs(ctx, app, shown), l.Marks, &f)
	if more := len(l.Sessions) - len(shown); more > 0 {
		a.Note("%d more: %s", more, a.Hint(f.arguments()...))
	}
	a.noteArchived(l.Archived, f)
	return l.Sessions
}
