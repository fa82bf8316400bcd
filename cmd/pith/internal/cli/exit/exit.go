// Package exit is how a command ends: the exit codes, and the errors of the command
// line that stand for them.
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

// ErrDeclined ends a command that the user called off.
var ErrDeclined = errors.New("nothing was changed")

// A findingsError says that files are not as they should be.
type findingsError struct{ error }

// The exit codes, as docs/reference/json.md promises them.
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

// A usageError says that the command line cannot be right.
type usageError struct {
	error
	namesHelp bool
}

// Usagef is an error that says that the command line cannot be right.
func Usagef(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...)}
}

// Helpf is Usagef for an error that names the help itself.
func Helpf(format string, args ...any) error {
	return usageError{error: fmt.Errorf(format, args...), namesHelp: true}
}

// NamesHelp reports whether an error tells where help is.
func NamesHelp(err error) bool {
	var usage usageError
	return errors.As(err, &usage) && usage.namesHelp
}

// AsUsage makes of an error one that says that the command line cannot be right.
func AsUsage(err error) error { return usageError{error: err} }

// A missingError says that something that was named does not exist.
type missingError struct{ error }

// Missingf is an error that says that something that was named does not exist.
func Missingf(format string, args ...any) error { return missingError{fmt.Errorf(format, args...)} }

// An ambiguousError says that a name fits several things.
type ambiguousError struct{ error }

// Ambiguousf is an error that says that a name fits several things.
func Ambiguousf(format string, args ...any) error {
	return ambiguousError{fmt.Errorf(format, args...)}
}

// A conflictError says that something was not done because of what others did, or
// what is there.
type conflictError struct{ error }

// Conflictf is an error that says that something was not done because of what
// others did, or what is there.
func Conflictf(format string, args ...any) error { return conflictError{fmt.Errorf(format, args...)} }

// Findingsf is an error that says that files are not as they should be.
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

// Code is the code that an error ends the process with.
func Code(err error) int {
	var (
		usage     usageError
		missing   missingError
		ambiguous ambiguousError
		conflict  conflictError
		signal    *SignalError
		findings  findingsError
		held      *pith.HeldError
		stale     *pith.StaleError
		foreign   *format.ForeignError
	)
	switch {
	case err == nil, isUnread(err):
		return OK
	case errors.As(err, &signal):
		return signal.Code()
	case errors.As(err, &findings):
		return Findings
	case errors.As(err, &usage), errors.Is(err, pith.ErrInvalid):
		return Usage
	case errors.As(err, &ambiguous), errors.Is(err, catalog.ErrAmbiguous):
		return Ambiguous
	case errors.As(err, &conflict), errors.As(err, &held), errors.As(err, &stale), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrLocked),
		errors.Is(err, store.ErrGone), errors.Is(err, pith.ErrExists), errors.Is(err, fs.ErrExist):
		return Conflict
	case errors.As(err, &foreign), errors.Is(err, pith.ErrTooNew), errors.Is(err, pith.ErrReadOnly), errors.Is(err, store.ErrReadOnly),
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, pith.ErrNotSession):
		return NotSession
	case errors.As(err, &missing), errors.Is(err, catalog.ErrNotFound), errors.Is(err, pith.ErrNoEntry),
		errors.Is(err, trash.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return NotFound
	}
	return Failed
}

// Silent reports whether an error needs no words: the reader of the output
// had enough, or the user pressed Ctrl+C.
func Silent(err error) bool { return err == nil || isUnread(err) || saysSignal(err) }

func isUnread(err error) bool {
	var reader lostReader
	return errors.As(err, &reader)
}

// saysSignal reports whether an error says that a signal came, and nothing
// besides: what could not be written then must be told.
func saysSignal(err error) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(several.Unwrap(), func(e error) bool { return !saysSignal(e) })
	}
	var signal *SignalError
	return errors.As(err, &signal)
}

// CauseOf puts what ended the context in the place of an error that only says
// that it ended.
func CauseOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}

// A lostReader is the error of a result that nobody reads any more. Other pipes
// break too: that of a model's answer, say.
type lostReader struct{ error }

func (e lostReader) Unwrap() error { return e.error }

// Unread marks the error of writing a result that nobody reads any more.
func Unread(err error) error { return lostReader{err} }
