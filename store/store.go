// Package store is the contract of a keeper of byte logs: a file, a piece of
// memory, later a row of a database.
//
// A store knows nothing of what the bytes mean. It has no lines, no entries and
// no ids; it makes no copies of what it keeps and caches nothing. Package
// storetest holds the contract as tests, which every keeper passes.
//
// # Invariants
//
//	S1  Bytes of a log never change. A log only grows, or is replaced as a whole.
//	S2  An append states the length that the caller believes the log has. If it
//	    has another, nothing is written.
//	S3  An append that fails leaves nothing behind that a later append could
//	    run into.
//	S4  A new log and a replacement appear complete or not at all.
//	S5  A call whose context is done returns soon, with an error that matches
//	    the context's. Nothing was written then, unless the error says so.
//
// Stability: core. Its exported names stay.
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
	// ErrConflict says that a log is not as long as the caller believed. The
	// error that carries it is a *ConflictError.
	ErrConflict = errors.New("log was changed by another writer")

	// ErrGone says that a log was deleted, or that another log has taken its
	// name, since it was opened.
	ErrGone = errors.New("log was deleted or replaced")

	// ErrExist says that a name is taken. It matches fs.ErrExist too.
	ErrExist = fmt.Errorf("name is taken: %w", fs.ErrExist)

	// ErrReadOnly says that the keeper does not permit writing to this log or at
	// this place.
	ErrReadOnly = errors.New("log is read-only")

	// ErrDamaged says that a log does not hold as many bytes as it claims to have, or
	// that some in between are missing.
	ErrDamaged = errors.New("bytes of the log are missing")

	// ErrLocked says that another writer holds the log and did not let go of it
	// in time. Nothing was written; trying again is safe.
	ErrLocked = errors.New("log is locked by another writer")
)

// A ConflictError reports that a log has another length than the caller
// believed. Nothing was written. It matches ErrConflict.
type ConflictError struct {
	Name string // of the log
	Want int64  // the length that the caller gave
	Have int64  // the length that the log has
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s: %v: expected %d bytes, it has %d; read what changed, then try again",
		e.Name, ErrConflict, e.Want, e.Have)
}

// LogName is the log that the text names.
func (e *ConflictError) LogName() string { return e.Name }

// Is makes every ConflictError match ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// A LogError says what could not be done with which log.
type LogError struct {
	Op   string // "open", "append to", ...; "" where the caller says it
	Name string // of the log
	Err  error
}

func (e *LogError) Error() string {
	if e.Op == "" {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s %s: %v", e.Op, e.Name, e.Err)
}

func (e *LogError) Unwrap() error { return e.Err }

// LogName is the log that the text names.
func (e *LogError) LogName() string { return e.Name }

// A Log is one append-only sequence of bytes. Its methods may be called from
// several goroutines at once; after Close they return an error that matches
// fs.ErrClosed. A log that was replaced can still be read through a Log opened
// before.
type Log interface {
	io.ReaderAt

	// Size returns the present length, asked of the keeper each time. The error
	// matches ErrGone when the log was deleted or replaced since it was opened.
	Size(ctx context.Context) (int64, error)

	// Append writes p at the end, in one write, if the log is at bytes long.
	// Otherwise nothing is written and the error is a *ConflictError.
	//
	// Append returns the offset at which p starts. That is at, unless a writer
	// that takes no locks got in between the check and the write: then p is
	// whole at the offset returned, and the caller must read the bytes between.
	//
	// A failed or short write is cut back before Append returns; where that is
	// not possible the error says so, and the next Append reports a conflict.
	// Append does not keep p.
	Append(ctx context.Context, at int64, p []byte) (int64, error)

	// Sync makes all bytes appended so far durable.
	Sync(ctx context.Context) error

	// Close frees what the Log holds. It does not make anything durable.
	Close() error
}

// A Fill writes the content of a new log. Writes to w are buffered; an error
// that Fill returns undoes the whole operation and is passed on, wrapped.
type Fill func(w io.Writer) error

// Bytes is a Fill that writes p.
func Bytes(p []byte) Fill {
	return func(w io.Writer) error {
		_, err := w.Write(p)
		return err
	}
}

// Until is a Fill that ends with the context's error once that is done.
func (f Fill) Until(ctx context.Context) Fill {
	return func(w io.Writer) error { return f(writer{ctx.Err, w}) }
}

// A writer writes as long as nothing is wrong.
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

// Info is what a keeper that lists its logs tells of one.
type Info struct {
	Name string
	Size int64
}

// A Lister is a [Store] that can also tell which logs it has.
type Lister interface {
	// List yields the logs whose names begin with prefix, in the order of their
	// names. An error comes once, last.
	List(ctx context.Context, prefix string) iter.Seq2[Info, error]
}

// A Remover is a [Store] that can also delete logs.
type Remover interface {
	// Remove deletes a log and its bytes. Logs opened on it are gone; whether they
	// can still be read is up to the keeper. The error matches fs.ErrNotExist when
	// there is no log of that name.
	Remove(ctx context.Context, name string) error
}

// An Overwriter is a [Log] of which a stretch can be replaced in place. It is for the
// one line that a program keeps for being overwritten: everything else relies on
// bytes that never change.
type Overwriter interface {
	// Overwrite puts now in the place of the bytes was, which start at an offset and
	// are as many. The log keeps its length. If other bytes are there, nothing is
	// written and the error matches ErrConflict.
	Overwrite(ctx context.Context, at int64, was, now []byte) error
}

// A ContextReader is a [Log] that can be slow to read from, and that stops reading
// when a context is done.
type ContextReader interface {
	// ReadAtContext is ReadAt with a context.
	ReadAtContext(ctx context.Context, p []byte, off int64) (int, error)
}

// A Store keeps logs by name. Its methods may be called from several goroutines
// and processes at once. Every keeper takes any absolute file path as a name.
type Store interface {
	// Open opens a log that exists, for reading, and for appending where the
	// keeper permits it: a read-only log opens, and Append says why it cannot
	// write. Opening changes nothing. The error matches fs.ErrNotExist when
	// there is no log of that name.
	Open(ctx context.Context, name string) (Log, error)

	// Create publishes a new log with the content that fill writes: complete,
	// or not at all. When several callers create one name, one of them wins and
	// the others get an error that matches ErrExist. A log of length zero counts
	// as none: Create takes its name over.
	Create(ctx context.Context, name string, fill Fill) (Log, error)

	// Replace puts the content that fill writes in the place of the whole log
	// that old is, atomically, if that log is still size bytes long; the errors
	// are a *ConflictError, or match ErrGone. Fill may read old.
	//
	// With a backup name, the former content is kept there; the error matches
	// ErrExist if that name is taken by something else. Old stays open and is
	// gone from then on. Bytes that a writer without locks adds to old during
	// the exchange are carried over to the end of the new log, so its length
	// can exceed what fill wrote.
	Replace(ctx context.Context, old Log, size int64, fill Fill, backup string) (Log, error)
}
