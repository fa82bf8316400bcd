// Package store defines the storage of byte logs: files, memory or rows of a
// database.
//
// A store does not interpret the bytes. It has no lines, entries or ids, makes
// no copies of its content and caches nothing. Package storetest contains the
// contract as tests, which every store passes.
//
// # Invariants
//
//	S1  Bytes of a log never change. A log only grows, or is replaced as a whole.
//	S2  An append states the length that the caller expects the log to have. If
//	    the log has another, nothing is written.
//	S3  A failed append leaves nothing behind that could corrupt a later append.
//	S4  A new log and a replacement appear complete or not at all.
//	S5  A call whose context is done returns soon, with an error that matches
//	    the context's. Then nothing was written, unless the error says so.
//
// Stability: core. Its exported names are stable.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
)

var (
	// ErrConflict means that a log does not have the length that the caller
	// expected. It is wrapped in a *ConflictError.
	ErrConflict = errors.New("log was changed by another writer")

	// ErrGone means that a log was deleted, or that another log took its name,
	// since it was opened.
	ErrGone = errors.New("log was deleted or replaced")

	// ErrExist means that a name is taken. It also matches fs.ErrExist.
	ErrExist = fmt.Errorf("name is taken: %w", fs.ErrExist)

	// ErrReadOnly means that the store does not permit writing to this log or
	// location.
	ErrReadOnly = errors.New("log is read-only")

	// ErrDamaged means that bytes of a log are missing.
	ErrDamaged = errors.New("bytes of the log are missing")

	// ErrLocked means that another writer held the log for too long. Nothing
	// was written; it is safe to try again.
	ErrLocked = errors.New("log is locked by another writer")
)

// A ConflictError means that a log does not have the length that the caller
// expected. Nothing was written. It matches ErrConflict.
type ConflictError struct {
	Name string // name of the log
	Want int64  // length expected by the caller
	Have int64  // actual length
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %v: expected %d bytes, it has %d; read the changes, then try again",
		e.Name, ErrConflict, e.Want, e.Have)
}

// LogName returns the name of the log in the error text.
func (e *ConflictError) LogName() string { return e.Name }

// Is makes every ConflictError match ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// A LogError records a failed operation and the log that it concerns.
type LogError struct {
	Op   string // "open", "append to", ...; "" if the caller adds it
	Name string // name of the log
	Err  error
}

func (e *LogError) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Name, e.Err)
}

func (e *LogError) Unwrap() error { return e.Err }

// LogName returns the name of the log in the error text.
func (e *LogError) LogName() string { return e.Name }

// A Log is an append-only sequence of bytes. Its methods are safe for
// concurrent use; after Close they return an error that matches fs.ErrClosed. A
// replaced log can still be read through a Log opened before.
type Log interface {
	io.ReaderAt

	// Size returns the current length as reported by the store. The error
	// matches ErrGone if the log was deleted or replaced since it was opened.
	Size(ctx context.Context) (int64, error)

	// Append writes p at the end, in one write, if the log is at bytes long.
	// Otherwise nothing is written and the error is a *ConflictError.
	//
	// Append returns the offset at which p starts. That is at, unless a writer
	// that takes no locks wrote between the check and the write: then p is
	// whole at the returned offset, and the caller must read the bytes between.
	//
	// A failed or short write is undone before Append returns. If that is not
	// possible, the error says so, and the next Append returns a conflict.
	// Append does not retain p.
	Append(ctx context.Context, at int64, p []byte) (int64, error)

	// Sync makes all bytes appended so far durable.
	Sync(ctx context.Context) error

	// Close releases the resources of the Log. It does not make anything
	// durable.
	Close() error
}

// A Fill writes the content of a new log. Writes to w are buffered. If Fill
// returns an error, the whole operation is undone and returns it, wrapped.
type Fill func(w io.Writer) error

// Bytes returns a Fill that writes p.
func Bytes(p []byte) Fill {
	return func(w io.Writer) error {
		_, err := w.Write(p)
		return err
	}
}

// Until returns a Fill that fails with the context's error once the context is
// done.
func (f Fill) Until(ctx context.Context) Fill {
	return func(w io.Writer) error { return f(writer{ctx.Err, w}) }
}

// A writer writes until wrong returns an error.
type writer struct {
	wrong func() error
	to    io.Writer
}

func (w writer) Write(p []byte) (int, error) {
	if err := w.wrong(); err != nil {
		return 0, err
	}
	return w.to.Write(p)
}

// Info describes a log in a list.
type Info struct {
	Name string
	Size int64
}

// A Lister is a [Store] that can list its logs.
type Lister interface {
	// List yields the logs whose names have the prefix, in the order of their
	// names. An error is yielded once and ends the sequence.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
}

// A Remover is a [Store] that can delete logs.
type Remover interface {
	// Remove deletes a log and its bytes. Open logs of that name return
	// ErrGone; whether they can still be read depends on the store. The error
	// matches fs.ErrNotExist if there is no log of that name.
	Remove(ctx context.Context, name string) error
}

// A ContextReader is a [Log] that can be slow to read, and whose reads can be
// cancelled.
type ContextReader interface {
	// ReadAtContext is ReadAt with a context.
	ReadAtContext(ctx context.Context, p []byte, off int64) (int, error)
}

// A Store keeps logs by name. Its methods are safe for concurrent use by
// several goroutines and processes. Every store accepts any absolute file path
// as a name.
type Store interface {
	// Open opens an existing log for reading, and for appending if the store
	// permits it: a read-only log can be opened, and Append returns the reason
	// why it cannot write. Opening changes nothing. The error matches
	// fs.ErrNotExist if there is no log of that name.
	Open(ctx context.Context, name string) (Log, error)

	// Create publishes a new log with the output of fill, complete or not at
	// all. If several callers create the same name, one of them succeeds and
	// the others get an error that matches ErrExist. An empty log does not
	// count: Create takes over its name.
	Create(ctx context.Context, name string, fill Fill) (Log, error)

	// Replace atomically replaces the content of old with the output of fill,
	// if the log is still size bytes long. Otherwise the error is a
	// *ConflictError or matches ErrGone. Fill may read old.
	//
	// With a backup name, the previous content is kept there; the error matches
	// ErrExist if that name is taken by another log. old stays open, and its
	// name now belongs to the new log. Bytes that a writer without locks adds
	// to old during the exchange are copied to the end of the new log, so it
	// can be longer than the output of fill.
	Replace(ctx context.Context, old Log, size int64, fill Fill, backup string) (Log, error)
}
