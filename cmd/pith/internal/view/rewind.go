package view

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// A Rewound is the plan or the outcome of a rewind.
type Rewound struct {
	Session Text          `json:"id"`
	Root    *Text         `json:"root"`
	Files   []RewoundFile `json:"files"`
	From    *Text         `json:"fromEntryId"`
	To      *Text         `json:"toEntryId"`
	Entry   *Text         `json:"entryId"` // the entry that was written
}

// A RewoundFile is a file of a rewind.
type RewoundFile struct {
	File       Text   `json:"file"`
	Restored   bool   `json:"restored"`
	Trash      *Text  `json:"trashId"`
	Unrecorded bool   `json:"unrecordedChange"`
	Others     []Text `json:"changedBySessions"`
	Error      *Text  `json:"error"`
	Patch      *Text  `json:"patch"`
}

// RewoundOf converts a rewind of a session.
func RewoundOf(r *ops.Rewound, session string) Rewound {
	out := Rewound{Text(session), TextOrNull(r.Root), make([]RewoundFile, len(r.Files)), TextOrNull(r.From), TextOrNull(r.To), TextOrNull(r.Marker)}
	for i := range r.Files {
		f := &r.Files[i]
		file := RewoundFile{File: Text(f.Name), Restored: f.Done, Trash: TextOrNull(f.Trash), Unrecorded: f.Unrecorded, Others: []Text{}}
		for k := range f.Others {
			file.Others = append(file.Others, Text(f.Others[k].ID))
		}
		if f.Err != nil {
			file.Error = TextOrNull(f.Err.Error())
		} else {
			file.Patch = TextOrNull(string(f.Patch()))
		}
		out.Files[i] = file
	}
	return out
}
