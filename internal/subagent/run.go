package subagent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Mode names how the runs of one call belong together.
type Mode string

// The modes. A call that requested no run, but a list or a status, is
// management. The empty mode means that it is unknown.
const (
	Single     Mode = "single"
	Parallel   Mode = "parallel"
	Chain      Mode = "chain"
	Workflow   Mode = "workflow"
	Management Mode = "management"
)

// An Invocation is one call of a tool that runs subagents, with its results.
type Invocation struct {
	// ToolCallID is "" for runs that the user started with a command.
	ToolCallID string
	Tool       string
	// CallEntry and ResultEntry are the entries of the call and the result, or
	// "".
	CallEntry, ResultEntry string

	Mode   Mode
	Status Status
	// Context is fresh, fork or mixed: what the children knew about the
	// session.
	Context string
	// RunID and AsyncID identify the call in the files of its producer.
	RunID, AsyncID, AsyncDir string
	// ArtifactsDir is the directory of the artifacts according to the result.
	ArtifactsDir string
	// Requested are the tasks that the call requested.
	Requested []Request
	// Runs are the runs in the result, in its order.
	Runs []Run
	// Error is the text of the tool if the call itself failed.
	Error string
	// Reported is the usage that the result gives for all runs together. It
	// covers the same cost as theirs.
	Reported format.Spent
	// Unassigned is the part of Reported that no run accounts for. Read fills it.
	Unassigned format.Spent

	// Begun and Ended are the times of the two entries.
	Begun, Ended time.Time
}

// A Request is one task that a call requested.
type Request struct {
	Agent, Task, Model string
	Step               int // of a chain, from 0
}

// A Run is one run of a subagent.
type Run struct {
	// Index is the child's number within its call.
	Index int
	// RunID is the run's own name if it has one: in workflows, in nested runs
	// and in oh-my-pi.
	RunID string
	Agent string
	// Key is the name that a workflow gave the run.
	Key string
	// Task is the task of the run, and TaskFrom where it was found; both may be
	// "".
	Task     string
	TaskFrom TaskSource
	Context  string

	Status Status
	// Reason is why the run did not end well, or "" if it is unknown.
	Reason   string
	Model    string
	Thinking string
	// Usage is the run's own, without that of nested runs.
	Usage     format.Spent
	UsageFrom UsageSource
	Duration  time.Duration // 0 if unknown
	ToolCalls int
	Turns     int
	Skills    []string
	// Output is the answer in the result; it may be shortened.
	Output string
	// Paths are the files that the result names.
	Paths []Path

	// Children are the nested runs that the result itself mentions.
	Children []Run

	// The rest is filled by Read.

	// Source is where the child's conversation is; its Kind is "" if there is
	// none. Tried are the places where it was looked up before.
	Source Source
	Tried  []Attempt
	// Session contains the facts of the child's own session, if there is one.
	Session *SessionFacts
	// Calls are the invocations in the child's own session. Children that occur
	// there are removed from Children.
	Calls []Invocation
	// Unfollowed is the number of calls in the child's session that were not
	// followed because of a limit; Note names it.
	Unfollowed int
	Note       string
	// Total is the sum of Usage and that of all runs below.
	Total format.Spent

	messages []json.RawMessage // inline in the details
}

// SessionFacts are the facts in a child's session file.
type SessionFacts struct {
	ID, File, Name, Cwd string
	Entries             int
	// Forked means that the child started with a copy of its parent's history.
	Forked bool
}

// A TaskSource names where a task was found.
type TaskSource string

// The sources of a task.
const (
	TaskFromResult TaskSource = "result"
	TaskFromCall   TaskSource = "call"
	TaskFromChild  TaskSource = "child"
)

// A UsageSource names where the usage of a run was found.
type UsageSource string

// The sources of a usage.
const (
	UsageFromResult   UsageSource = "result"
	UsageFromMetadata UsageSource = "metadata"
	UsageFromChild    UsageSource = "child"
)

// A PathKind is the kind of a file that a result names.
type PathKind string

// The kinds of files.
const (
	PathSession    PathKind = "session"
	PathTranscript PathKind = "transcript"
	PathEvents     PathKind = "events"
	PathInput      PathKind = "input"
	PathOutput     PathKind = "output"
	PathMetadata   PathKind = "metadata"
	PathPatch      PathKind = "patch"
	PathAsync      PathKind = "async"
)

// A Path is a file or directory that a result names.
type Path struct {
	Kind PathKind
	Path string // as in the session
	// Gone means that it does not exist any more. Read fills it.
	Gone bool
}

// path returns the first path of a kind, or "".
func (r *Run) path(kind PathKind) string {
	for _, p := range r.Paths {
		if p.Kind == kind {
			return p.Path
		}
	}
	return ""
}

// addPath adds a path that is not there yet.
func (r *Run) addPath(kind PathKind, path string) {
	if path != "" && !slices.ContainsFunc(r.Paths, func(p Path) bool { return p.Kind == kind && p.Path == path }) {
		r.Paths = append(r.Paths, Path{Kind: kind, Path: path})
	}
}
