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
	// Source and Session are the agent and the ID of a session of another agent.
	Source  string `json:"source,omitempty"`
	Session Text   `json:"session,omitempty"`
}

// TrashedOf converts one receipt.
func TrashedOf(r *trash.Receipt) Trashed {
	t := Trashed{ID: r.ID, Path: Text(r.Path), Time: format.FormatTime(r.Time), Size: r.Size, System: r.System, Artifacts: r.Artifacts}
	if r.Set != nil {
		t.Source, t.Session = r.Set.Source, Text(r.Set.Session)
	}
	return t
}

// TrashedAll converts receipts.
func TrashedAll(list []trash.Receipt) []Trashed {
	out := make([]Trashed, len(list))
	for i := range list {
		out[i] = TrashedOf(&list[i])
	}
	return out
}
