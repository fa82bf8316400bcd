package backup

import (
	"context"
	"os"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
)

// A Deleter is a Program that deletes sessions which were not written to for long.
type Deleter interface {
	// Retention returns how long it keeps them; false for ever.
	Retention(e sources.Environment) (time.Duration, bool)
}

// Expiring counts the sessions that a program deletes before a time and that dir has
// no copy of.
func Expiring(ctx context.Context, dir string, p sources.Program, e sources.Environment, before time.Time) (n int) {
	d, ok := p.(Deleter)
	if !ok {
		return 0
	}
	for _, root := range p.Roots(e) {
		if _, err := os.Stat(root); err != nil {
			continue // the usual case: the program is not installed
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
