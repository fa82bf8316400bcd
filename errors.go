package pith

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

var (
	// ErrReadOnly is returned by an append to a session opened read-only.
	ErrReadOnly = errors.New("session is read-only")
	// ErrClosed is returned by methods that need the file of a closed session.
	ErrClosed = errors.New("session is closed")
	// ErrNoEntry means that no entry of the session has the id. The error is a
	// *format.ValueError that holds the id.
	ErrNoEntry = errors.New("no such entry")
	// ErrRewriting means that the file became shorter while the session was
	// open. Another program is probably rewriting it. Nothing was lost; try
	// again in a moment.
	ErrRewriting = journal.ErrRewriting
	// ErrNotDurable means that an entry was appended to the file, but that the
	// store could not make it durable or could not read it back. The id
	// returned with the error is valid.
	ErrNotDurable = journal.ErrNotDurable
	// ErrTooNew means that pith can read the file's format version but must not
	// write it.
	ErrTooNew = format.ErrTooNew
	// ErrNotSession means that a file is not a session. The file was not
	// changed.
	ErrNotSession = format.ErrNotSession
	// ErrExists means that the directory already has a session with that id.
	ErrExists = errors.New("a session with this ID already exists")
	// ErrInvalid means that an argument is invalid. Every error below matches
	// it. The error is a *format.ValueError that holds the argument.
	ErrInvalid = errors.New("invalid argument")

	// ErrSessionID means that a string is not a valid session id.
	ErrSessionID error = invalid("invalid session ID")
	// ErrNoDir means that there is no directory for sessions, because either
	// the working directory or the home directory is unknown.
	ErrNoDir error = invalid("no session directory")
	// ErrNotJSON means that a raw value of an entry is not JSON.
	ErrNotJSON error = invalid("not valid JSON")
	// ErrNotStored means that the session does not store messages or
	// compactions of that kind.
	ErrNotStored error = invalid("kind is not stored")
	// ErrOffBranch means that an entry is not on the path to the leaf.
	ErrOffBranch error = invalid("not on the active branch")
	// ErrNotEditable means that an entry has no content that a context edit
	// could change.
	ErrNotEditable error = invalid("no editable content")
	// ErrEmptyPath means that a path has no entry to copy.
	ErrEmptyPath error = invalid("no entry to extract")
	// ErrFilesOnly means that only sessions in files can be searched.
	ErrFilesOnly error = invalid("only files can be searched")
)

// invalid is a kind of ErrInvalid.
type invalid string

func (k invalid) Error() string { return string(k) }

// Is makes every kind match ErrInvalid.
func (k invalid) Is(target error) bool { return target == ErrInvalid }

// invalidf returns an invalid-argument error of the given kind. The text is a
// sentence for people.
func invalidf(kind error, name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: kind}
}

// A FileError records a failed operation and the file that it concerns.
type FileError struct {
	Op   string // "open", "append to", ...
	Path string
	Err  error
}

func (e *FileError) Error() string {
	if named, ok := errors.AsType[namedError](e.Err); ok && named.LogName() == e.Path {
		return e.Err.Error() // the error already names the operation and the file
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
}

// A namedError is a store error whose text names the log.
type namedError interface {
	error
	LogName() string
}

func (e *FileError) Unwrap() error { return e.Err }

// A StaleError means that other writers continued the session since it was last
// read, or removed an entry that the append refers to. Nothing was appended.
// The session has read their changes: call Follow to continue after them, Stay
// to continue from the current leaf on a separate branch, or Branch to choose
// an entry. Then append again.
type StaleError struct {
	Path    string
	Entries []string // ids of the new entries, in file order
	Leaf    string   // the current leaf of the file
}

func (e *StaleError) Error() string {
	came := "1 new entry"
	if n := len(e.Entries); n != 1 {
		came = fmt.Sprintf("%d new entries", n)
	}
	return fmt.Sprintf("append to %s: another process continued this session: %s, now at %s; follow, stay or branch, then append again", e.Path, came, e.Leaf)
}

func noEntry(id string) error {
	return &format.ValueError{Name: "entry", Value: id, Text: fmt.Sprintf("%v: %q", ErrNoEntry, id), Err: ErrNoEntry}
}

// A Finding is a problem in a session file and its location. A finding never
// prevents a session from opening.
type Finding struct {
	Line    int    `json:"line"`                 // physical line, 1-based
	Offset  int64  `json:"offset"`               // byte offset in the file
	EntryID string `json:"entryId" empty:"null"` // id of the entry concerned, or ""
	Code    string `json:"code"`                 // stable name of the kind, for programs
	Text    string `json:"text"`                 // a sentence, for people
}
