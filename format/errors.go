package format

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Errors of session files, for use with errors.Is.
var (
	// ErrSyntax means that a line is damaged: it is not a JSON object.
	ErrSyntax = errors.New("malformed line")
	// ErrTorn means that the file ends inside a line: a write was cut short.
	ErrTorn = errors.New("torn final line")
	// ErrTooNew means that a newer program wrote the file. It is not damaged.
	ErrTooNew = errors.New("format is newer than this pith; upgrade pith")
	// ErrNotSession means that the file is not a session.
	ErrNotSession = errors.New("not a session")
)

// A LineError locates a fault in a session file.
type LineError struct {
	Line   int   // 1-based, counting every physical line
	Offset int64 // offset of the first byte of the line
	Err    error // wraps ErrSyntax, ErrTorn, ErrTooNew or ErrNotSession
}

func (e *LineError) Error() string {
	return fmt.Sprintf("line %d (byte %d): %v", e.Line, e.Offset, e.Err)
}

// Unwrap returns the fault, so that errors.Is finds the sentinel.
func (e *LineError) Unwrap() error { return e.Err }

// A ValueError reports an invalid value.
type ValueError struct {
	Name  string // what the value is: "session ID", "entry", "details", ...
	Value string // the value, if it is short
	Text  string // a sentence, for people
	Err   error  // the kind of error, for errors.Is
}

func (e *ValueError) Error() string { return e.Text }

// Unwrap returns the kind, so that errors.Is finds it.
func (e *ValueError) Unwrap() error { return e.Err }

// A ForeignError reports that a session belongs to another program and is
// read-only.
type ForeignError struct {
	Source   string // short name of the program
	Session  string // ID of the session
	Original string // file or database that holds the session
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("read-only: the session belongs to %s; continue in a copy", e.Source)
}

// shapeError returns the reason why line is not a JSON object; at is the offset
// of the fault.
func shapeError(line []byte, shape jsonl.Shape, at int) error {
	switch {
	case shape == jsonl.Other:
		return fmt.Errorf("%w: a JSON value that is not an object", ErrSyntax)
	case at >= len(line):
		return fmt.Errorf("%w: unexpected end after byte %d", ErrSyntax, len(line))
	default:
		return fmt.Errorf("%w: unexpected byte %#02x at byte %d of the line", ErrSyntax, line[at], at)
	}
}
