// Package sources reads the sessions of other coding agents.
//
// A foreign session is read through a translation into lines of version 3, as a
// session of an old version is read through its migration. The translation is a
// function of the program's own bytes: the same input gives the same lines and IDs,
// so that references, caches and imports stay valid while the session grows. The
// package never writes to a program's files.
//
// Each program has a package of its own that implements [Program]. [Mirror] keeps
// the translations of a root as files in the cache, where everything else reads
// them like any session.
package sources

import (
	"context"
	"time"
)

// A Program is a coding agent whose sessions can be read.
type Program interface {
	// Name is the short name that lists and filters use, such as "claude".
	Name() string
	// Title is the name of the product, such as "Claude Code".
	Title() string
	// Roots returns the paths under which the program may keep sessions: directories
	// or databases. It does no I/O, and most of them do not exist.
	Roots(e Environment) []string
	// Sessions lists the sessions under a root that exists. A session that cannot be
	// read is left out and named by the error; the others come with it.
	Sessions(ctx context.Context, root string) ([]Session, error)
	// Translate writes a session. It reads everything that can be read: a torn or
	// damaged line, a cycle or an unknown kind is no error.
	Translate(ctx context.Context, s Session, w *Writer) error
}

// An Environment is where a program looks for its directories.
type Environment struct {
	Home   string
	Getenv func(name string) string
}

// Env returns the value of a variable, or otherwise when it is not set.
func (e Environment) Env(name, otherwise string) string {
	if e.Getenv != nil {
		if v := e.Getenv(name); v != "" {
			return v
		}
	}
	return otherwise
}

// A Session is one session of a program as its root lists it.
type Session struct {
	// ID is the program's own name of the session. It is unique within the root.
	ID string
	// Path is the file or the database that holds the session.
	Path string
	// Parent is the ID of the session that this one was forked from or that
	// started it as a subagent; "" for none.
	Parent string
	// Stamp changes whenever the translation may.
	Stamp Stamp
	// Modified is when the session was last written.
	Modified time.Time
	// Listing is what the program wants to know again when it translates the session,
	// such as the other files of the root; nil for nothing.
	Listing any
}

// A Stamp is a cheap witness of a session's bytes.
type Stamp struct {
	Size int64 `json:"size"`
	Time int64 `json:"time"` // nanoseconds since 1970
	// Mark is anything else that a program needs, such as the time of a file that
	// holds titles.
	Mark string `json:"mark,omitempty"`
}
