package ops

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

// A RewoundRecord is the plan or the outcome of a rewind.
type RewoundRecord struct {
	Session view.Text           `json:"id"`
	Root    *view.Text          `json:"root"`
	Files   []RewoundFileRecord `json:"files"`
	From    *view.Text          `json:"fromEntryId"`
	To      *view.Text          `json:"toEntryId"`
	Entry   *view.Text          `json:"entryId"` // the entry that was written
}

// A RewoundFileRecord is a file of a rewind.
type RewoundFileRecord struct {
	File       view.Text   `json:"file"`
	Restored   bool        `json:"restored"`
	Trash      *view.Text  `json:"trashId"`
	Unrecorded bool        `json:"unrecordedChange"`
	Others     []view.Text `json:"changedBySessions"`
	Error      *view.Text  `json:"error"`
	Patch      *view.Text  `json:"patch"`
}

// Record returns a rewind of a session as it is encoded.
func (r *Rewound) Record(session string) RewoundRecord {
	out := RewoundRecord{view.Text(session), view.TextOrNull(r.Root), make([]RewoundFileRecord, len(r.Files)), view.TextOrNull(r.From), view.TextOrNull(r.To), view.TextOrNull(r.Marker)}
	for i := range r.Files {
		f := &r.Files[i]
		file := RewoundFileRecord{File: view.Text(f.Name), Restored: f.Done, Trash: view.TextOrNull(f.Trash), Unrecorded: f.Unrecorded, Others: []view.Text{}}
		for k := range f.Others {
			file.Others = append(file.Others, view.Text(f.Others[k].ID))
		}
		if f.Err != nil {
			file.Error = view.TextOrNull(f.Err.Error())
		} else {
			file.Patch = view.TextOrNull(string(f.Patch()))
		}
		out.Files[i] = file
	}
	return out
}
