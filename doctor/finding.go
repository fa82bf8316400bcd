package doctor

import (
	"cmp"
	"fmt"
	"slices"
)

// A Severity is the severity of a finding.
type Severity uint8

const (
	// Note is for information only.
	Note Severity = iota + 1
	// Warning means that something is wrong and may be visible.
	Warning
	// Error means that something is lost or hidden, or will be.
	Error
)

var severityNames = [...]string{Note: "note", Warning: "warning", Error: "error"}

func (s Severity) String() string { return severityNames[s] }

// A Finding is a problem in a file.
type Finding struct {
	File     string
	Line     int      `json:"line"`                 // physical line, 1-based; 0 for the whole file
	Offset   int64    `json:"offset"`               // byte offset in the file
	EntryID  string   `json:"entryId" empty:"null"` // id of the entry concerned, or ""
	Code     Code     `json:"code"`
	What     string   `json:"text"` // description, as a phrase
	Severity Severity `json:"severity"`
	Means    string   `json:"means"` // consequence for the user, as a sentence without a period
	// Fix is the effect of a repair, as a phrase; "" if there is none.
	Fix string `json:"fix" empty:"null"`
}

// Fixable reports whether a repair changes something about it.
func (f Finding) Fixable() bool { return f.Fix != "" }

func (f Finding) String() string {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf("line %d, byte %d: ", f.Line, f.Offset)
	}
	return fmt.Sprintf("%s%s: %s (%s)", where, f.Severity, f.What, f.Code)
}

// A Report holds the findings of one file.
type Report struct {
	File     string
	Size     int64
	Entries  int
	Version  int // format version; 0 if the file is not a session
	Findings []Finding
}

// Count returns the number of findings of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Fixable returns the number of fixable findings.
func (r *Report) Fixable() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Fixable() {
			n++
		}
	}
	return n
}

func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offset, b.Offset))
	})
}
