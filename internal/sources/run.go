package sources

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Run is the data in a tool result about the subagent that the call started.
type Run struct {
	Session string // ID of the subagent's session in the same root
	Agent   string // kind of the subagent; "" if it is not known
	Task    string
}

// Details adds a run to the details of a result, in the form that pi's
// subagents use. It names the session by its file, which is next to the
// parent's.
func (r Run) Details(details []byte) []byte {
	if jsonl.KindOf(details) != '{' {
		details = []byte("{}")
	}
	if _, taken := jsonl.Lookup(details, "results"); taken {
		return details
	}
	run := jsonl.AppendString([]byte(`[{"sessionFile":`), fileName(r.Session)+format.FileSuffix)
	if r.Agent != "" {
		run = jsonl.AppendString(append(run, `,"agent":`...), r.Agent)
	}
	if r.Task != "" {
		run = jsonl.AppendString(append(run, `,"task":`...), r.Task)
	}
	details = jsonl.Set(details, "results", append(run, "}]"...))
	return jsonl.Set(details, "mode", []byte(`"single"`))
}
