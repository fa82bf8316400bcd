package ops

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// trashPlace returns the location of the trash.
func (a *App) trashPlace() (trash.Options, error) {
	if a.Trash == nil {
		return trash.Options{}, ErrNoPlace
	}
	return a.Trash()
}

// Delete moves the session in a file to the trash.
func Delete(ctx context.Context, a *App, p PathParams) (view.Trashed, error) {
	o, err := a.trashPlace()
	if err != nil {
		return view.Trashed{}, err
	}
	path := sessiondir.ExpandPath(p.Path, "")
	if _, err := catalog.Facts(ctx, catalog.Ref{Path: path}, catalog.Options{}); err != nil {
		return view.Trashed{}, err // only sessions can be deleted
	}
	r, err := Remove(ctx, RemoveParams{Session: catalog.Ref{Path: path}, Engine: a.Engine(), Catalog: a.Listing(), Trash: o})
	if err != nil {
		return view.Trashed{}, err
	}
	return view.TrashedOf(&r), nil
}

// Trashed lists the trash, newest first.
func Trashed(_ context.Context, a *App, _ struct{}) ([]view.Trashed, error) {
	o, err := a.trashPlace()
	if err != nil {
		return nil, err
	}
	all, err := trash.List(o)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	return view.TrashedAll(all), nil
}

// ItemParams name an item in the trash.
type ItemParams struct {
	ID string `json:"id" need:"value"`
}

// RestoreParams name an item, and the file that it becomes; "" means where it was.
type RestoreParams struct {
	ItemParams
	To string `json:"to"`
}

// Restore moves an item back, and returns its file. Nothing is overwritten.
func Restore(_ context.Context, a *App, p RestoreParams) (view.Text, error) {
	o, err := a.trashPlace()
	if err != nil {
		return "", err
	}
	if p.To != "" {
		o.To = sessiondir.ExpandPath(p.To, "")
	}
	path, err := trash.Restore(p.ID, o)
	return view.Text(path), err
}

// Purge deletes an item for good.
func Purge(_ context.Context, a *App, p ItemParams) (any, error) {
	o, err := a.trashPlace()
	if err != nil {
		return nil, err
	}
	return nil, trash.Purge(p.ID, o)
}
