package rpcserver

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/format"
)

// The codes of JSON-RPC itself, and those that this package uses by name. The others
// are in package ops.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInternal       = -32603
)

// protocol are the kinds of errors of JSON-RPC itself.
var protocol = []ops.Kind{{Name: "parse", Code: codeParse}, {Name: "invalidRequest", Code: codeInvalidRequest}, {Name: "unknownMethod", Code: codeUnknownMethod}}

// A fault is an error as a client sees it.
type fault struct {
	code    int
	message string
	details object // members of data in addition to kind
}

func faultOf(err error) *fault {
	f := &fault{code: ops.KindOf(err).Code, message: worded(err)}
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
	every := append(ops.Kinds(), protocol...)
	data = data.Text("kind", every[slices.IndexFunc(every, func(k ops.Kind) bool { return k.Code == f.code })].Name)
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
