package housekeep

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
)

// leftoverAge is the age from which gc deletes unfinished files.
const leftoverAge = 24 * time.Hour

// leftovers returns the unfinished files in session directories that killed
// commands left some time ago. Backups are not among them.
func (a *Commands) leftovers(ctx context.Context) ([]string, error) {
	var out []string
	for _, root := range catalog.Roots(a.Listing(), a.Env.Here()) {
		if lookup.IsForeign(root.Name) {
			continue
		}
		for _, r := range doctor.Leftovers(ctx, root.Dir, doctor.Options{}) {
			if _, backup := store.BackupOf(r.File); backup {
				continue
			}
			if info, err := os.Lstat(r.File); err == nil && a.Env.Now().Sub(info.ModTime()) > leftoverAge {
				out = append(out, r.File)
			}
		}
	}
	return out, ctx.Err()
}

// sweep deletes the leftovers.
func (c *collection) sweep() error {
	var failed []error
	for _, path := range c.leftovers {
		failed = append(failed, doctor.RemoveLeftover(path))
	}
	return errors.Join(failed...)
}
