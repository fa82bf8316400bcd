package pith

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
)

var (
	// ErrReadOnly is what an append to a session opened read-only returns.
	ErrReadOnly = errors.New("session is open for reading only")
	// ErrClosed is what a method of a closed session that needs the file returns.
	ErrClosed = errors.New("session is closed")
	// ErrNoEntry means that an id names no entry of the session.
	ErrNoEntry = errors.New("no such entry")
	// ErrRewriting means that the file became shorter under the session: another
	// program seems to be rewriting it. Nothing was lost; try again in a moment.
	ErrRewriting = errors.New("the file became shorter: another program is rewriting it; try again in a moment")
	// ErrNotDurable means that an entry was appended and is in the file, but that
	// the store could not make it durable. The id returned beside it is valid.
	ErrNotDurable = errors.New("the entry is written but not durable")
	// ErrTooNew means that the file has a version that pith can read but must
	// not write.
	ErrTooNew = format.ErrTooNew
	// ErrNotSession means that a file is not a session. It was not touched.
	ErrNotSession = format.ErrNotSession
	// ErrExists means that a session of that id is already in the folder.
	ErrExists = errors.New("a session with this id exists")
	// ErrInvalid means that an argument cannot be right.
	ErrInvalid = errors.New("invalid argument")
)

// A FileError says what could not be done with which file.
type FileError struct {
	Op   string // "open", "append to", ...
	Path string
	Err  error
}

func (e *FileError) Error() string {
	if text := e.Err.Error(); strings.Contains(text, e.Path) {
		return text // the store has named the operation and the file already
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// A StaleError means that others have continued the conversation in the file
// since this session last looked, and that nothing was appended. The session
// has read what they wrote: call Follow to go on behind it, Stay to go on from
// the own leaf beside it, or Branch to choose a place; then append again.
type StaleError struct {
	Path    string
	Entries []string // ids of the entries that came, in file order
	Leaf    string   // where the file's conversation stands now
}

func (e *StaleError) Error() string {
	came := "1 new entry"
	if n := len(e.Entries); n != 1 {
		came = fmt.Sprintf("%d new entries", n)
	}
	return fmt.Sprintf("append to %s: somebody else continued this session: %s, now at %s; follow, stay beside, or branch, then append again", e.Path, came, e.Leaf)
}

func noEntry(id string) error { return fmt.Errorf("%w: %q", ErrNoEntry, id) }
