// Package pgstore keeps logs in PostgreSQL, so that programs on many machines
// can share them. It implements package store.
//
// A log is a row with its length, and chunks of bytes that never change. An
// append is one statement that writes only if the log has the length that the
// caller expects. Nothing depends on the state of a connection: there are no
// advisory locks and no temporary tables. So it works through pgbouncer in
// transaction mode, where it stops using prepared statements by itself when
// they get lost.
//
// # Invariants
//
//	PG1  A chunk and the length that counts it are committed together.
//	PG2  A call that returned no error is durable, if the server's setting
//	     synchronous_commit is not off. Where it is, Sync makes it durable.
//	PG3  An append whose answer was lost is looked up, and not written twice. If
//	     the lookup fails too, the error matches ErrUncertain.
//	PG4  A replaced log stays readable through logs opened before, for
//	     Options.Keep.
//	PG5  No error contains a password.
//	PG6  Statements never use objects created by another user of the database,
//	     wherever the search path leads.
//
// # Assumptions
//
// The server is PostgreSQL 13 or newer, or is compatible with it. It does not
// lose acknowledged data (fsync is on).
//
// Stability: outside the core. Its exported names may still change.
package pgstore

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
)

// Options configure a Store. The zero value is ready to use.
type Options struct {
	// Schema is the schema of the tables. Empty means "pith".
	Schema string
	// NoMigrate leaves the tables unchanged: if they are old or missing,
	// Connect returns an error that matches pgschema.ErrOlder.
	NoMigrate bool
	// Functions makes the store call the functions that package pgteam creates
	// in the schema. Its user then needs no rights on the tables. With
	// NoMigrate, package pgteam checks the version of the tables.
	Functions bool
	// Patience is how long a call retries while the server cannot be reached,
	// such as during a restart. Zero means 5 seconds; a negative value means
	// that each call tries once.
	Patience time.Duration
	// Timeout is how long one statement may take. Zero means a minute.
	Timeout time.Duration
	// Keep is how long replaced logs stay readable through logs opened before.
	// Zero means a day.
	Keep time.Duration
}

// A Store keeps logs in a PostgreSQL database. Its methods, and those of its
// logs, are safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	sql     statements
	caretaker
	turns turns

	// unpinned is set if a pooler refused the settings of pin.
	unpinned atomic.Bool
	// unnamed is set if prepared statements get lost between calls: a pooler
	// between here and the server switches connections.
	unnamed atomic.Bool

	life context.Context // ends with Close
	end  context.CancelFunc
	once sync.Once
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.Lister        = (*Store)(nil)
	_ store.Remover       = (*Store)(nil)
	_ store.ContextReader = (*log)(nil)
)

// oldest is the oldest supported version of PostgreSQL.
const oldest = 13

//go:embed migrations/*.sql
var migrations embed.FS

// Connect connects to the database that a connection string names: a URL that
// starts with postgres://, or pairs such as "host=… dbname=…". Missing values
// come from the environment (PGHOST, PGUSER, PGSERVICE, …) as in PostgreSQL's
// own programs. Connect creates or updates the tables.
//
// The error is a *pgschema.VersionError if the tables are newer than this
// program, and a *ServerError if the server is too old.
func Connect(ctx context.Context, dsn string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, &Error{Op: "connect", Kind: ErrBadDSN} // pgx's error can quote a part of the password
	}
	o.setDefaults()
	s := &Store{options: o, sql: tableStatements(o.Schema)}
	if o.Functions {
		s.sql = functionStatements(o.Schema)
	}
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

// pin sets the search path of a new connection to schemas in which no other
// user can create objects, and limits how long a statement waits for a lock.
// Poolers may refuse such settings; statements do not rely on the search path
// alone.
func (s *Store) pin(_ context.Context, c *pgx.ConnConfig) error {
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

func (o *Options) setDefaults() {
	o.Schema = cmp.Or(o.Schema, "pith")
	o.Patience = cmp.Or(o.Patience, 5*time.Second)
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.Keep = cmp.Or(o.Keep, 24*time.Hour)
}

// begin checks the server's version and its tables.
func (s *Store) begin(ctx context.Context) error {
	component, err := Component()
	if err != nil {
		return err
	}
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
		switch {
		case s.options.NoMigrate && s.options.Functions:
			return nil
		case s.options.NoMigrate:
			_, err := pgschema.Check(ctx, s.pool, s.options.Schema, component)
			return err
		}
		return pgschema.Apply(ctx, s.pool, s.options.Schema, component)
	})
}

// Component returns the tables of logs.
func Component() (pgschema.Component, error) { return pgschema.FromFiles("log", migrations) }

func tooOld(version string) bool {
	var major int
	_, err := fmt.Sscanf(version, "%d", &major) // 15.18 (Debian …), 19beta1
	return err == nil && major < oldest
}

