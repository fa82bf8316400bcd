package treeview

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Note is what a row says about an entry.
type Note struct {
	Head, Text         string
	HeadTone, TextTone paint.Tone
	// Search is what a search looks at, in lower case.
	Search string
	// Silent marks an answer that says nothing and did not fail: a mere carrier of
	// tool calls, which their results tell of. It is shown only where the session stands.
	Silent bool
}

// Source is what the navigator needs. Its methods are called beside the screen.
type Source interface {
	// Notes are the notes of some entries, in their order.
	Notes(ctx context.Context, nodes []*pith.Node) ([]Note, error)
	// AllNotes sends the notes of all entries, piece by piece in file order, and
	// closes the channel behind the last one.
	AllNotes(ctx context.Context) <-chan Piece
	// Text is what copying an entry puts on the clipboard; "" when there is nothing.
	Text(ctx context.Context, n *pith.Node) (string, error)
	// Preview is an entry in full, as lines of at most that many cells.
	Preview(ctx context.Context, n *pith.Node, width int) ([][]paint.Span, error)
}

// A Piece is the notes of the entries from a position on.
type Piece struct {
	From  int
	Notes []Note
	Err   error // ends the notes
}

// Navigate is told when an entry was chosen.
type Navigate struct {
	EntryID string
	// Summarize asks for a summary of the branch that is left; Instructions say
	// what matters in it.
	Summarize    bool
	Instructions string
}

// AlreadyThere is told when the entry at which the session stands was chosen.
type AlreadyThere struct{}

// Closed is told when the navigator was left without a choice.
type Closed struct{}

// SetLabel is told when an entry is to be labelled; "" clears.
type SetLabel struct{ EntryID, Label string }

// Fork, Clone and Export are told when a new session, or a file, is to be made of
// the path to an entry.
type (
	Fork   struct{ EntryID string }
	Clone  struct{ EntryID string }
	Export struct{ EntryID string }
)
