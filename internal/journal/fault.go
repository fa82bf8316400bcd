package journal

import (
	"fmt"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A FaultKind is the kind of a fault in a line.
type FaultKind uint8

// The faults of lines. None of them hides a neighboring line.
const (
	FaultMalformed   FaultKind = iota + 1 // not JSON
	FaultTorn                             // the last line, cut off in the middle of a write
	FaultNoNewline                        // the last line is complete but has no line ending
	FaultFused                            // several records on one line; the complete ones were taken
	FaultPadded                           // NUL bytes around a complete record
	FaultNotObject                        // JSON, but not an object
	FaultNoType                           // an object without a type
	FaultNoMessage                        // a message entry without a message
	FaultExtraHeader                      // a second session header; ignored
	FaultNoID                             // an entry without an id
	FaultBadTime                          // a timestamp that is not a date
	FaultBOM                              // a byte order mark before the header
	FaultEarlyLine                        // an unreadable line before the header
	FaultTooLong                          // a line over jsonl.MaxLine
)

// faults has the stable name of each kind, for programs, and a sentence.
var faults = [...]struct{ code, text string }{
	FaultMalformed:   {"malformed", "not valid JSON, skipped"},
	FaultTorn:        {"torn", "torn last line (a write was cut off), left as it is"},
	FaultNoNewline:   {"no-newline", "last line has no newline; the next append starts a new line"},
	FaultFused:       {"fused", "several records on one line; the complete ones were read"},
	FaultPadded:      {"padded", "NUL bytes around a record, read without them"},
	FaultNotObject:   {"not-object", "a JSON value that is not an object, skipped"},
	FaultNoType:      {"no-type", "an object without a type"},
	FaultNoMessage:   {"no-message", "a message entry without a message"},
	FaultExtraHeader: {"extra-header", "a second session header, ignored"},
	FaultNoID:        {"no-id", "an entry without an ID"},
	FaultBadTime:     {"bad-time", "a timestamp that is not a date"},
	FaultBOM:         {"bom", "a byte order mark before the header, ignored"},
	FaultEarlyLine:   {"early-line", "an unreadable line before the header, skipped"},
	FaultTooLong:     {"too-long", "a line over 256 MB, skipped"},
}

func (k FaultKind) String() string { return faults[k].text }

// Code returns the kind's stable name, for programs.
func (k FaultKind) Code() string { return faults[k].code }

// ofTail reports whether the fault concerns the end of the log. A log has at
// most one such fault, and it is the last.
func (k FaultKind) ofTail() bool { return k == FaultTorn || k == FaultNoNewline }

// A Fault is one defect of a log, with its position.
type Fault struct {
	Kind   FaultKind
	Line   int   // physical line, from 1
	Offset int64 // of the first wrong byte, in the log
	Entry  int   // index of the entry concerned, or None
	Size   int64 // FaultTooLong: of the line
}

// Text returns a sentence about the line.
func (f Fault) Text() string {
	if f.Kind == FaultTooLong {
		return fmt.Sprintf("a line of %d MB, more than the %d MB that are read; skipped", f.Size>>20, jsonl.MaxLine>>20)
	}
	return f.Kind.String()
}

func (f Fault) String() string {
	return fmt.Sprintf("line %d, byte %d: %s", f.Line, f.Offset, f.Text())
}
