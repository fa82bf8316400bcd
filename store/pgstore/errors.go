package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pith-sessions/pith/store"
)

var (
	// ErrUnavailable means that the server cannot be reached, went away or has
	// no free connection. It is safe to try again later.
	ErrUnavailable = errors.New("the database cannot be reached")
	// ErrRefused means that the server refused the user: a wrong password, a
	// missing database, or no right to connect.
	ErrRefused = errors.New("the database refused the connection")
	// ErrBadDSN means that the connection string is invalid.
	ErrBadDSN = errors.New("invalid connection string; use a postgres:// URL or pairs like host=… dbname=…, and write special characters in a URL as %XX")
	// ErrFull means that the server has no space left.
	ErrFull = errors.New("the database is full")
	// ErrTimeout means that a statement took longer than Options.Timeout.
	ErrTimeout = errors.New("the database did not answer in time")
	// ErrUncertain means that the connection was lost after a change was sent
	// and before it was acknowledged: the change may have been made or not. If
	// it was, a later append at the same length returns a conflict.
	ErrUncertain = errors.New("unknown whether the change was made")
	// ErrBlocked means that another user held a lock for longer than a
	// statement waits.
	ErrBlocked = errors.New("the tables are locked")
	// ErrNewer means that a newer program made the tables.
	ErrNewer = errors.New("the tables are from a newer version")
	// ErrOlder means that the tables are old or missing, and were not to be
	// changed.
	ErrOlder = errors.New("the tables are missing or from an older version")
	// ErrForeign means that the schema belongs to an untrusted role: the owner
	// of a schema can drop and add objects in it.
	ErrForeign = errors.New("the schema belongs to another role")
)

// A VersionError means that this program cannot use the tables. It matches
// ErrNewer or ErrOlder.
type VersionError struct {
	Schema, Component string
	Have, Want        int // version found, and version that this program knows
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("schema %q: %v: %s has version %d, this program supports %d", e.Schema, e.Unwrap(), e.Component, e.Have, e.Want)
}

// Unwrap returns ErrNewer or ErrOlder.
func (e *VersionError) Unwrap() error {
	if e.Have > e.Want {
		return ErrNewer
	}
	return ErrOlder
}

// A ServerError means that the server is too old.
type ServerError struct {
	Have, Want string // versions of PostgreSQL
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("the server is PostgreSQL %s; version %s or newer is needed", e.Have, e.Want)
}

// An Error is an error of the database. It never contains a password.
type Error struct {
	Op   string // such as "append to"
	Name string // name of the log, or ""
	Kind error  // an error of this package or of package store, or nil
	Code string // SQLSTATE, if the server returned one
	Err  error  // the cause; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Name != "" {
		b.WriteString(" " + e.Name)
	}
	for _, part := range []error{e.Kind, e.Err} {
		if part != nil {
			b.WriteString(": " + part.Error())
		}
	}
	return b.String()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	var all []error
	for _, err := range []error{e.Kind, e.Err} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// LogName returns the name of the log in the error text, or "".
func (e *Error) LogName() string { return e.Name }

// fault returns an error that names the operation, the log, the kind of failure
// and the cause.
func fault(op, name string, err error) error {
	var conflict *store.ConflictError
	switch {
	case err == nil || errors.As(err, new(*Error)):
		return err
	case errors.As(err, &conflict):
		return fmt.Errorf("%s %w", op, conflict) // it already names the log
	}
	e := &Error{Op: op, Name: name, Err: err}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		e.Code, e.Err = refused.Code, refused
	} else if connection(err) {
		// A missing socket must not look like a missing log.
		e.Err = errors.New(err.Error())
	}
	e.Kind = kindOf(err, e.Code)
	return e
}

// connection reports whether err occurred while making or using a connection.
func connection(err error) bool {
	cancelled := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return !cancelled && (errors.As(err, new(*pgconn.ConnectError)) || errors.As(err, new(*net.OpError)))
}

// kindOf returns the sentinel for a failure, or nil if the error speaks for
// itself.
func kindOf(err error, code string) error {
	switch {
	case code == "42501" || code == "25006":
		return store.ErrReadOnly // no right to write, or a standby
	case code == "3D000" || strings.HasPrefix(code, "28"):
		return ErrRefused
	case code == "53100":
		return ErrFull
	case code == "55P03":
		return ErrBlocked
	case code == "57014":
		return ErrTimeout
	case lostConnection(err):
		return ErrUnavailable
	case errors.Is(err, context.DeadlineExceeded):
		return ErrTimeout
	}
	return nil
}

// transient reports whether a retry can succeed.
func transient(err error) bool {
	if state := stateOf(err); state == "40001" || state == "40P01" {
		return true // lost to another transaction
	}
	return lostConnection(err)
}

// lostConnection reports whether there is no connection, or no longer one.
func lostConnection(err error) bool {
	if state := stateOf(err); state != "" {
		switch state {
		case "57P01", "57P02", "57P03", "57P05", "53300":
			return true // shutdown, crash, startup, idle timeout, too many connections
		}
		return strings.HasPrefix(state, "08") // such as a protocol violation from pgbouncer
	}
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case errors.As(err, new(*pgconn.ConnectError)):
		return true
	case answered(err), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return errors.As(err, new(net.Error)) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// answered reports whether err is one of this package's, not the connection's.
func answered(err error) bool {
	return !connection(err) && (errors.As(err, new(*ServerError)) || errors.As(err, new(*VersionError)) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrClosed) ||
		errors.Is(err, store.ErrGone) || errors.Is(err, store.ErrExist) || errors.Is(err, store.ErrConflict))
}

// uncertain reports whether a failed statement or transaction may have been
// executed.
func uncertain(err error) bool {
	var tx *txError
	switch state := stateOf(err); {
	case errors.As(err, &tx) && !tx.committing:
		return false
	case state != "":
		return lostConnection(err) && state != "57P03" && state != "53300"
	case errors.As(err, new(*pgconn.ConnectError)) || answered(err):
		return false
	}
	return tx != nil || !pgconn.SafeToRetry(err)
}

type txError struct {
	error
	committing bool // whether COMMIT was sent
}

func (e *txError) Unwrap() error { return e.error }

// stateOf returns the SQLSTATE of the server's error, or "".
func stateOf(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

// lostStatement reports that a prepared statement is missing on the connection,
// or already exists: a pooler switches connections. Nothing was executed.
func lostStatement(err error) bool { return stateOf(err) == "26000" || stateOf(err) == "42P05" }
