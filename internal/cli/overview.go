package cli

import (
	"context"

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
	shown := min(len(infos), overviewLimit)
	a.printSessions(infos, shown, all)
	if more := len(infos) - shown; more > 0 {
		a.note("%d more: %s", more, a.hint(lsArgs(lsFlags{all: all})...))
	}
	first := "@"
	if all {
		a.note("these are of other projects; none of this one yet")
		first = shortIDs(infos)[infos[0].ID]
	}
	a.note("next: %s, %s, pith --help", a.hint("show", first), a.hint("tree", first))
	return nil
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
