package doctor

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity is how bad a finding is.
type Severity uint8

const (
	// Note: good to know; nothing is wrong for the user.
	Note Severity = iota + 1
	// Warning: something is off and may show.
	Warning
	// Error: something is lost, hidden, or will be.
	Error
)

var severityNames = [...]string{Note: "note", Warning: "warning", Error: "error"}

func (s Severity) String() string { return severityNames[s] }

// A Finding is something about a file that is not as it should be.
type Finding struct {
	Code     Code
	Severity Severity
	File     string
	Line     int    // physical line, from 1; 0 when it is about the whole file
	Offset   int64  // of the byte, in the file
	EntryID  string // of the entry concerned; "" when it is about none
	What     string // what is there, as a phrase
	Means    string // what that means for the user, as a sentence without its end
	// Fix is what a repair does about it, as a phrase; "" when there is nothing to do.
	Fix string
}

// Fixable reports whether a repair does something about it.
func (f Finding) Fixable() bool { return f.Fix != "" }

func (f Finding) String() string {
	where := ""
	if f.Line > 0 {
		where = fmt.Sprintf("line %d, byte %d: ", f.Line, f.Offset)
	}
	return fmt.Sprintf("%s%s: %s (%s)", where, f.Severity, f.What, f.Code)
}

// A Report is what was found in one file.
type Report struct {
	File     string
	Size     int64
	Entries  int
	Version  int // of the format; 0 when the file is not a session
	Findings []Finding
}

// Count is how many findings are of a severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Fixable is how many findings a repair does something about.
func (r *Report) Fixable() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Fixable() {
			n++
		}
	}
	return n
}

// sort brings the findings into the order of the file.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Offset, b.Offset))
	})
}
