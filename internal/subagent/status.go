package subagent

import "slices"

// A Status is how a run, or a call, ended.
type Status string

// The statuses.
const (
	OK          Status = "ok"
	Failed      Status = "failed"
	TimedOut    Status = "timed-out"
	Stopped     Status = "stopped"
	Interrupted Status = "interrupted"
	Rejected    Status = "rejected"
	Partial     Status = "partial"
	Skipped     Status = "skipped"
	Paused      Status = "paused"
	Detached    Status = "detached"  // it continued without its parent
	Continued   Status = "continued" // Atomic: another run continued it
	Background  Status = "background"
	Running     Status = "running" // when the result was written
	Pending     Status = "pending"
	NoResult    Status = "no-result" // the call has no result
	Unknown     Status = "unknown"
)

// Bad reports whether a run with this status did not complete its task. A run
// that may still be running is not bad.
func (s Status) Bad() bool {
	return slices.Contains([]Status{Failed, TimedOut, Stopped, Interrupted, Rejected, Partial}, s)
}

// open reports whether the status may have changed since it was written.
func (s Status) open() bool {
	return slices.Contains([]Status{Background, Running, Pending, NoResult, Unknown, Detached, Paused}, s)
}

// words maps the words that producers write as status or state.
var words = map[string]Status{
	"ok": OK, "success": OK, "succeeded": OK, "complete": OK, "completed": OK, "done": OK,
	"error": Failed, "failed": Failed, "failure": Failed,
	"timed-out": TimedOut, "timed_out": TimedOut, "timedOut": TimedOut, "timeout": TimedOut,
	"stopped": Stopped, "aborted": Stopped, "cancelled": Stopped, "canceled": Stopped,
	"interrupted": Interrupted, "rejected": Rejected, "partial": Partial, "skipped": Skipped,
	"paused": Paused, "detached": Detached, "continued": Continued,
	"running": Running, "started": Running, "queued": Pending, "pending": Pending,
}

// flags are members that decide the status, whatever the others are.
var flags = []struct {
	name   string
	status Status
}{
	{"timedOut", TimedOut}, {"stopped", Stopped}, {"aborted", Stopped}, {"interrupted", Interrupted}, {"detached", Detached},
}

// statusOf returns the status in the result of a run or a step. pi's example
// writes an exit code of -1 while a run is in progress.
func statusOf(r object) Status {
	for _, f := range flags {
		if r.is(f.name) {
			return f.status
		}
	}
	for _, word := range []string{r.text("status"), r.text("state"), r.object("execution").text("status")} {
		if s, known := words[word]; known {
			return s
		}
	}
	if code, ok := r.integer("exitCode"); ok {
		return exitStatus(r, code)
	}
	if success, ok := r.boolean("success"); ok {
		if success {
			return OK
		}
		return Failed
	}
	if r.text("error") != "" || r.text("errorMessage") != "" || r.text("processSignal") != "" {
		return Failed
	}
	if s, known := words[r.object("progress").text("status")]; known {
		return s
	}
	return Unknown
}

func exitStatus(r object, code int64) Status {
	switch reason := r.text("stopReason"); {
	case code == -1:
		return Running
	case reason == "aborted":
		return Stopped
	case code != 0, reason == "error":
		return Failed
	}
	return OK
}

// worst returns the status of a call with these runs: the first bad one, or
// else an open one, or else another.
func worst(runs []Run) Status {
	if len(runs) == 0 {
		return Unknown
	}
	for _, counts := range []func(Status) bool{Status.Bad, Status.open, func(s Status) bool { return s != OK }} {
		if i := slices.IndexFunc(runs, func(r Run) bool { return counts(r.Status) }); i >= 0 {
			return runs[i].Status
		}
	}
	return OK
}
