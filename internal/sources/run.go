package sources

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Run is what the result of a call says of the subagent that the call started.
type Run struct {
	Session string // ID of the subagent's session in the same root
	Agent   string // kind of the subagent; "" if the program does not say
	Task    string
}

// Details adds a run to the details of a result, in the form in which subagents of pi
// report theirs. The session is named by its file, which lies beside the parent's.
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
