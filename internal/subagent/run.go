package subagent

import (
	"encoding/json"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Mode is how the runs of one call belong together.
type Mode string

// The modes. A call that asked for no run, but for a list or a status, is
// management. The empty mode is that of a call that does not say.
const (
	Single     Mode = "single"
	Parallel   Mode = "parallel"
	Chain      Mode = "chain"
	Workflow   Mode = "workflow"
	Management Mode = "management"
)

// An Invocation is one call of a tool that runs subagents, and what came of it.
type Invocation struct {
	// ToolCallID is "" for runs that the user began with a command.
	ToolCallID string
	Tool       string
	// CallEntry and ResultEntry are the entries that hold the two; "" when there
	// is none.
	CallEntry, ResultEntry string

	Mode   Mode
	Status Status
	// Context is fresh, fork or mixed: what the children knew of the session.
	Context string
	// RunID and AsyncID name the call in the files of its producer.
	RunID, AsyncID, AsyncDir string
	// ArtifactsDir is where the result says that its artifacts are.
	ArtifactsDir string
	// Requested is what the call asked for.
	Requested []Request
	// Runs are what the result mentions, in its order.
	Runs []Run
	// Error is what the tool answered when the call itself failed.
	Error string
	// Reported is the usage that the result gives for all runs together. It is
	// about the same money as theirs.
	Reported format.Spent
	// Unassigned is the part of Reported that no run accounts for. Read fills it.
	Unassigned format.Spent

	// Begun and Ended are the times of the two entries.
	Begun, Ended time.Time
}

// A Request is one task that a call asked for.
type Request struct {
	Agent, Task, Model string
	Step               int // of a chain, from 0
}

// A Run is one subagent at work.
type Run struct {
	// Index is the child's number within its call.
	Index int
	// RunID is the run's own name where it has one: in workflows, in nested runs
	// and in oh-my-pi.
	RunID string
	Agent string
	// Key is the name that a workflow gave the run.
	Key string
	// Task is what the run was to do, and TaskFrom who says so; both may be "".
	Task     string
	TaskFrom TaskSource
	Context  string

	Status Status
	// Reason says why the run did not end well; "" when nobody does.
	Reason   string
	Model    string
	Thinking string
	// Usage is the run's own, without that of nested runs.
	Usage     format.Spent
	UsageFrom UsageSource
	Duration  time.Duration // 0 when it is not known
	ToolCalls int
	Turns     int
	Skills    []string
	// Output is the answer as the result has it; it may be shortened.
	Output string
	// Paths are the files that the result names.
	Paths []Path

	// Children are the nested runs that the result itself mentions.
	Children []Run

	// The rest is filled by Read.

	// Source is where the child's conversation is; its Kind is "" when it is
	// nowhere. Tried are the places where it was looked for before.
	Source Source
	Tried  []Attempt
	// Session is what the child's own session says of itself, where there is one.
	Session *SessionFacts
	// Calls are the invocations in the child's own session. Children that are
	// mentioned there are not in Children any more.
	Calls []Invocation
	// Unfollowed counts the calls in the child's session that were not looked at
	// because of a limit; Note says which.
	Unfollowed int
	Note       string
	// Total is Usage and that of all runs below.
	Total format.Spent

	messages []json.RawMessage // inline in the details
}

// SessionFacts are what a child's session file says.
type SessionFacts struct {
	ID, File, Name, Cwd string
	Entries             int
	// Forked says that the child began with a copy of its parent's history.
	Forked bool
}

// A TaskSource says where a task was found.
type TaskSource string

// The sources of a task.
const (
	TaskFromResult TaskSource = "result"
	TaskFromCall   TaskSource = "call"
	TaskFromChild  TaskSource = "child"
)

// A UsageSource says where the usage of a run was found.
type UsageSource string

// The sources of a usage.
const (
	UsageFromResult   UsageSource = "result"
	UsageFromMetadata UsageSource = "metadata"
	UsageFromChild    UsageSource = "child"
)

// A PathKind says what a file that a result names is for.
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

// A Path is a file or folder that a result names.
type Path struct {
	Kind PathKind
	Path string // as the session has it
	// Gone says that nothing is there any more. Read fills it.
	Gone bool
}

// path is the first path of a kind; "" when there is none.
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
	if path == "" {
		return
	}
	for _, p := range r.Paths {
		if p.Kind == kind && p.Path == path {
			return
		}
	}
	r.Paths = append(r.Paths, Path{Kind: kind, Path: path})
}
