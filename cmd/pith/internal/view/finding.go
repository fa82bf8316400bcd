package view

import (
	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
)

// A Finding is a problem in a session file.
type Finding struct {
	Line    int    `json:"line"` // from 1; 0 for the whole file
	Offset  int64  `json:"offset"`
	EntryID *Text  `json:"entryId"`
	Code    string `json:"code"`
	Text    Text   `json:"text"`
}

// FindingsOf converts the findings of opening a session. It never returns nil.
func FindingsOf(s *pith.Session) []Finding {
	out := []Finding{}
	for _, f := range s.Findings() {
		out = append(out, Finding{f.Line, f.Offset, TextOrNull(f.EntryID), f.Code, Text(f.Text)})
	}
	return out
}

// A Diagnosis is a finding of the doctor.
type Diagnosis struct {
	Finding
	Severity string `json:"severity"`
	Means    Text   `json:"means"`
	Fix      *Text  `json:"fix"` // what a repair would do
}

// DiagnosisOf converts a finding of the doctor.
func DiagnosisOf(f *doctor.Finding) Diagnosis {
	return Diagnosis{
		Finding{f.Line, f.Offset, TextOrNull(f.EntryID), string(f.Code), Text(f.What)},
		f.Severity.String(), Text(f.Means), TextOrNull(f.Fix),
	}
}

// DiagnosesOf converts findings of the doctor. It never returns nil.
func DiagnosesOf(list []doctor.Finding) []Diagnosis {
	out := make([]Diagnosis, len(list))
	for i := range list {
		out[i] = DiagnosisOf(&list[i])
	}
	return out
}
