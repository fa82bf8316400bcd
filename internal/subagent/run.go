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
	ToolCallID string `json:"toolCallId" empty:"null"`
	Tool       string `json:"tool"`
	// CallEntry and ResultEntry are the entries of the call and the result, or
	// "".
	CallEntry   string `json:"callEntryId" empty:"null"`
	ResultEntry string `json:"resultEntryId" empty:"null"`

	Mode   Mode   `json:"mode"`
	Status Status `json:"status"`
	// Context is fresh, fork or mixed: what the children knew about the
	// session.
	Context string `json:"context" empty:"null"`
	// RunID and AsyncID identify the call in the files of its producer.
	RunID    string `json:"runId" empty:"null"`
	AsyncID  string `json:"asyncId" empty:"null"`
	AsyncDir string
	// ArtifactsDir is the directory of the artifacts according to the result.
	ArtifactsDir string
	// Error is the text of the tool if the call itself failed.
	Error string `json:"error" empty:"null"`
	// Begun and Ended are the times of the two entries.
	Begun time.Time `json:"started"`
	Ended time.Time `json:"ended"`
	// Requested are the tasks that the call requested.
	Requested []Request `json:"requested"`
	// Reported is the usage that the result gives for all runs together. It
	// covers the same cost as theirs.
	Reported format.Spent
	// Unassigned is the part of Reported that no run accounts for. Read fills it.
	Unassigned format.Spent `json:"unassigned"`
	// Runs are the runs in the result, in its order.
	Runs []Run `json:"runs"`
}

// A Request is one task that a call requested.
type Request struct {
	Agent string `json:"agent"`
	Task  string `json:"task"`
	Model string
	Step  int `json:"step"` // of a chain, from 0
}

// A Run is one run of a subagent.
type Run struct {
	// Index is the child's number within its call.
	Index int `json:"index"`
	// RunID is the run's own name if it has one: in workflows, in nested runs
	// and in oh-my-pi.
	RunID string `json:"runId" empty:"null"`
	Agent string `json:"agent"`
	// Key is the name that a workflow gave the run.
	Key string `json:"key" empty:"null"`
	// Task is the task of the run, and TaskFrom where it was found; both may be
	// "".
	Task     string     `json:"task"`
	TaskFrom TaskSource `json:"taskFrom" empty:"null"`
	Context  string

	Status Status `json:"status"`
	// Reason is why the run did not end well, or "" if it is unknown.
	Reason   string `json:"reason" empty:"null"`
	Model    string `json:"model" empty:"null"`
	Thinking string `json:"thinking" empty:"null"`
	// Usage is the run's own, without that of nested runs.
	Usage     format.Spent  `json:"usage"`
	UsageFrom UsageSource   `json:"usageFrom" empty:"null"`
	Duration  time.Duration `json:"durationMs"` // 0 if unknown
	ToolCalls int           `json:"toolCalls"`
	Turns     int           `json:"turns"`
	Skills    []string      `json:"skills"`
	// Output is the answer in the result; it may be shortened.
	Output string `json:"output" empty:"null"`
	// Paths are the files that the result names.
	Paths []Path `json:"paths"`
	// Children are the nested runs that the result itself mentions.
	Children []Run `json:"children"`

	// The rest is filled by Read.

	// Bad means that the status is not a good end.
	Bad bool `json:"bad"`
	// Source is where the child's conversation is; its Kind is "" if there is
	// none. Tried are the places where it was looked up before.
	Source Source    `json:"source" empty:"null"`
	Tried  []Attempt `json:"tried"`
	// Session contains the facts of the child's own session, if there is one.
	Session *SessionFacts `json:"session"`
	// Calls are the invocations in the child's own session. Children that occur
	// there are removed from Children.
	Calls []Invocation `json:"calls"`
	// Unfollowed is the number of calls in the child's session that were not
	// followed because of a limit; Note names it.
	Unfollowed int    `json:"unfollowed"`
	Note       string `json:"note" empty:"null"`
	// Total is the sum of Usage and that of all runs below.
	Total format.Spent `json:"total"`

	messages []json.RawMessage // inline in the details
}

// SessionFacts are the facts in a child's session file.
type SessionFacts struct {
	ID      string `json:"id"`
	File    string `json:"path"`
	Name    string `json:"name" empty:"null"`
	Cwd     string
	Entries int `json:"entries"`
	// Forked means that the child started with a copy of its parent's history.
	Forked bool `json:"forked"`
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
	Kind PathKind `json:"kind"`
	Path string   `json:"path"` // as in the session
	// Gone means that it does not exist any more. Read fills it.
	Gone bool `json:"gone"`
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
