package pith

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith/format"
)

var (
	// ErrReadOnly is what an append to a session opened read-only returns.
	ErrReadOnly = errors.New("session is open for reading only")
	// ErrClosed is what a method of a closed session that needs the file returns.
	ErrClosed = errors.New("session is closed")
	// ErrNoEntry means that an id names no entry of the session. The error is a
	// *format.ValueError that has the id.
	ErrNoEntry = errors.New("no such entry")
	// ErrRewriting means that the file became shorter under the session: another
	// program seems to be rewriting it. Nothing was lost; try again in a moment.
	ErrRewriting = errors.New("the file became shorter: another program is rewriting it; try again in a moment")
	// ErrNotDurable means that an entry was appended and is in the file, but that
	// the store could not make it durable, or not read it back. The id returned beside
	// it is valid.
	ErrNotDurable = errors.New("the entry is written but not durable")
	// ErrTooNew means that the file has a version that pith can read but must
	// not write.
	ErrTooNew = format.ErrTooNew
	// ErrNotSession means that a file is not a session. It was not touched.
	ErrNotSession = format.ErrNotSession
	// ErrExists means that a session of that id is already in the folder.
	ErrExists = errors.New("a session with this id exists")
	// ErrInvalid means that an argument cannot be right. Every kind below matches it;
	// the error is a *format.ValueError, which has the argument.
	ErrInvalid = errors.New("invalid argument")

	// ErrSessionID means that an id cannot be that of a session.
	ErrSessionID error = invalid("not a session id")
	// ErrNoFolder means that there is no folder for sessions: the working directory is
	// not known, or neither is where the user's files are.
	ErrNoFolder error = invalid("no folder for sessions")
	// ErrNotJSON means that a raw value of an entry is not JSON.
	ErrNotJSON error = invalid("not valid JSON")
	// ErrNotStored means that a message, or a compaction, is of a kind that the session
	// does not take.
	ErrNotStored error = invalid("of a kind that is not stored")
	// ErrOffBranch means that an entry is not on the path to the leaf.
	ErrOffBranch error = invalid("not on the active branch")
	// ErrNotEditable means that an entry has nothing that a context edit could change.
	ErrNotEditable error = invalid("no content that can be edited")
	// ErrEmptyPath means that there is no entry to copy.
	ErrEmptyPath error = invalid("no entry to extract")
	// ErrFilesOnly means that only sessions in files can be searched.
	ErrFilesOnly error = invalid("only files can be searched")
)

// invalid is a kind of ErrInvalid.
type invalid string

func (k invalid) Error() string { return string(k) }

// Is makes every kind match ErrInvalid.
func (k invalid) Is(target error) bool { return target == ErrInvalid }

// invalidf is an argument that cannot be right, of a kind. The text is a sentence for
// people.
func invalidf(kind error, name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: kind}
}

// A FileError says what could not be done with which file.
type FileError struct {
	Op   string // "open", "append to", ...
	Path string
	Err  error
}

func (e *FileError) Error() string {
	if named, ok := errors.AsType[namedError](e.Err); ok && named.LogName() == e.Path {
		return e.Err.Error() // it names the operation and the file
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Path, e.Err)
}

// A namedError is an error of a store whose text names the log.
type namedError interface {
	error
	LogName() string
}

func (e *FileError) Unwrap() error { return e.Err }

// A StaleError means that others have continued the conversation in the file
// since this session last looked, or have removed what an entry refers to, and that
// nothing was appended. The session has read what they wrote: call Follow to go on behind it, Stay to go on from
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

func noEntry(id string) error {
	return &format.ValueError{Name: "entry", Value: id, Text: fmt.Sprintf("%v: %q", ErrNoEntry, id), Err: ErrNoEntry}
}

// A Finding is something about a session's file that is not as it should be,
// and where. None of them keeps a session from opening.
type Finding struct {
	Line    int    // physical line, from 1
	Offset  int64  // of the byte, in the file
	EntryID string // of the entry concerned; "" when it is about none
	Code    string // stable name of the kind, for programs
	Text    string // a sentence, for people
}

// Findings are the faults of the session's file, with their places in the file as
// it is, in file order.
func (s *Session) Findings() []Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Finding
	faults := s.table.Faults
	if s.migrated != nil {
		faults = s.oldFaults
	}
	for _, f := range faults {
		out = append(out, Finding{f.Line, f.Offset, s.idOf(f.Entry), f.Kind.Code(), f.Kind.String()})
	}
	for _, f := range s.tree.Findings() {
		e := &s.table.Entries[f.Entry]
		at := e.Offset
		if s.migrated != nil {
			at = s.migrated.Below(at)
		}
		out = append(out, Finding{int(e.Line), at, s.table.ID(f.Entry), f.Kind.Code(), f.String()})
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return out
}
