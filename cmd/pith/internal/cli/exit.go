package cli

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
	"github.com/pith-sessions/pith/housekeeping/trash"
	"github.com/pith-sessions/pith/store"
)

// The exit codes, as docs/cli.md promises them.
const (
	ExitOK         = 0
	ExitError      = 1
	ExitUsage      = 2
	ExitNotFound   = 3
	ExitAmbiguous  = 4
	ExitConflict   = 5
	ExitNotSession = 6
	ExitReadOnly   = 7
	ExitFindings   = 8
	exitSignal     = 128 // plus the number of the signal
)

// A usageError says that the command line cannot be right.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// A missingError says that something that was named does not exist.
type missingError struct{ error }

func missingf(format string, args ...any) error { return missingError{fmt.Errorf(format, args...)} }

// An ambiguousError says that a name fits several things.
type ambiguousError struct{ error }

func ambiguousf(format string, args ...any) error {
	return ambiguousError{fmt.Errorf(format, args...)}
}

// A conflictError says that something was not done because of what others did, or
// what is there.
type conflictError struct{ error }

// A SignalError is the cause of a context that a signal ended.
type SignalError struct{ Signal os.Signal }

func (e *SignalError) Error() string { return e.Signal.String() }

func (e *SignalError) code() int {
	if s, ok := e.Signal.(syscall.Signal); ok {
		return exitSignal + int(s)
	}
	return ExitError
}

// exitCode is the code that an error ends the process with.
func exitCode(err error) int {
	var (
		usage     usageError
		missing   missingError
		ambiguous ambiguousError
		conflict  conflictError
		signal    *SignalError
		findings  findingsError
	)
	switch {
	case err == nil, isUnread(err):
		return ExitOK
	case errors.As(err, &signal):
		return signal.code()
	case errors.As(err, &findings):
		return ExitFindings
	case errors.As(err, &usage), errors.Is(err, pith.ErrInvalid):
		return ExitUsage
	case errors.As(err, &ambiguous), errors.Is(err, catalog.ErrAmbiguous):
		return ExitAmbiguous
	case errors.As(err, &conflict), errors.Is(err, pith.ErrStale), errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrLocked),
		errors.Is(err, store.ErrGone), errors.Is(err, pith.ErrExists), errors.Is(err, fs.ErrExist):
		return ExitConflict
	case errors.Is(err, pith.ErrTooNew), errors.Is(err, pith.ErrReadOnly), errors.Is(err, store.ErrReadOnly),
		errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ExitReadOnly
	case errors.Is(err, pith.ErrNotSession):
		return ExitNotSession
	case errors.As(err, &missing), errors.Is(err, catalog.ErrNotFound), errors.Is(err, pith.ErrNoEntry),
		errors.Is(err, trash.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return ExitNotFound
	}
	return ExitError
}

// isSilent reports whether an error needs no words: the reader of the output
// had enough, or the user pressed Ctrl+C.
func isSilent(err error) bool { return err == nil || isUnread(err) || saysSignal(err) }

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

// causeOf puts what ended the context in the place of an error that only says
// that it ended.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return context.Cause(ctx)
	}
	return err
}
