package pgstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
)

var (
	// ErrUnavailable says that the server cannot be reached, went away or has no
	// connection to give. Trying again later is safe.
	ErrUnavailable = errors.New("the database cannot be reached")
	// ErrRefused says that the server does not let this user in: a wrong password, a
	// database that is not there, no right to connect.
	ErrRefused = errors.New("the database refused the connection")
	// ErrBadDSN says that the connection string cannot be read.
	ErrBadDSN = errors.New("the connection string cannot be read; it is a postgres:// URL or pairs such as host=… dbname=…, and special characters of a password in a URL are written as %XX")
	// ErrFull says that the server has no room left.
	ErrFull = errors.New("the database has no room left")
	// ErrTimeout says that a statement took longer than Options.Timeout.
	ErrTimeout = errors.New("the database did not answer in time")
	// ErrUncertain says that the connection was lost after a change was sent and
	// before it was acknowledged: it may have been made or not. A later append at the
	// same length tells, by a conflict.
	ErrUncertain = errors.New("it is not known whether the change was made")
	// ErrBlocked says that another user held a lock for longer than a statement waits.
	ErrBlocked = errors.New("the tables are locked")
)

// A ServerError reports a server that is too old.
type ServerError struct {
	Have, Want string // versions of PostgreSQL
}

func (e *ServerError) Error() string {
	return fmt.Sprintf("the server is PostgreSQL %s; version %s or newer is needed", e.Have, e.Want)
}

// A BlockedError reports who holds a lock that a statement did not get. It matches
// ErrBlocked.
type BlockedError struct {
	Role    string // "" if it is not known who
	Process int
	Table   string
	Mode    string // as PostgreSQL calls it, such as "AccessExclusiveLock"
	Err     error  // what the server said
}

func (e *BlockedError) Error() string {
	if e.Role == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s (process %d) holds %s on %s", e.Role, e.Process, e.Mode, e.Table)
}

// Unwrap returns what the server said.
func (e *BlockedError) Unwrap() error { return e.Err }

// An Error is what went wrong in the database. It never holds a password.
type Error struct {
	Op   string // such as "append to"
	Name string // of the log; empty when it is not about one
	Kind error  // one of this package's or of package store, or nil
	Code string // SQLSTATE, when the server gave one
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

// LogName is the log that the text names; "" when it names none.
func (e *Error) LogName() string { return e.Name }

// fault names the operation and the log, then the kind of failure, then the cause.
func fault(op, name string, err error) error {
	var ours *Error
	var conflict *store.ConflictError
	switch {
	case err == nil || errors.As(err, &ours):
		return err
	case errors.As(err, &conflict):
		return fmt.Errorf("%s %w", op, conflict) // it names the log itself
	}
	e := &Error{Op: op, Name: name, Err: err}
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		e.Code, e.Err = refused.Code, refused
		if blocked := (*BlockedError)(nil); errors.As(err, &blocked) {
			e.Err = blocked
		}
	} else if connection(err) {
		// A socket that is not there must not look like a log that is not there.
		e.Err = errors.New(err.Error())
	}
	e.Kind = kindOf(err, e.Code)
	return e
}

// connection reports errors of making or using a connection.
func connection(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	cancelled := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return !cancelled && (errors.As(err, &connect) || errors.As(err, &network))
}

