// Package exit defines how a command ends: the exit codes, and the errors of
// the command line that map to them.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store"
)

// ErrDeclined means that the user canceled the command.
var ErrDeclined = errors.New("nothing changed")

// ErrNoMatch means that a search found nothing. Like grep, pith then exits with
// code 1 and prints no error.
var ErrNoMatch = errors.New("no match")

// ErrNothingChosen means that the user left a chooser without a choice. pith then
// exits with code 1 and prints no error.
var ErrNothingChosen = errors.New("nothing chosen")

// A findingsError means that files have problems.
type findingsError struct{ error }

// The exit codes, as documented in docs/reference/conventions.md.
const (
	OK         = 0
	Failed     = 1
	Usage      = 2
	NotFound   = 3
	Ambiguous  = 4
	Conflict   = 5
	NotSession = 6
	ReadOnly   = 7
	Findings   = 8
	exitSignal = 128 // plus the number of the signal
)

// A usageError means that the command line is invalid.
type usageError struct {
	error
	namesHelp bool
}

// Usagef returns an error for an invalid command line.
func Usagef(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...)}
}

// Helpf is like Usagef for an error that refers to the help itself.
func Helpf(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...), namesHelp: true}
}

// NamesHelp reports whether an error refers to the help.
func NamesHelp(err error) bool {
	usage, ok := errors.AsType[usageError](err)
	return ok && usage.namesHelp
}

// AsUsage converts an error into one for an invalid command line.
func AsUsage(err error) error { return usageError{error: err} }

// A missingError means that something named does not exist.
type missingError struct{ error }

func (e missingError) Unwrap() error { return e.error }

// Missingf returns an error for something named that does not exist.
func Missingf(format string, args ...any) error { return missingError{fmt.Errorf(format, args...)} }

// An ambiguousError means that a name matches several things.
type ambiguousError struct{ error }

// Ambiguousf returns an error for a name that matches several things.
func Ambiguousf(format string, args ...any) error {
	return ambiguousError{fmt.Errorf(format, args...)}
}

// A conflictError means that something was not done because of others, or
// because of something that exists.
type conflictError struct{ error }

// Conflictf returns an error for something that was not done because of others,
// or because of something that exists.
func Conflictf(format string, args ...any) error { return conflictError{fmt.Errorf(format, args...)} }

// Findingsf returns an error for files with problems.
func Findingsf(format string, args ...any) error { return findingsError{fmt.Errorf(format, args...)} }

// A SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

func (e *SignalError) Code() int {
	if s, ok := e.Signal.(syscall.Signal); ok {
		return exitSignal + int(s)
	}
	return Failed
}

// Code returns the exit code for an error.
func Code(err error) int {
	if err == nil || isA[lostReader](err) {
		return OK
	}
	if signal, ok := errors.AsType[*SignalError](err); ok {
		return signal.Code()
	}
	switch {
	case isA[findingsError](err):
		return Findings
	case isA[usageError](err), errors.Is(err, pith.ErrInvalid):
		return Usage
	case isA[ambiguousError](err), errors.Is(err, catalog.ErrAmbiguous):
		return Ambiguous
	case isA[conflictError](err), isA[*pith.HeldError](err), isA[*pith.StaleError](err), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrLocked),
		errors.Is(err, store.ErrGone), errors.Is(err, pith.ErrExists), errors.Is(err, fs.ErrExist):
		return Conflict
	case isA[*format.ForeignError](err), errors.Is(err, pith.ErrTooNew), errors.Is(err, pith.ErrReadOnly), errors.Is(err, store.ErrReadOnly),
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, pith.ErrNotSession):
		return NotSession
	case isA[missingError](err), errors.Is(err, catalog.ErrNotFound), errors.Is(err, pith.ErrNoEntry),
		errors.Is(err, trash.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return NotFound
	}
	return Failed
}

// Silent reports whether an error needs no message: a search found nothing, the reader
// of the output is gone, or the user pressed Ctrl+C.
func Silent(err error) bool {
	return err == nil || errors.Is(err, ErrNoMatch) || errors.Is(err, ErrNothingChosen) || isA[lostReader](err) || saysSignal(err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// saysSignal reports whether an error only means that a signal arrived:
// anything that could not be written must be reported.
func saysSignal(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(e error) bool { return !saysSignal(e) })
	}
	return isA[*SignalError](err)
}

// CauseOf replaces an error that only means that ctx ended by its cause.
func CauseOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// A lostReader is the error of a result without a reader. Other pipes break
// too, such as that of a model's response.
type lostReader struct{ error }

func (e lostReader) Unwrap() error { return e.error }

// Unread marks the error of writing a result without a reader.
func Unread(err error) error { return lostReader{err} }
