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
	_ "embed" // for the tables
	"errors"
	"io/fs"
	"iter"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pith-sessions/pith/store"
)

// Options configure a Store. The zero value is ready to use.
type Options struct {
	// Schema is the schema of the tables. Empty means "pith".
	Schema string
	// NoMigrate leaves the tables unchanged: if they are old or missing,
	// Connect returns an error that matches ErrOlder.
	NoMigrate bool
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
	*DB
	sql   statements
	swept atomic.Int64 // when sweep ran last, in seconds
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.Lister        = (*Store)(nil)
	_ store.Remover       = (*Store)(nil)
	_ store.ContextReader = (*log)(nil)
)

//go:embed migrations/001_logs.sql
var step1 string

var tables = Tables{Component: "log", Steps: []string{step1}}

// Connect connects to the database that a connection string names: see [Dial].
// It creates or updates the tables.
//
// The error is a *VersionError if the tables are newer than this
// program, and a *ServerError if the server is too old.
func Connect(ctx context.Context, dsn string, o Options) (*Store, error) {
	o.Schema = cmp.Or(o.Schema, "pith")
	db, err := Dial(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	if o.NoMigrate {
		_, err = db.CheckTables(ctx, tables)
	} else {
		err = db.MakeTables(ctx, tables)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return &Store{DB: db, sql: statementsOf(o.Schema)}, nil
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
	return l, nil
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
