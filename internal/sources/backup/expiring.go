package backup

import (
	"context"
	"os"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
)

// A Deleter is a Program that deletes sessions that were not written to for a
// long time.
type Deleter interface {
	// Retention returns how long it keeps them; false means forever.
	Retention(e sources.Environment) (time.Duration, bool)
}

// Expiring returns the number of sessions that a program will delete before a
// time and that have no copy in dir.
func Expiring(ctx context.Context, dir string, p sources.Program, e sources.Environment, before time.Time) (n int) {
	d, ok := p.(Deleter)
	if !ok {
		return 0
	}
	for _, root := range p.Roots(e) {
		if _, err := os.Stat(root); err != nil {
			continue // usual: the program is not installed
		}
		keep, ok := d.Retention(e)
		if !ok {
			continue
		}
		sessions, _ := p.Sessions(ctx, root) // those that can be read are counted
		x, err := Open(dir, p, root).Index()
		for _, s := range sessions {
			if s.Parent == "" && s.Modified.Add(keep).Before(before) && (err != nil || !x.Holds(s)) {
				n++
			}
		}
	}
	return n
}
