package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store"
)

// The codes of JSON-RPC itself, and those that this package uses by name. All
// codes are in kinds.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// errUnknownSession means that a handle was never issued.
var errUnknownSession = errors.New("no such session handle")

// A kind is a class of errors that a client can distinguish.
type kind struct {
	code    int
	name    string
	matches func(error) bool // nil for kinds without a Go error
}

// kinds is the table of the package comment. An error has the first kind that
// matches: causes come before errors that wrap them.
var kinds = []kind{
	{codeParse, "parse", nil},
	{codeInvalidRequest, "invalidRequest", nil},
	{codeUnknownMethod, "unknownMethod", nil},
	{-32004, "stale", isA[*pith.StaleError]},
	{-32003, "noEntry", is(pith.ErrNoEntry)},
	{-32008, "unknownSession", is(errUnknownSession)},
	{-32011, "closed", is(pith.ErrClosed, fs.ErrClosed, agent.ErrClosed)},
	{-32006, "tooNew", is(pith.ErrTooNew)},
	{-32002, "notSession", is(pith.ErrNotSession)},
	{-32005, "readOnly", isReadOnly},
	{-32012, "gone", is(store.ErrGone)},
	{-32013, "busy", isBusy},
	{-32015, "noModel", is(agent.ErrNoModel, userconfig.ErrNoModel, llm.ErrUnknown, llm.ErrNoKey, llm.ErrProtocol)},
	{-32016, "nothing", is(compact.ErrNothing, agent.ErrNothingToContinue)},
	{-32018, "vetoed", is(agent.ErrCancelled)},
	{-32017, "aborted", is(agent.ErrAborted)},
	{codeInvalidParams, "invalidParams", is(pith.ErrInvalid, ops.ErrNoPlace, agent.ErrEmptyPrompt, export.ErrOneLeaf, export.ErrOnePath, export.ErrWhole,
		blame.ErrBinary, blame.ErrTooLarge, blame.ErrSymlink, blame.ErrNotFile, blame.ErrOutside)},
	{-32019, "modelFailed", isA[*agent.AnswerError]},
	{-32020, "summaryFailed", isA[*summaryError]},
	{-32021, "leak", isA[*export.LeakError]},
	{-32022, "tooMany", is(errTooMany)},
	{-32009, "exists", is(pith.ErrExists, fs.ErrExist, export.ErrExists)},
	{-32010, "ambiguous", is(catalog.ErrAmbiguous)},
	{-32001, "notFound", is(fs.ErrNotExist, trash.ErrNotFound, blame.ErrNoProject, blame.ErrNotRecorded)},
	{-32014, "cancelled", is(context.Canceled, context.DeadlineExceeded)},
	{-32007, "io", failedOnFile},
	{codeInternal, "internal", func(error) bool { return true }},
}

func is(targets ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(targets, func(t error) bool { return errors.Is(err, t) })
	}
}

// isBusy reports whether another writer has the session, or the conversation is
// busy.
func isBusy(err error) bool {
	return is(store.ErrLocked, store.ErrConflict)(err) || isA[*agent.BusyError](err) || isA[*pith.HeldError](err)
}

// isReadOnly reports whether a session cannot be written, also because it is
// another program's.
func isReadOnly(err error) bool {
	return is(pith.ErrReadOnly, store.ErrReadOnly)(err) || isA[*format.ForeignError](err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// failedOnFile reports whether an error concerns a file, for any reason.
func failedOnFile(err error) bool {
	return isA[*pith.FileError](err) || isA[*store.LogError](err) || isA[*fs.PathError](err)
}

// A fault is an error as a client sees it.
type fault struct {
	code    int
	message string
	details object // members of data in addition to kind
}

func faultOf(err error) *fault {
	f := &fault{message: worded(err)}
	for _, k := range kinds {
		if k.matches != nil && k.matches(err) {
			f.code = k.code
			break
		}
	}
	if e, ok := errors.AsType[*ops.ParamError](err); ok {
		f.details = f.details.Text("param", e.Name)
	}
	if e, ok := errors.AsType[*pith.FileError](err); ok {
		f.details = f.details.Text("path", e.Path)
	}
	if e, ok := errors.AsType[*format.LineError](err); ok {
		f.details = f.details.Number("line", int64(e.Line)).Number("offset", e.Offset)
	}
	if e, ok := errors.AsType[*pith.StaleError](err); ok {
		f.details = f.details.Text("path", e.Path).Raw("entries", texts(e.Entries)).TextOrNull("leaf", e.Leaf)
	}
	if e, ok := errors.AsType[*catalog.AmbiguousError](err); ok {
		f.details = f.details.Raw("matches", matches(e.Matches))
	}
	return f
}

// worded returns the text of an error in pi's words, since pi's clients
// distinguish errors by their text. Other errors keep their text.
func worded(err error) string {
	if w, ok := errors.AsType[*piwire.Error](err); ok {
		return w.Words
	}
	value, _ := errors.AsType[*format.ValueError](err)
	file, _ := errors.AsType[*pith.FileError](err)
	param, _ := errors.AsType[*ops.ParamError](err)
	switch {
	case param != nil:
		return fmt.Sprintf("parameter %q: %s", param.Name, param.Problem)
	case value != nil && errors.Is(value, pith.ErrNoEntry):
		return "Entry " + value.Value + " not found"
	case value != nil && errors.Is(value, pith.ErrOffBranch):
		return "Entry " + value.Value + " is not on the active branch"
	case value != nil && errors.Is(value, pith.ErrNotEditable):
		return "Entry " + value.Value + " does not contribute editable model content"
	case errors.Is(err, pith.ErrSessionID):
		return "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"
	case file != nil && file.Op == "open" && errors.Is(err, pith.ErrNotSession):
		return "Session file is not a valid pi session: " + file.Path
	}
	return err.Error()
}

// matches returns the sessions that a client has to choose from.
func matches(infos []catalog.Info) []byte {
	var l list
	for _, i := range infos {
		l.add(object{}.Text("path", i.Path).Text("id", i.ID).Known("name", i.Name))
	}
	return l.end()
}

// panicked returns the fault of a request that caused a panic. The stack goes
// to the client, since the server keeps no log.
func panicked(p any) *fault {
	f := &fault{code: codeInternal, message: fmt.Sprintf("internal error: %v", p)}
	f.details = f.details.Text("stack", string(debug.Stack()))
	return f
}

func (f *fault) json() []byte {
	var data object
	for _, k := range kinds {
		if k.code == f.code {
			data = data.Text("kind", k.name)
		}
	}
	return object{}.Number("code", int64(f.code)).Text("message", f.message).Raw("data", data.Join(f.details))
}

// shortened returns a text of the client for an error message.
func shortened(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
