package ops

// A RewoundRecord is the plan or the outcome of a rewind.
type RewoundRecord struct {
	Session string              `json:"id"`
	Root    string              `json:"root" empty:"null"`
	Files   []RewoundFileRecord `json:"files"`
	From    string              `json:"fromEntryId" empty:"null"`
	To      string              `json:"toEntryId" empty:"null"`
	Entry   string              `json:"entryId" empty:"null"` // the entry that was written
}

// A RewoundFileRecord is a file of a rewind.
type RewoundFileRecord struct {
	File       string   `json:"file"`
	Restored   bool     `json:"restored"`
	Trash      string   `json:"trashId" empty:"null"`
	Unrecorded bool     `json:"unrecordedChange"`
	Others     []string `json:"changedBySessions"`
	Error      string   `json:"error" empty:"null"`
	Patch      string   `json:"patch" empty:"null"`
}

// Record returns a rewind of a session as it is encoded.
func (r *Rewound) Record(session string) RewoundRecord {
	out := RewoundRecord{session, r.Root, make([]RewoundFileRecord, len(r.Files)), r.From, r.To, r.Marker}
	for i := range r.Files {
		f := &r.Files[i]
		file := RewoundFileRecord{File: f.Name, Restored: f.Done, Trash: f.Trash, Unrecorded: f.Unrecorded}
		for k := range f.Others {
			file.Others = append(file.Others, f.Others[k].ID)
		}
		if f.Err != nil {
			file.Error = f.Err.Error()
		} else {
			file.Patch = string(f.Patch())
		}
		out.Files[i] = file
	}
	return out
}
