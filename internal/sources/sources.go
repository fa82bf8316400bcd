// Package sources reads the sessions of other coding agents.
//
// A foreign session is read through a translation into lines of version 3, just
// as a session of an old version is read through its migration. The translation
// is a function of the program's own bytes: the same input gives the same lines
// and IDs, so that references, caches and imports stay valid while the session
// grows. Nothing here writes to a program's files but what a [Namer] describes and
// [UpdateSQLite].
//
// Each program has its own package, which implements [Program]. [List] lists the
// sessions of a root, whose lines are made when they are read: nothing translated
// is stored.
package sources

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"
)

// A Program is a coding agent whose sessions can be read.
type Program interface {
	// Name returns the short name that lists and filters use, such as "claude".
	Name() string
	// Title returns the name of the product, such as "Claude Code".
	Title() string
	// Roots returns the paths under which the program may store sessions:
	// directories or databases. It does no I/O, and most of them do not exist.
	Roots(e Environment) []string
	// Sessions lists the sessions under an existing root. A session that cannot
	// be read is left out and named by the error; the others are returned with
	// it.
	Sessions(ctx context.Context, root string) ([]Session, error)
	// Translate writes a session. It reads everything that is readable: a torn
	// or damaged line, a cycle or an unknown kind is not an error.
	Translate(ctx context.Context, s Session, w *Writer) error
}

// A Deleter is a Program that deletes sessions that were not written to for a
// long time.
type Deleter interface {
	Program
	// Retention returns how long it keeps them; false means forever.
	Retention(e Environment) (time.Duration, bool)
	// RetentionSetting names the setting that determines it.
	RetentionSetting() string
}

// An Environment determines where the directories of a program are.
type Environment struct {
	Home   string
	Getenv func(name string) string
}

// Root returns the path below the directory that a variable names, or else below
// a directory of the user's home; none if both are unknown.
func (e Environment) Root(variable, inHome string, below ...string) []string {
	dir := ""
	if e.Getenv != nil {
		dir = e.Getenv(variable)
	}
	if dir == "" && e.Home != "" {
		dir = filepath.Join(e.Home, inHome)
	}
	if dir == "" {
		return nil
	}
	return []string{filepath.Join(append([]string{dir}, below...)...)}
}

// A Session is one session of a program, as listed under its root.
type Session struct {
	// ID is the program's own name of the session. It is unique within the root.
	ID string
	// Path is the file or the database that contains the session.
	Path string
	// Parent is the ID of the session that this one was forked from or that
	// started it as a subagent, or "".
	Parent string
	// Stamp changes whenever the translation may change.
	Stamp Stamp
	// Modified is the time of the last write to the session.
	Modified time.Time
	// Listing is data that the program keeps from listing the session for
	// translating it, such as the other files of the root; it may be nil.
	Listing any
}

// FileSession returns the session in a file.
func FileSession(id, path string, info fs.FileInfo) Session {
	at := info.ModTime()
	return Session{ID: id, Path: path, Modified: at, Stamp: Stamp{Size: info.Size(), Time: at.UnixNano()}}
}

// Files calls each for the regular files below a directory, until it returns an
// error. It adds to failed why directories cannot be read, unless they are gone.
func Files(ctx context.Context, dir string, failed *[]error, each func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				*failed = append(*failed, err)
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		return each(path, info)
	})
}

// A Stamp shows cheaply whether a session's bytes have changed.
type Stamp struct {
	Size int64 `json:"size"`
	Time int64 `json:"time"` // nanoseconds since 1970
	// Mark is any other data that a program needs, such as the time of a file
	// with titles.
	Mark string `json:"mark,omitempty"`
}
