package ops

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/sessiondir"
)

// ContinueRecent opens the newest session of the project o.Cwd, the one that @ names, or
// a new one if there is none. If o names a directory or a store, it looks there.
func ContinueRecent(ctx context.Context, a *App, o pith.Options) (*pith.Session, error) {
	if o.Dir != "" || o.Store != nil {
		return pith.ContinueRecent(ctx, o)
	}
	found, err := catalog.Resolve(ctx, "@", sessiondir.ExpandPath(o.Cwd, ""), a.Listing())
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return pith.ContinueRecent(ctx, o)
	case err != nil:
		return nil, err
	}
	o.Dir = filepath.Dir(found.Path)
	return pith.Open(ctx, found.Path, o)
}
