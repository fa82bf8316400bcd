package ops

import (
	"context"

	"github.com/pith-sessions/pith/internal/housekeeping/move"
)

// MoveParams name the old and the new directory of a project by absolute paths.
type MoveParams struct {
	Old, New string
	DryRun   bool
}

// Moved is the plan or the outcome of Move.
type Moved struct {
	Old      string         `json:"old"`
	New      string         `json:"new"`
	DryRun   bool           `json:"dryRun"`
	Sessions []MovedSession `json:"sessions"`
	Refused  []RefusedMove  `json:"refused"`
	// All is the number of sessions to move, and Foreign of those of other agents, which stay.
	All, Foreign int
}

// A MovedSession is a session whose header changed. Cwd is "" for one that was only forked
// from a session that moved.
type MovedSession struct {
	ID            string `json:"id"`
	From          string `json:"from"`
	To            string `json:"to"`
	Cwd           string `json:"cwd" empty:"null"`
	ParentSession string `json:"parentSessionPath" empty:"null"`
	Backup        string `json:"backup" empty:"null"`
}

// A RefusedMove is a session that stays, and why.
type RefusedMove struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

// Move updates the sessions of a project whose directory moved. After an error the result
// says what was done.
func Move(ctx context.Context, a *App, p MoveParams) (*Moved, error) {
	infos, err := Infos(ctx, a, "", true)
	if err != nil {
		return nil, err
	}
	plan, err := move.NewPlan(infos, p.Old, p.New, move.Options{Catalog: a.Listing(), Force: a.Force})
	if err != nil {
		return nil, err
	}
	m := &Moved{Old: plan.Old, New: plan.New, DryRun: p.DryRun, All: len(plan.Steps) + len(plan.Refused), Foreign: plan.Foreign}
	for _, x := range plan.Refused {
		m.Refused = append(m.Refused, RefusedMove{x.Path, x.Err.Error()})
	}
	add := func(d move.Done) {
		if d.Err != nil {
			m.Refused = append(m.Refused, RefusedMove{d.Session.Path, d.Err.Error()})
			return
		}
		m.Sessions = append(m.Sessions, MovedSession{d.Session.ID, d.Session.Path, d.To, d.Cwd, d.Parent, d.Backup})
	}
	if !p.DryRun {
		return m, plan.Apply(ctx, add)
	}
	for _, s := range plan.Steps {
		add(move.Done{Step: s})
	}
	return m, nil
}

// MissingProjects returns the sessions of every project whose directory is gone.
func MissingProjects(ctx context.Context, a *App) map[string]int {
	infos, _ := Infos(ctx, a, "", false) // those before an error
	missing := map[string]int{}
	for i := range infos {
		missing[infos[i].Cwd]++
	}
	projects := ProjectsByCwd(infos)
	for dir := range missing {
		if p := projects[dir]; p == nil || !p.Missing {
			delete(missing, dir)
		}
	}
	return missing
}
