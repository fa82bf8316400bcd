// Package exit defines how a command ends: the exit codes, and the errors of
// the command line that map to them.
package exit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// ErrDeclined means that the user canceled the command.
var ErrDeclined = errors.New("nothing changed")

// ErrNoMatch means that a search found nothing. Like grep, pith then exits with
// code 1 and prints no error.
var ErrNoMatch = errors.New("no match")

// ErrNothingChosen means that the user left a chooser without a choice. pith then
// exits with code 1 and prints no error.
var ErrNothingChosen = errors.New("nothing chosen")

// The exit codes, as documented in docs/reference/conventions.md.
const (
	OK         = 0
	Failed     = ops.ExitFailed
	Usage      = ops.ExitUsage
	exitSignal = 128 // plus the number of the signal
)

// An Error is an error of the command line, with its exit code.
type Error struct {
	Err       error
	code      int
	namesHelp bool
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error without its code.
func (e *Error) Unwrap() error { return e.Err }

// Usagef returns an error for an invalid command line.
func Usagef(format string, args ...any) error { return AsUsage(fmt.Errorf(format, args...)) }

// AsUsage converts an error into one for an invalid command line.
func AsUsage(err error) error { return &Error{Err: err, code: Usage} }

// Helpf is like Usagef for an error that refers to the help itself.
func Helpf(format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), code: Usage, namesHelp: true}
}

// NamesHelp reports whether an error refers to the help.
func NamesHelp(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.namesHelp
}

// Missingf returns an error for something named that does not exist.
func Missingf(format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), code: ops.ExitNotFound}
}

// Ambiguousf returns an error for a name that matches several things.
func Ambiguousf(format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), code: ops.ExitAmbiguous}
}

// Conflictf returns an error for something that was not done because of others,
// or because of something that exists.
func Conflictf(format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), code: ops.ExitConflict}
}

// Findingsf returns an error for files with problems.
func Findingsf(format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), code: ops.ExitFindings}
}

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
	if e, ok := errors.AsType[*Error](err); ok {
		return e.code
	}
	return ops.KindOf(err).Exit
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
