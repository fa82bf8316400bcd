// Package edits finds the changes to files that sessions record.
//
// A coding agent changes a file by calling a tool, and its session keeps the call and
// the result. The package reads both and says what happened to the file: it was
// written, parts of it were replaced, it was removed or renamed, or the agent read it
// whole. A call whose result is an error or missing did nothing and is left out. Tools
// have many names and shapes; one table lists them.
//
// Sessions of every program are read in the form in which the catalog lists them. The
// package opens session files only. A path in a session is text: it is compared, never
// opened.
package edits

import "time"

// A Kind says what a call did to a file.
type Kind uint8

// The kinds.
const (
	Read    Kind = iota + 1 // the agent saw the whole content
	Write                   // the file got a content
	Replace                 // parts of the file were replaced
	Remove
	Move // from Path to To
)

// String returns what happened to the file.
func (k Kind) String() string {
	return [...]string{"", "read", "written", "edited", "removed", "renamed"}[k]
}

// A Change is what one call did to one file.
type Change struct {
	Kind Kind
	Path string // as the call names it
	To   string // of Move

	// Content is the whole file: as it was read, or after a Write. After a Replace it is
	// set only if HasAfter.
	Content  string
	HasAfter bool
	// Before is the whole file before the change, if HasBefore.
	Before    string
	HasBefore bool
	// New says that the file did not exist before a Write.
	New bool

	// Swaps and Hunks are two forms of the same replacements. Either may be empty.
	Swaps []Swap
	Hunks []Hunk
	// InSequence means that each swap applies to the outcome of the one before.
	InSequence bool
}

// A Swap replaces a text that occurs once, or everywhere if All.
type Swap struct {
	Old, New string
	All      bool
}

// A Hunk replaces lines. Both sides begin and end with the same context, if it has any.
type Hunk struct {
	Line     int // where Old begins, from 1; 0 if unknown
	Old, New []string
}

// An Event is a change with its place in a session.
type Event struct {
	Change
	Session int // index into the list of sessions
	Call    Span
	Result  Span
	// EntryID is the entry with the call, ResultID the one with the result.
	EntryID, ResultID string
	CallID, Tool      string
	Time              time.Time // of the result
}

// A Span is where a line is in a session file.
type Span struct{ At, Size int64 }