// Close cancels calls in progress, waits for background work and closes all
// connections. Logs opened from the store can no longer be used.
func (s *Store) Close() {
	s.once.Do(func() {
		s.end()
		s.caretaker.wait()
		s.pool.Close()
	})
}

// Open opens the log of that name.
func (s *Store) Open(ctx context.Context, name string) (store.Log, error) {
	l := &log{store: s, name: name}
	err := s.try(ctx, "open", name, func(ctx context.Context) error {
		var merged, size int64
		err := s.pool.QueryRow(ctx, s.sql.find, s.mode(), []byte(name)).Scan(&l.id, &l.gen, &size, &merged)
		if errors.Is(err, pgx.ErrNoRows) {
			return fs.ErrNotExist
		}
		l.size.Store(size)
		l.merged.Store(merged)
		return err
	})
	if err != nil {
		return nil, err
	}
	l.turn = s.turns.of(l.id)
	return l, nil
}

// A Found is a log that a statement of the caller found: see [Store.Do].
type Found struct {
	Name         string
	ID, Gen      int64
	Size, Merged int64
	Start        []byte // its first bytes; may be empty
}

// OpenFound opens a log without asking the database. The first Size returns
// f.Size.
func (s *Store) OpenFound(f Found) store.Log {
	l := &log{store: s, name: f.Name, id: f.ID, gen: f.Gen, start: f.Start, turn: s.turns.of(f.ID)}
	l.size.Store(f.Size)
	l.merged.Store(f.Merged)
	l.turn.setSize(f.Size)
	l.fresh.Store(true)
	return l
}

// Remove deletes the log of that name and its bytes immediately, even if
// another client has it open.
func (s *Store) Remove(ctx context.Context, name string) error {
	doubt := false // whether an earlier attempt may have removed it
	return s.try(ctx, "remove", name, func(ctx context.Context) error {
		var erased int
		err := s.pool.QueryRow(ctx, s.sql.erase, s.mode(), []byte(name)).Scan(&erased)
		switch {
		case err != nil:
			doubt = doubt || uncertain(err)
			return err
		case erased == 0 && !doubt:
			return fs.ErrNotExist
		}
		return nil
	})
}

// Do runs f with the store's connections and error handling: it retries while
// the server cannot be reached, and returns errors of this package. It is for
// callers with their own tables, which f must qualify with their schema,
// because the search path is pg_catalog.
func (s *Store) Do(ctx context.Context, op string, f func(ctx context.Context, pool *pgxpool.Pool) error) error {
	return s.try(ctx, op, "", func(ctx context.Context) error { return f(ctx, s.pool) })
}

// Schema returns the schema of the tables.
func (s *Store) Schema() string { return s.options.Schema }

// List yields the logs whose names have the prefix, sorted bytewise by name. It
// reads them in pages: logs created or removed during the iteration may be
// included or not. The sequence can be ranged over again. An error is yielded
// once and ends the sequence.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		from, end := []byte(prefix), afterPrefix(prefix)
		for {
			page, err := s.page(ctx, prefix, from, end)
			if err != nil {
				yield(store.Info{}, err)
				return
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
			}
			if len(page) < pageLength {
				return
			}
			from = append([]byte(page[len(page)-1].Name), 0) // the next possible name
		}
	}
}

// afterPrefix returns the first name after all names with the prefix, or nil.
func afterPrefix(prefix string) []byte {
	for end := []byte(prefix); len(end) > 0; end = end[:len(end)-1] {
		if last := len(end) - 1; end[last] < 0xff {
			end[last]++
			return end
		}
	}
	return nil
}

const pageLength = 10_000

// page returns logs whose names are not less than from, and less than end if it
// is not nil.
func (s *Store) page(ctx context.Context, prefix string, from, end []byte) (page []store.Info, err error) {
	err = s.try(ctx, "list", prefix, func(ctx context.Context) error {
		sql, args := s.sql.list, []any{s.mode(), from, end}
		if end == nil {
			sql, args = s.sql.listRest, args[:2]
		}
		rows, _ := s.pool.Query(ctx, sql, args...) // CollectRows returns the error
		page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (store.Info, error) {
			var name []byte
			var size int64
			err := row.Scan(&name, &size)
			return store.Info{Name: string(name), Size: size}, err
		})
		return err
	})
	return page, err
}

// mode returns the protocol for statements. Calls of functions are not
// prepared: the types of their arguments are known, commands use most of them
// once, and preparing one takes another round trip.
func (s *Store) mode() pgx.QueryExecMode {
	switch {
	case s.options.Functions:
		return pgx.QueryExecModeExec
	case s.unnamed.Load():
		return pgx.QueryExecModeCacheDescribe
	}
	return pgx.QueryExecModeCacheStatement
}
