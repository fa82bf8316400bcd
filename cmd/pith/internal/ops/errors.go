package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store"
)

// The exit codes of the command, as documented in docs/reference/conventions.md.
const (
	ExitFailed     = 1
	ExitUsage      = 2
	ExitNotFound   = 3
	ExitAmbiguous  = 4
	ExitConflict   = 5
	ExitNotSession = 6
	ExitReadOnly   = 7
	ExitFindings   = 8
)

// Kind is a class of errors and its representation in every front end. Names and codes
// are stable.
type Kind struct {
	Name   string
	Code   int    // of JSON-RPC
	Exit   int    // of the command
	Status int    // of HTTP
	Advice string // for a model; "" means the text of the error
	is     func(error) bool
}

// ErrNotFound means that a reference names no session.
var ErrNotFound = catalog.ErrNotFound

// Errors of servers that keep sessions open for clients.
var (
	ErrUnknownSession = errors.New("no such session handle")
	ErrTooMany        = errors.New("too many sessions are open")
)

// SummaryError means that no summary was written and nothing has changed.
type SummaryError struct{ Err error }

func (e *SummaryError) Error() string { return e.Err.Error() }
func (e *SummaryError) Unwrap() error { return e.Err }

// Advice for models.
const (
	noEntry   = "No such entry. The outline tool lists entries; SESSION alone reads from the start."
	noSession = "The session no longer exists. The sessions tool lists all sessions."
	notOne    = "The file is no longer a session. The sessions tool lists all sessions."
)

// kinds is the table of errors. The first matching row counts, so causes come before
// the errors that wrap them.
var kinds = []Kind{
	{"stale", -32004, ExitConflict, 409, "", isA[*pith.StaleError]},
	{"noEntry", -32003, ExitNotFound, 404, noEntry, is(pith.ErrNoEntry)},
	{"unknownSession", -32008, ExitNotFound, 404, "", is(ErrUnknownSession)},
	{"closed", -32011, ExitFailed, 410, "", is(pith.ErrClosed, fs.ErrClosed, agent.ErrClosed)},
	{"tooNew", -32006, ExitReadOnly, 403, "", is(pith.ErrTooNew)},
	{"notSession", -32002, ExitNotSession, 404, notOne, is(pith.ErrNotSession)},
	{"readOnly", -32005, ExitReadOnly, 403, "", either(is(pith.ErrReadOnly, store.ErrReadOnly), isA[*format.ForeignError])},
	{"gone", -32012, ExitConflict, 410, "", is(store.ErrGone)},
	{"busy", -32013, ExitConflict, 409, "", either(is(store.ErrLocked, store.ErrConflict), isA[*agent.BusyError], isA[*pith.HeldError])},
	{"noModel", -32015, ExitFailed, 409, "", is(agent.ErrNoModel, userconfig.ErrNoModel, llm.ErrUnknown, llm.ErrNoKey, llm.ErrProtocol)},
	{"nothing", -32016, ExitFailed, 409, "", is(compact.ErrNothing, agent.ErrNothingToContinue)},
	{"vetoed", -32018, ExitFailed, 409, "", is(agent.ErrCancelled)},
	{"aborted", -32017, ExitFailed, 409, "", is(agent.ErrAborted)},
	{"invalidParams", -32602, ExitUsage, 400, "", is(pith.ErrInvalid, ErrNoPlace, agent.ErrEmptyPrompt, export.ErrOneLeaf, export.ErrOnePath,
		export.ErrWhole, blame.ErrBinary, blame.ErrTooLarge, blame.ErrSymlink, blame.ErrNotFile, blame.ErrOutside)},
	{"modelFailed", -32019, ExitFailed, 502, "", isA[*agent.AnswerError]},
	{"summaryFailed", -32020, ExitFailed, 502, "", isA[*SummaryError]},
	{"leak", -32021, ExitFindings, 409, "", isA[*export.LeakError]},
	{"tooMany", -32022, ExitFailed, 503, "", is(ErrTooMany)},
	{"exists", -32009, ExitConflict, 409, "", is(pith.ErrExists, fs.ErrExist, export.ErrExists)},
	{"ambiguous", -32010, ExitAmbiguous, 404, "", is(catalog.ErrAmbiguous)},
	{"notFound", -32001, ExitNotFound, 404, noSession, is(fs.ErrNotExist, catalog.ErrNotFound, trash.ErrNotFound, blame.ErrNoProject, blame.ErrNotRecorded)},
	{"cancelled", -32014, ExitFailed, 503, "", is(context.Canceled, context.DeadlineExceeded)},
	{"io", -32007, ExitReadOnly, 403, "", is(fs.ErrPermission, syscall.EROFS)},
	{"io", -32007, ExitFailed, 500, "", either(isA[*pith.FileError], isA[*store.LogError], isA[*fs.PathError])},
	{"internal", -32603, ExitFailed, 500, "", func(error) bool { return true }},
}

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindOf returns the kind of an error.
func KindOf(err error) Kind {
	return kinds[slices.IndexFunc(kinds, func(k Kind) bool { return k.is(err) })]
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func either(all ...func(error) bool) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(all, func(is func(error) bool) bool { return is(err) })
	}
}

// Explain returns an error in one sentence that says what to do. command returns a pith
// command as a person would type it.
func Explain(err error, command func(words ...string) string) string {
	text := err.Error()
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, store.ErrReadOnly) {
		text += "; check the permissions of the file and its directory"
	}
	if foreign, ok := errors.AsType[*format.ForeignError](err); ok {
		text = readOnly(foreign, command)
	}
	if held, ok := errors.AsType[*pith.HeldError](err); ok {
		text += fmt.Sprintf("; quit %s first, or pass --ignore-open", held.Program)
	}
	return text
}

// readOnly says why a session of another agent cannot be changed, and how to continue
// it.
func readOnly(e *format.ForeignError, command func(words ...string) string) string {
	if p, ok := all.Find(e.Source); ok {
		return fmt.Sprintf("%s sessions are read-only; import it first: %s", p.Title(), command("import", e.Session))
	}
	return fmt.Sprintf("%s sessions are read-only; continue in a fork: %s", e.Source, command("fork", e.Session))
}

// Short returns an error in words for a line of a screen.
func Short(err error) error {
	if held, ok := errors.AsType[*pith.HeldError](err); ok {
		why := "wrote to this session a moment ago"
		if held.Process != 0 {
			why = fmt.Sprintf("has this session open (process %d)", held.Process)
		}
		return fmt.Errorf("%s %s; quit %[1]s first, or pass --ignore-open", held.Program, why)
	}
	if foreign, ok := errors.AsType[*format.ForeignError](err); ok {
		return errors.New(readOnly(foreign, func(words ...string) string { return "pith " + strings.Join(words, " ") }))
	}
	if file, ok := errors.AsType[*pith.FileError](err); ok && errors.Is(err, pith.ErrNotSession) {
		return fmt.Errorf("%w: %s", pith.ErrNotSession, filepath.Base(file.Path)) // a line has no room for the path
	}
	return err
}

// Cause returns the cause of a failure without the path, which the caller
// prints.
func Cause(err error) error {
	if f := (*pith.FileError)(nil); errors.As(err, &f) {
		err = f.Err
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return err
}
