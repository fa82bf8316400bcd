package ops

import (
	"context"
	"os"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
)

// An Expiry is a number of sessions that another agent will soon delete.
type Expiry struct {
	Agent    string // its title
	Sessions int
	Setting  string // of the agent, which prevents it
}

// Expiring returns the sessions that other agents will delete within a time, and that were
// not imported since they were last written.
func Expiring(ctx context.Context, a *App, within time.Duration) (out []Expiry) {
	from := sources.Environment{Home: a.Environment.HomeDir(), Getenv: a.Environment.Var}
	var imported map[string]time.Time // by ID, read when needed
	for _, p := range all.Programs() {
		d, ok := p.(sources.Deleter)
		if !ok {
			continue
		}
		n := 0
		for _, s := range expiring(ctx, d, from, a.now().Add(within)) {
			if imported == nil {
				imported = a.lastWrites(ctx)
			}
			if imported[importer.SessionID(p.Name(), s.ID)].Before(s.Modified) {
				n++
			}
		}
		if n > 0 {
			out = append(out, Expiry{p.Title(), n, d.RetentionSetting()})
		}
	}
	return out
}

// expiring returns the sessions that a program will delete before a time.
func expiring(ctx context.Context, p sources.Deleter, e sources.Environment, before time.Time) (out []sources.Session) {
	keep, ok := p.Retention(e)
	if !ok {
		return nil
	}
	for _, root := range p.Roots(e) {
		if _, err := os.Stat(root); err != nil {
			continue // usual: the program is not installed
		}
		sessions, _ := p.Sessions(ctx, root) // those that can be read
		for _, s := range sessions {
			if s.Parent == "" && s.Modified.Add(keep).Before(before) {
				out = append(out, s)
			}
		}
	}
	return out
}

// lastWrites returns when each session file was last written, by ID.
func (a *App) lastWrites(ctx context.Context) map[string]time.Time {
	times := map[string]time.Time{}
	infos, _ := Infos(ctx, a, "", false) // those before an error
	for i := range infos {
		times[infos[i].ID] = infos[i].FileTime
	}
	return times
}
