package repair

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/doctor"
)

// A doctorRecord is the object that pith doctor --json prints.
type doctorRecord struct {
	Checked  int          `json:"checked"`
	Changed  int          `json:"changed"`
	Errors   int          `json:"errors"`
	Warnings int          `json:"warnings"`
	Notes    int          `json:"notes"`
	Files    []fileRecord `json:"files"`
}

type fileRecord struct {
	Path     string            `json:"path"`
	Size     int64             `json:"size"`
	Entries  int               `json:"entries"`
	Version  int               `json:"version"`
	Findings []doctor.Finding  `json:"findings"`
	Left     *[]doctor.Finding `json:"left"`
	Changed  bool              `json:"changed"`
	Backup   string            `json:"backup" empty:"null"`
	Error    string            `json:"error" empty:"null"`
	Changes  *[]doctor.Hunk    `json:"changes,omitempty"`
}

func (w *checkup) sum() doctorRecord {
	r := doctorRecord{
		Checked: w.checked, Changed: w.changed, Files: w.records,
		Errors: w.left[doctor.Error], Warnings: w.left[doctor.Warning], Notes: w.left[doctor.Note],
	}
	if w.flags.dryRun {
		r.Changed = 0
	}
	return r
}

func (w *checkup) record(t *ops.Checked) fileRecord {
	b := t.Before
	r := fileRecord{Path: b.File, Size: b.Size, Entries: b.Entries, Version: b.Version, Findings: w.shown(b)}
	if t.Err != nil {
		r.Error = t.Err.Error()
	}
	if t.Out == nil {
		return r
	}
	left := w.shown(t.After)
	r.Left, r.Changed, r.Backup = &left, t.Out.Changed() && !w.flags.dryRun, t.Out.Backup
	if w.flags.dryRun {
		r.Changes = &t.Out.Hunks
	}
	return r
}