// kindOf is the sentinel for a failure; nil for those that say what they are.
func kindOf(err error, code string) error {
	switch {
	case code == "42501" || code == "25006":
		return store.ErrReadOnly // no right to write, or a standby
	case code == "3D000" || strings.HasPrefix(code, "28"):
		return ErrRefused
	case code == "53100":
		return ErrFull
	case code == lockNotAvailable:
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

// lockNotAvailable is the state of a statement that waited too long for a lock.
const lockNotAvailable = "55P03"

// blockedBy finds out who holds a lock on a table of the store.
func (s *Store) blockedBy(err error) error {
	ctx, cancel := context.WithTimeout(s.life, time.Second)
	defer cancel()
	e := &BlockedError{Err: err}
	_ = s.pool.QueryRow(ctx, `SELECT a.usename, a.pid, c.relname, l.mode FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
		JOIN pg_catalog.pg_database d ON d.oid = l.database AND d.datname = pg_catalog.current_database()
		JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1::pg_catalog.name AND c.relkind = 'r'::pg_catalog."char" AND l.granted AND l.pid <> pg_catalog.pg_backend_pid()
		ORDER BY l.mode = 'AccessExclusiveLock' DESC, l.mode = 'ExclusiveLock' DESC, a.xact_start LIMIT 1`,
		pgx.QueryExecModeExec, s.options.Schema).Scan(&e.Role, &e.Process, &e.Table, &e.Mode) // else it is not known
	return e
}

// transient reports whether trying again can help.
func transient(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "40001" || refused.Code == "40P01") {
		return true // lost against another transaction
	}
	return lostConnection(err)
}

// lostConnection reports whether there is no connection, or no longer.
func lostConnection(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code {
		case "57P01", "57P02", "57P03", "57P05", "53300", "08P01":
			return true // going down, crashed, starting up, closed when idle, too many connections, from pgbouncer
		}
		return strings.HasPrefix(refused.Code, "08")
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &connect):
		return true
	case answered(err):
		return false
	case errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// answered reports errors that are ours, not the connection's.
func answered(err error) bool {
	var server *ServerError
	var version *pgschema.VersionError
	return !connection(err) && (errors.As(err, &server) || errors.As(err, &version) ||
		errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrClosed) ||
		errors.Is(err, store.ErrGone) || errors.Is(err, store.ErrExist) || errors.Is(err, store.ErrConflict))
}

// uncertain reports whether a statement or transaction that failed may have been
// carried out.
func uncertain(err error) bool {
	var refused *pgconn.PgError
	var connect *pgconn.ConnectError
	var tx *txError
	switch {
	case errors.As(err, &tx) && !tx.committing:
		return false
	case errors.As(err, &refused):
		return lostConnection(err) && refused.Code != "57P03" && refused.Code != "53300"
	case errors.As(err, &connect) || answered(err):
		return false
	}
	return tx != nil || !pgconn.SafeToRetry(err)
}

// A txError is why a transaction failed.
type txError struct {
	error
	committing bool // the server was told to commit
}

func (e *txError) Unwrap() error { return e.error }

// transact runs f in a transaction. Unlike pgx's own it tells a failure to commit from
// those before.
func (s *Store) transact(ctx context.Context, f func(tx pgx.Tx) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return &txError{err, false}
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback(ctx) // the error that counts is the first
		return &txError{err, false}
	}
	if err := tx.Commit(ctx); err != nil {
		return &txError{err, true}
	}
	return nil
}

// lostStatement reports that a prepared statement is not where it was prepared, or
// is there already: somebody in between changes connections. Nothing was carried out.
func lostStatement(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && (refused.Code == "26000" || refused.Code == "42P05")
}

// try calls f until it succeeds, fails for good, or patience ends. The error names
// what was tried.
func (s *Store) try(ctx context.Context, op, name string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx) // ends with the store, too
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	start := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		named := !s.unnamed.Load()
		err := s.inTime(ctx, f)
		if err == nil {
			return nil
		}
		if named && lostStatement(err) {
			s.unnamed.Store(true)
			continue
		}
		if s.life.Err() != nil {
			err = fs.ErrClosed
		}
		if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) && refused.Code == lockNotAvailable {
			err = s.blockedBy(err)
		}
		if !transient(err) || time.Since(start)+pause > s.options.Patience {
			return fault(op, name, err)
		}
		select {
		case <-ctx.Done():
			return fault(op, name, err)
		case <-time.After(pause):
		}
	}
}

func (s *Store) inTime(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	return f(ctx)
}
