package repair

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/sessiondir"
)

// list adds the files to check: those of the sessions, files and directories that
// the command line names, of all projects, or by default of this project.
func (a *Commands) list(ctx context.Context, l *ops.Checklist, args []string, scope *lookup.Scope) error {
	app := a.App()
	cwd, err := a.Env.Cwd()
	switch {
	case err != nil && len(args) == 0:
		_, err := a.Cwd()
		return err
	case scope.Project != "":
		return l.Sessions(ctx, app, a.Within(scope))
	case scope.All:
		state, err := a.StateDir()
		if err != nil {
			state = ""
		}
		l.All(ctx, app, state)
		return nil
	case len(args) == 0:
		return l.Project(ctx, app, cwd)
	}
	for _, ref := range args {
		if err := a.admit(ctx, l, ref, cwd); err != nil {
			return err
		}
	}
	return nil
}

// admit adds the files that one argument names. A file is added as it is: it
// may be too damaged to be found otherwise.
func (a *Commands) admit(ctx context.Context, l *ops.Checklist, ref, cwd string) error {
	path := sessiondir.ExpandPath(ref, cwd)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return l.Dir(ctx, path)
	case err == nil && lookup.IsPath(ref):
		l.File(path)
		return nil
	}
	found, err := a.Locate(ctx, ref)
	if err == nil {
		l.File(found.Path)
	}
	return err
}

// warned is the time before a session is deleted in which doctor warns of it.
const warned = 7 * 24 * time.Hour

// noteExpiring warns of sessions that other agents will soon delete and that were
// not imported since they were last written.
func (a *Commands) noteExpiring(ctx context.Context) {
	if a.SessionDir != "" {
		return
	}
	for _, e := range ops.Expiring(ctx, a.App(), warned) {
		a.Note("warning: %s will delete %s within seven days, unless you change %s; pith import --all keeps them",
			e.Agent, humanize.Count(e.Sessions, "session"), e.Setting)
	}
}

// noteOthers says which sessions of other agents are there, if any, and what doctor
// can do about them.
func (a *Commands) noteOthers(ctx context.Context, scope *lookup.Scope) bool {
	infos, err := a.List(ctx, scope.Everywhere(), false)
	if err != nil {
		return false
	}
	count, example := map[string]int{}, ""
	for i := range infos {
		if agent := ops.AgentTitle(infos[i].Root); agent != "" && a.Within(scope)(infos[i].Cwd) {
			count[agent]++
			example = cmp.Or(example, infos[i].ID)
		}
	}
	if example == "" {
		return false
	}
	var found []string
	for _, title := range slices.Sorted(maps.Keys(count)) {
		found = append(found, fmt.Sprintf("%d of %s", count[title], title))
	}
	a.Note("only sessions of other agents, whose files doctor does not repair: %s; %s checks how pith reads one", strings.Join(found, ", "), a.Hint("doctor", example))
	return true
}
