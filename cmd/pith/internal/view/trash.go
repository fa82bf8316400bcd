package view

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// A Trashed is a session that was moved to the trash.
type Trashed struct {
	ID        string `json:"id"` // of the item, not of the session
	Path      Text   `json:"path"`
	Time      string `json:"time"`
	Size      int64  `json:"size"`
	System    bool   `json:"system"` // the system's trash has it
	Artifacts bool   `json:"artifacts"`
}

// TrashedOf converts one receipt.
func TrashedOf(r *trash.Receipt) Trashed {
	return Trashed{r.ID, Text(r.Path), format.FormatTime(r.Time), r.Size, r.System, r.Artifacts}
}

// TrashedAll converts receipts.
func TrashedAll(list []trash.Receipt) []Trashed {
	out := make([]Trashed, len(list))
	for i := range list {
		out[i] = TrashedOf(&list[i])
	}
	return out
}
