package cli

import (
	"context"
	"slices"

	"github.com/pith-sessions/pith/catalog"
)

// overviewLimit is how many sessions pith alone shows.
const overviewLimit = 10

// overview is what pith prints without arguments: the user's own sessions, and
// what to do next.
func (a *app) overview(ctx context.Context) error {
	infos, all, err := a.nearestSessions(ctx)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		a.note("no sessions found; make sample ones with pith demo, or see pith --help")
		return nil
	}
	chosen := a.printNearest(infos, all)
	if len(chosen) == 0 {
		return nil
	}
	first := "@"
	if all {
		a.note("these are of other projects; none of this one yet")
		first = shortIDs(infos)[chosen[0].ID]
	}
	a.note("next: %s, %s, pith --help", a.hint("show", first), a.hint("tree", first))
	return nil
}

// printNearest prints the first sessions of a list as pith ls would, pinned ones
// first and without those that are archived, and says where the others are. It
// returns all that are not archived.
func (a *app) printNearest(infos []catalog.Info, all bool) []catalog.Info {
	f, marks := lsFlags{all: all}, a.marks()
	chosen, hidden := f.choose(slices.Clone(infos), marks)
	showPins(chosen, marks)
	shown := min(len(chosen), overviewLimit)
	a.printSessions(chosen, shown, all)
	if more := len(chosen) - shown; more > 0 {
		a.note("%d more: %s", more, a.hint(lsArgs(f)...))
	}
	a.noteArchived(hidden, f)
	return chosen
}

// nearestSessions are those of this project, or all when it has none or is
// gone; all says which.
func (a *app) nearestSessions(ctx context.Context) (infos []catalog.Info, all bool, err error) {
	if _, err := a.env.Cwd(); err == nil {
		infos, err := a.sessions(ctx, false, false)
		if err != nil || len(infos) > 0 {
			return infos, false, err
		}
	}
	infos, err = a.sessions(ctx, true, false)
	return infos, true, err
}
