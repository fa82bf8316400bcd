package repair

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/doctor"
)

// A treatmentRecord is the object that pith doctor --json prints.
type treatmentRecord struct {
	Checked  int             `json:"checked"`
	Changed  int             `json:"changed"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Notes    int             `json:"notes"`
	Files    []treatedRecord `json:"files"`
}

// A treatedRecord is one file with findings.
type treatedRecord struct {
	File     view.Text      `json:"file"`
	Size     int64          `json:"size"`
	Entries  int            `json:"entries"`
	Version  int            `json:"version"`
	Findings []faultRecord  `json:"findings"`
	Left     *[]faultRecord `json:"left"`
	Changed  bool           `json:"changed"`
	Backup   *view.Text     `json:"backup"`
	Error    *view.Text     `json:"error"`
	Changes  *[]hunkRecord  `json:"changes,omitempty"`
}

type faultRecord struct {
	Code     doctor.Code `json:"code"`
	Severity string      `json:"severity"`
	Line     int         `json:"line"`
	Byte     int64       `json:"byte"`
	EntryID  *view.Text  `json:"entryId"`
	What     view.Text   `json:"what"`
	Means    view.Text   `json:"means"`
	Fix      *view.Text  `json:"fix"`
}

type hunkRecord struct {
	OldLine int         `json:"oldLine"`
	NewLine int         `json:"newLine"`
	Old     []view.Text `json:"old"`
	New     []view.Text `json:"new"`
}

func (w *ward) sum() treatmentRecord {
	r := treatmentRecord{
		Checked: w.checked, Changed: w.changed, Files: w.records,
		Errors: w.left[doctor.Error], Warnings: w.left[doctor.Warning], Notes: w.left[doctor.Note],
	}
	if w.flags.dryRun {
		r.Changed = 0
	}
	if r.Files == nil {
		r.Files = []treatedRecord{}
	}
	return r
}

func (w *ward) record(t *treated) treatedRecord {
	b := t.before
	r := treatedRecord{File: view.Text(b.File), Size: b.Size, Entries: b.Entries, Version: b.Version, Findings: w.faults(b)}
	if t.err != nil {
		r.Error = view.TextOrNull(t.err.Error())
	}
	if t.out == nil {
		return r
	}
	left := w.faults(t.after)
	r.Left, r.Changed, r.Backup = &left, t.out.Changed() && !w.flags.dryRun, view.TextOrNull(t.out.Backup)
	if w.flags.dryRun {
		changes := []hunkRecord{}
		for _, h := range t.out.Hunks {
			changes = append(changes, hunkRecord{h.OldLine, h.NewLine, texts(h.Old), texts(h.New)})
		}
		r.Changes = &changes
	}
	return r
}

func texts(lines [][]byte) []view.Text {
	out := make([]view.Text, len(lines))
	for i, line := range lines {
		out[i] = view.Text(line)
	}
	return out
}

func (w *ward) faults(r *doctor.Report) []faultRecord {
	out := []faultRecord{}
	for _, f := range w.shown(r) {
		out = append(out, faultRecord{
			f.Code, f.Severity.String(), f.Line, f.Offset, view.TextOrNull(f.EntryID),
			view.Text(f.What), view.Text(f.Means), view.TextOrNull(f.Fix),
		})
	}
	return out
}
