package sources

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Remover is a Program that stores each session in files of its own, so that a
// session can be taken away and brought back.
type Remover interface {
	Program
	// Belongings returns what belongs to a session that Sessions listed under a
	// root. The error is a *PartError or a *NeededError if the session cannot be
	// taken away alone.
	Belongings(ctx context.Context, root string, s Session) (Belongings, error)
}

// Belongings are what belongs to one session and to no other.
type Belongings struct {
	// Whole is the directory of the session, or "" if Session.Path is not in a
	// directory of its own.
	Whole string
	// Also are other files and directories; they need not exist.
	Also []string
	// Lines are lines of a file that all sessions share. Each has its line break.
	Lines [][]byte
	// LinesOf is that file, or "".
	LinesOf string
}

// A Namer is a Program to which sessions can be given a name from outside.
type Namer interface {
	Program
	// Rename returns the changes of files that the program itself makes when a
	// user names a session, in their order.
	Rename(ctx context.Context, root string, s Session, name string, now time.Time) ([]Change, error)
}

// A Change is a change of one file.
type Change struct {
	Path string
	// Append is a line to add at the end of a file; nil if Replace or Do is set.
	Append []byte
	// Replace is the new content of an existing file.
	Replace []byte
	// Do makes any other change.
	Do func(ctx context.Context) error
}

// A Holder is a Program that records which of its processes has a session open.
type Holder interface {
	Program
	// Holder returns the PID of a process that has a session open, or 0.
	Holder(ctx context.Context, root string, s Session) int
}

// A Terminal is a Program that shows only by running that it uses a session: it keeps
// no file open and records nothing.
type Terminal interface {
	Program
	// Commands returns the names of its command.
	Commands() []string
}

// A Commander is a Program with a command that deletes sessions, for those that are
// not files.
type Commander interface {
	Program
	// DeleteCommand returns the command that deletes the session with an ID.
	DeleteCommand(id string) string
}

// A PartError means that a session is a part of another one.
type PartError struct{ Of string }

func (e *PartError) Error() string {
	return fmt.Sprintf("it belongs to session %s; remove that one", e.Of)
}

// A NeededError means that another session cannot be read without this one.
type NeededError struct{ By string }

func (e *NeededError) Error() string {
	return fmt.Sprintf("session %s continues it and cannot be read without it; remove that one first", e.By)
}

// ErrNoClear means that a program takes no empty name.
var ErrNoClear = errors.New("the program itself takes no empty name; give the session another one")
