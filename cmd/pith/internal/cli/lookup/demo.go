package lookup

import (
	"context"
	"fmt"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/samples"
)

// Demo returns a function that writes the demo sessions to pith's data directory and
// returns how to list them. Front ends call it if the user has no sessions. It is nil
// if the user chose a directory or some agents.
func (a *Sessions) Demo() func(context.Context) (catalog.Options, error) {
	if a.SessionDir != "" || len(a.Sources) > 0 {
		return nil
	}
	return func(ctx context.Context) (catalog.Options, error) {
		o := a.Listing()
		var err error
		if o.Dir, err = a.DataDir("demo"); err == nil {
			err = samples.Write(ctx, o.Dir)
		}
		if err != nil {
			return o, fmt.Errorf("cannot write the demo sessions: %w", err)
		}
		return o, nil
	}
}

// HasAny reports whether the user has any session, in any project and of any agent.
func (a *Sessions) HasAny(ctx context.Context) bool {
	app := a.App()
	app.Skipped = nil
	for _, err := range ops.Sessions(ctx, app, "") {
		return err == nil
	}
	return false
}

// NoteNoSessions says that there are no sessions at all, and what to do.
func (a *Sessions) NoteNoSessions() {
	a.Note("no sessions found; try pith demo")
}

// A noSessionsError is a reference without a session, because there are none at all.
type noSessionsError struct{ error }

func (e noSessionsError) Error() string { return "no sessions found; try pith demo" }
func (e noSessionsError) Unwrap() error { return e.error }
