package ops

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// A TrashRecord is a session in the trash, as it is encoded.
type TrashRecord struct {
	ID        string    `json:"id"` // of the item, not of the session
	Path      string    `json:"path"`
	Time      time.Time `json:"time"`
	Size      int64     `json:"size"`
	System    bool      `json:"system"` // the system's trash has it
	Artifacts bool      `json:"artifacts"`
	// Source and Session are the agent and the ID of a session of another agent.
	Source  string `json:"source,omitempty"`
	Session string `json:"session,omitempty"`
}

func trashRecord(r *trash.Receipt) TrashRecord {
	t := TrashRecord{ID: r.ID, Path: r.Path, Time: r.Time, Size: r.Size, System: r.System, Artifacts: r.Artifacts}
	if r.Set != nil {
		t.Source, t.Session = r.Set.Source, r.Set.Session
	}
	return t
}

// TrashRecords returns receipts as they are encoded.
func TrashRecords(list []trash.Receipt) []TrashRecord {
	out := make([]TrashRecord, len(list))
	for i := range list {
		out[i] = trashRecord(&list[i])
	}
	return out
}

// trashPlace returns the location of the trash.
func (a *App) trashPlace() (trash.Options, error) {
	if a.Trash == nil {
		return trash.Options{}, ErrNoPlace
	}
	return a.Trash()
}

// Delete moves the session in a file to the trash.
func Delete(ctx context.Context, a *App, p PathParams) (TrashRecord, error) {
	o, err := a.trashPlace()
	if err != nil {
		return TrashRecord{}, err
	}
	path := sessiondir.ExpandPath(p.Path, "")
	if _, err := catalog.Facts(ctx, catalog.Ref{Path: path}, catalog.Options{}); err != nil {
		return TrashRecord{}, err // only sessions can be deleted
	}
	r, err := Remove(ctx, RemoveParams{Session: catalog.Ref{Path: path}, Engine: a.Engine(), Catalog: a.Listing(), Trash: o})
	if err != nil {
		return TrashRecord{}, err
	}
	return trashRecord(&r), nil
}

// Receipts lists the trash, newest first. An error with a list says what is damaged.
func Receipts(a *App) ([]trash.Receipt, error) {
	o, err := a.trashPlace()
	if err != nil {
		return nil, err
	}
	return trash.List(o)
}

// Trashed lists the trash, newest first.
func Trashed(_ context.Context, a *App, _ struct{}) ([]TrashRecord, error) {
	all, err := Receipts(a)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	return TrashRecords(all), nil
}

// TrashedTitle returns the name or the first message of a session in the trash; "" if it
// cannot be read.
func TrashedTitle(ctx context.Context, a *App, r *trash.Receipt) string {
	if r.Set != nil {
		return r.Set.Title
	}
	o, err := a.trashPlace()
	if err != nil {
		return ""
	}
	path, err := trash.File(r.ID, o)
	if err != nil {
		return ""
	}
	info, err := catalog.Facts(ctx, catalog.Ref{Path: path}, catalog.Options{})
	if err != nil {
		return ""
	}
	return info.Title()
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
func Restore(_ context.Context, a *App, p RestoreParams) (string, error) {
	o, err := a.trashPlace()
	if err != nil {
		return "", err
	}
	if p.To != "" {
		o.To = sessiondir.ExpandPath(p.To, "")
	}
	return trash.Restore(p.ID, o)
}

// Purge deletes an item for good.
func Purge(_ context.Context, a *App, p ItemParams) (any, error) {
	o, err := a.trashPlace()
	if err != nil {
		return nil, err
	}
	return nil, trash.Purge(p.ID, o)
}
