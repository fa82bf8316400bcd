package ops

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/doctor"
)

// Infos returns the sessions of a project, or of all if cwd is "", the most recently used
// first. Internal ones are those that programs made for their own use. After an error it
// returns those before it.
func Infos(ctx context.Context, a *App, cwd string, internal bool) ([]catalog.Info, error) {
	o := a.Listing()
	o.IncludeInternal = internal
	if cwd == "" {
		return catalog.Sorted(catalog.ListAll(ctx, o))
	}
	return catalog.Sorted(catalog.List(ctx, cwd, o))
}

// Locate finds the session that a reference names, without reading more than it must.
// cwd is "" if the reference does not depend on it.
func Locate(ctx context.Context, a *App, ref, cwd string) (catalog.Ref, error) {
	quiet := a.quiet()
	quiet.Index = nil
	found, err := catalog.ResolvePath(ctx, ref, cwd, quiet.Listing()) // needs no index
	if errors.Is(err, catalog.ErrNotFound) {
		quiet.Index = a.Index
		found, err = catalog.Resolve(ctx, ref, cwd, quiet.Listing())
	}
	return found, err
}

// Facts reads the facts of a located session.
func Facts(ctx context.Context, a *App, ref catalog.Ref) (catalog.Info, error) {
	return catalog.Facts(ctx, ref, a.Listing())
}

// LostHeader reports whether a file is a session that lost its header, which a repair
// restores.
func LostHeader(ctx context.Context, path string) bool {
	r, err := doctor.Check(ctx, path, doctor.Options{Only: []doctor.Code{doctor.MissingHead}})
	return err == nil && r.Fixable() > 0
}
