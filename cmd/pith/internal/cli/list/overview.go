package list

import (
	"context"
	"slices"

	"github.com/pith-sessions/pith/catalog"
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
	f, marks := lsFlags{all: all}, a.Marks()
	hidden := 0
	chosen := slices.DeleteFunc(slices.Clone(infos), func(i catalog.Info) bool {
		archived := i.Archived || marks(i.ID).Archived
		if archived {
			hidden++
		}
		return archived
	})
	showPins(chosen, marks)
	shown := min(len(chosen), overviewLimit)
	a.printTable(chosen[:shown], a.ShortIDs(ctx, chosen[:shown]), &f)
	if more := len(chosen) - shown; more > 0 {
		a.Note("%d more: %s", more, a.Hint(f.arguments()...))
	}
	a.noteArchived(hidden, f)
	return chosen
}
