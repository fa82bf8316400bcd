package picker

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Scope says whose sessions are shown.
type Scope uint8

// The scopes.
const (
	Current Scope = iota // of the project
	All                  // of all projects
	scopeCount
)

// Sessions is what the picker needs. Its methods are called beside the screen
// and may take as long as they need, until their context ends.
type Sessions interface {
	// Load sends the sessions of a scope in batches, newest first as far as that is
	// known, and closes the channel behind the last one.
	Load(ctx context.Context, scope Scope) <-chan Batch
	// Delete moves a session to the trash. undo brings it back; nil when that
	// cannot be done from here. how says where it went, as a sentence.
	Delete(path string) (how string, undo func() error, err error)
	// Rename gives a session a name.
	Rename(path, name string) error
	// Preview is the last exchange of a session, as lines of at most that many cells.
	Preview(ctx context.Context, path string, width int) ([][]paint.Span, error)
	// Search finds the query in the text of sessions. Sessions that do not search
	// return nothing.
	Search(ctx context.Context, scope Scope, query string) ([]Hit, error)
}

// A Batch is a part of a list.
type Batch struct {
	Items []Item
	// Done and Total count files.
	Done, Total int
	// Unmarked says why the marks of sessions are not known.
	Unmarked error
	// Err ends the list.
	Err error
}

// A Hit is a session whose text fits a search.
type Hit struct {
	Path    string
	EntryID string // of the best place
	Snippet string // the text around it
}

// Open is told when a session was chosen. EntryID is the place that the search
// found; "" for none.
type Open struct {
	Path    string
	EntryID string
}

// Closed is told when the picker was left without a choice.
type Closed struct{}

// Fork, Clone and Export are told when a new session, or a file, is to be made of
// a session: of what comes before one of its messages, or of where it stands.
type (
	Fork   struct{ Path string }
	Clone  struct{ Path string }
	Export struct{ Path string }
)
