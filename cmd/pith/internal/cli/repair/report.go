package repair

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
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
	Path     view.Text         `json:"path"`
	Size     int64             `json:"size"`
	Entries  int               `json:"entries"`
	Version  int               `json:"version"`
	Findings []view.Diagnosis  `json:"findings"`
	Left     *[]view.Diagnosis `json:"left"`
	Changed  bool              `json:"changed"`
	Backup   *view.Text        `json:"backup"`
	Error    *view.Text        `json:"error"`
	Changes  *[]hunkRecord     `json:"changes,omitempty"`
}

type hunkRecord struct {
	OldLine int         `json:"oldLine"`
	NewLine int         `json:"newLine"`
	Old     []view.Text `json:"old"`
	New     []view.Text `json:"new"`
}

func (w *checkup) sum() doctorRecord {
	r := doctorRecord{
		Checked: w.checked, Changed: w.changed, Files: w.records,
		Errors: w.left[doctor.Error], Warnings: w.left[doctor.Warning], Notes: w.left[doctor.Note],
	}
	if w.flags.dryRun {
		r.Changed = 0
	}
	if r.Files == nil {
		r.Files = []fileRecord{}
	}
	return r
}

func (w *checkup) record(t *fileResult) fileRecord {
	b := t.before
	r := fileRecord{Path: view.Text(b.File), Size: b.Size, Entries: b.Entries, Version: b.Version, Findings: view.DiagnosesOf(w.shown(b))}
	if t.err != nil {
		r.Error = view.TextOrNull(t.err.Error())
	}
	if t.out == nil {
		return r
	}
	left := view.DiagnosesOf(w.shown(t.after))
	r.Left, r.Changed, r.Backup = &left, t.out.Changed() && !w.flags.dryRun, view.TextOrNull(t.out.Backup)
	if w.flags.dryRun {
		changes := []hunkRecord{}
		for _, h := range t.out.Hunks {
			changes = append(changes, hunkRecord{h.OldLine, h.NewLine, view.Texts(h.Old), view.Texts(h.New)})
		}
		r.Changes = &changes
	}
	return r
}
