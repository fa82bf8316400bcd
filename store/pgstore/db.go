package pgstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A DB is a connection to a database, without any tables. It is for callers
// with their own tables.
type DB struct {
	pool    *pgxpool.Pool
	options Options

	// unpinned is set if a pooler refused the settings of pin.
	unpinned atomic.Bool
	// unnamed is set if prepared statements get lost between calls: a pooler
	// between here and the server switches connections.
	unnamed atomic.Bool

	life context.Context // ends with Close
	end  context.CancelFunc
}

// oldest is the oldest supported version of PostgreSQL.
const oldest = 13

// Dial connects to the database that a connection string names: a URL that
// starts with postgres://, or pairs such as "host=… dbname=…". Missing values
// come from the environment (PGHOST, PGUSER, PGSERVICE, …) as in PostgreSQL's
// own programs. Of the options, it uses Schema, Patience and Timeout.
func Dial(ctx context.Context, dsn string, o Options) (*DB, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, &Error{Op: "connect", Kind: ErrBadDSN} // pgx's error can quote a part of the password
	}
	o.setDefaults()
	s := &DB{options: o}
	config.BeforeConnect = s.pin
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fault("connect", "", err)
	}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.begin(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (o *Options) setDefaults() {
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.Keep = cmp.Or(o.Keep, 24*time.Hour)
}

// Close cancels calls in progress and closes all connections.
func (s *DB) Close() {
	s.end()
	s.pool.Close()
}

// Do runs f with the connections and error handling: it retries while
// the server cannot be reached, and returns errors of this package. It is for
// callers with their own tables, which f must qualify with their schema,
// because the search path is pg_catalog.
func (s *DB) Do(ctx context.Context, op string, f func(ctx context.Context, pool *pgxpool.Pool) error) error {
	return s.try(ctx, op, "", func(ctx context.Context) error { return f(ctx, s.pool) })
}

// pin sets the search path of a new connection to schemas in which no other
// user can create objects, and limits how long a statement waits for a lock.
// Poolers may refuse such settings; statements do not rely on the search path
// alone.
func (s *DB) pin(_ context.Context, c *pgx.ConnConfig) error {
	delete(c.RuntimeParams, "search_path")
	if !s.unpinned.Load() {
		c.RuntimeParams["search_path"] = "pg_catalog, pg_temp"
		c.RuntimeParams["lock_timeout"] = cmp.Or(c.RuntimeParams["lock_timeout"], lockTimeout)
	}
	return nil
}

// lockTimeout is how long a statement waits for another user's lock, unless the
// connection string specifies it. It is longer than many writers of one log
// need to take turns.
const lockTimeout = "10s"

// settingsRefused reports whether a connection may have failed because of its
// settings: pgbouncer reports them as a protocol violation.
func settingsRefused(err error) bool {
	return errors.As(err, new(*pgconn.ConnectError)) && stateOf(err) == "08P01"
}

// begin checks the server's version.
func (s *DB) begin(ctx context.Context) error {
	return s.try(ctx, "connect", "", func(ctx context.Context) error {
		c, err := s.pool.Acquire(ctx)
		if settingsRefused(err) && !s.unpinned.Swap(true) {
			c, err = s.pool.Acquire(ctx)
		}
		if err != nil {
			return err
		}
		have := c.Conn().PgConn().ParameterStatus("server_version")
		c.Release()
		if tooOld(have) {
			return &ServerError{Have: have, Want: strconv.Itoa(oldest)}
		}
		return nil
	})
}

func tooOld(version string) bool {
	var major int
	_, err := fmt.Sscanf(version, "%d", &major) // 15.18 (Debian …), 19beta1
	return err == nil && major < oldest
}

// mode returns the protocol for statements.
func (s *DB) mode() pgx.QueryExecMode {
	if s.unnamed.Load() {
		return pgx.QueryExecModeCacheDescribe
	}
	return pgx.QueryExecModeCacheStatement
}

// transact runs f in a transaction. Unlike pgx.BeginFunc, it distinguishes a
// failed commit from earlier failures.
func (s *DB) transact(ctx context.Context, f func(tx pgx.Tx) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return &txError{err, false}
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback(ctx) // the first error is returned
		return &txError{err, false}
	}
	if err := tx.Commit(ctx); err != nil {
		return &txError{err, true}
	}
	return nil
}

// prepared calls f again, without prepared statements, if one was lost. A lost
// statement was not executed.
func (s *DB) prepared(f func() error) error {
	named := !s.unnamed.Load()
	err := f()
	if named && lostStatement(err) {
		s.unnamed.Store(true)
		err = f()
	}
	return err
}

// try calls f until it succeeds, fails permanently, or Options.Patience has
// passed. The error names the operation.
func (s *DB) try(ctx context.Context, op, name string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx) // also cancelled by Close
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	start := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.prepared(func() error { return s.inTime(ctx, f) })
		if err == nil {
			return nil
		}
		if s.life.Err() != nil {
			err = fs.ErrClosed
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

func (s *DB) inTime(ctx context.Context, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.options.Timeout)
	defer cancel()
	return f(ctx)
}
