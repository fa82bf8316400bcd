package repair

import (
	"context"
	"os"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
)

// warned is the time before a session is deleted in which doctor warns of it.
const warned = 7 * 24 * time.Hour

// noteExpiring warns of sessions that other agents will soon delete and that were
// not imported since they were last written.
func (a *Commands) noteExpiring(ctx context.Context) {
	if a.SessionDir != "" {
		return
	}
	env := a.Environment()
	from := sources.Environment{Home: env.HomeDir(), Getenv: env.Var}
	var imported map[string]time.Time // by ID, read when needed
	for _, p := range all.Programs() {
		d, ok := p.(sources.Deleter)
		if !ok {
			continue
		}
		n := 0
		for _, s := range expiring(ctx, d, from, a.Env.Now().Add(warned)) {
			if imported == nil {
				imported = a.lastWrites(ctx)
			}
			if imported[importer.SessionID(p.Name(), s.ID)].Before(s.Modified) {
				n++
			}
		}
		if n > 0 {
			a.Note("warning: %s will delete %s within seven days, unless you change %s; pith import --all keeps them",
				p.Title(), humanize.Count(n, "session"), d.RetentionSetting())
		}
	}
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
func (a *Commands) lastWrites(ctx context.Context) map[string]time.Time {
	times := map[string]time.Time{}
	infos, _ := a.List(ctx, true, false) // those before an error
	for i := range infos {
		times[infos[i].ID] = infos[i].FileTime
	}
	return times
}
