// Package pgstore keeps logs in PostgreSQL, so that programs on many machines share
// them. It follows the contract of package store.
//
// A log is a row with its length, and chunks of bytes that never change. An append
// is one statement that writes only if the log has the length that the caller
// believes. Nothing depends on the state of a connection: no advisory locks, no
// temporary tables. So it works through pgbouncer in transaction mode, where it stops
// using prepared statements by itself when they get lost.
//
// # Invariants
//
//	PG1  A chunk and the length that counts it are committed together.
//	PG2  A call that returned no error is durable, if the server's setting
//	     synchronous_commit is not off. Where it is, Sync makes it durable.
//	PG3  An append whose answer was lost is looked for, and not written twice. If it
//	     cannot be looked for either, the error matches ErrUncertain.
//	PG4  A log that was replaced stays readable for those who have it open, for
//	     Options.Keep.
//	PG5  No error holds a password.
//	PG6  What another user of the database creates is not used by a statement,
//	     wherever the search path leads.
//
// # Assumptions
//
// The server is PostgreSQL 13 or newer, or speaks as one. It does not lose what it
// acknowledged (fsync is on).
//
// Stability: outside the core. Its exported names may still change.
package pgstore

import (
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

// Options change how a Store works. The zero value is ready for use.
type Options struct {
	// Schema is where the tables are. Empty means "pith".
	Schema string
	// NoMigrate leaves the tables as they are: if they are old or missing, Connect
	// fails with an error that matches pgschema.ErrOlder.
	NoMigrate bool
	// Functions makes the store call the functions that package pgteam creates in the
	// schema. Its user then needs no right to the tables.
	Functions bool
	// Patience is how long a call goes on trying while the server cannot be reached,
	// such as when it is started again. Zero means 5 seconds, less than zero that
	// each call tries once.
	Patience time.Duration
	// Timeout is how long one statement may take. Zero means a minute.
	Timeout time.Duration
	// Keep is how long logs that were replaced stay for those who have them open.
	// Zero means a day.
	Keep time.Duration
}

// A Store keeps logs in a PostgreSQL database. Its methods, and those of its logs,
// may be called from several goroutines.
type Store struct {
	pool    *pgxpool.Pool
	options Options
	sql     statements
	caretaker
	turns turns

	// unpinned is set when a pooler refused the settings of pin.
	unpinned atomic.Bool
	// unnamed is set when prepared statements get lost between calls: somebody
	// between here and the server changes its connections.
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

// oldest is the oldest version of PostgreSQL that the statements are written for.
const oldest = 13

//go:embed migrations/*.sql
var migrations embed.FS

// Connect connects to the database that a connection string names: a URL that begins
// with postgres://, or pairs such as "host=… dbname=…". What it does not say is taken
// from the environment (PGHOST, PGUSER, PGSERVICE, …) as PostgreSQL's own programs
// do. The tables are made, or brought up to date.
//
// The error is a *pgschema.VersionError when they are newer than this program, and a
// *ServerError when the server is too old.
func Connect(ctx context.Context, dsn string, o Options) (*Store, error) {
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, &Error{Op: "connect", Kind: ErrBadDSN} // what pgx says can quote a part of the password
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

// pin sets the search path of a new connection to schemas in which no other user can
// create objects, and limits how long a statement waits for a lock. Poolers may refuse
// such settings; statements do not rely on the search path alone.
func (s *Store) pin(_ context.Context, c *pgx.ConnConfig) error {
	delete(c.RuntimeParams, "search_path")
	if !s.unpinned.Load() {
		c.RuntimeParams["search_path"] = "pg_catalog, pg_temp"
		if c.RuntimeParams["lock_timeout"] == "" {
			c.RuntimeParams["lock_timeout"] = lockTimeout
		}
	}
	return nil
}

// lockTimeout is how long a statement waits for a lock of another user, unless
// the connection string says otherwise: longer than many writers of one log need to take
// turns.
const lockTimeout = "10s"

// settingsRefused reports whether a connection may have failed because of its settings:
// pgbouncer calls them a violation of the protocol.
func settingsRefused(err error) bool {
	var connect *pgconn.ConnectError
	var refused *pgconn.PgError
	return errors.As(err, &connect) && errors.As(err, &refused) && refused.Code == "08P01"
}

func (o *Options) setDefaults() {
	if o.Schema == "" {
		o.Schema = "pith"
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	if o.Keep == 0 {
		o.Keep = 24 * time.Hour
	}
}

// begin looks at the server and its tables.
func (s *Store) begin(ctx context.Context) error {
	component, err := pgschema.FromFiles("log", migrations)
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
		if s.options.NoMigrate {
			return pgschema.Check(ctx, s.pool, s.options.Schema, component)
		}
		return pgschema.Apply(ctx, s.pool, s.options.Schema, component)
	})
}

func tooOld(version string) bool {
	var major int
	_, err := fmt.Sscanf(version, "%d", &major) // 15.18 (Debian …), 19beta1
	return err == nil && major < oldest
}

// Close ends the calls that are under way, waits for the work in the background and
// closes all connections. Logs opened from the store cannot be used any more.
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

// Remove deletes the log of that name and its bytes, now: also for those who have it
// open.
func (s *Store) Remove(ctx context.Context, name string) error {
	doubt := false // whether an earlier try may have removed it
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

// Do runs f with the connections of the store as its own statements are run: again while
// the server cannot be reached, and with errors of this package. It is for callers with
// tables of their own, which f names with their schema: the search path is pg_catalog.
func (s *Store) Do(ctx context.Context, op string, f func(ctx context.Context, pool *pgxpool.Pool) error) error {
	return s.try(ctx, op, "", func(ctx context.Context) error { return f(ctx, s.pool) })
}

// Schema is where the tables are.
func (s *Store) Schema() string { return s.options.Schema }

// Info is what List tells of a log.
type Info = store.Info

// List yields the logs whose names begin with prefix, by their names, byte by byte.
// It reads some at a time: what is made or removed meanwhile may be there or not. It
// can be ranged over again. An error comes once, last.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		from, end := []byte(prefix), behind(prefix)
		for {
			page, err := s.page(ctx, prefix, from, end)
			if err != nil {
				yield(Info{}, err)
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

// behind is the first name behind all that begin with prefix; nil when there is none.
func behind(prefix string) []byte {
	for end := []byte(prefix); len(end) > 0; end = end[:len(end)-1] {
		if last := len(end) - 1; end[last] < 0xff {
			end[last]++
			return end
		}
	}
	return nil
}

const pageLength = 10_000

// page are logs whose names are not before from, and before end if there is one.
func (s *Store) page(ctx context.Context, prefix string, from, end []byte) (page []Info, err error) {
	err = s.try(ctx, "list", prefix, func(ctx context.Context) error {
		sql, args := s.sql.list, []any{s.mode(), from, end}
		if end == nil {
			sql, args = s.sql.listRest, args[:2]
		}
		rows, err := s.pool.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Info, error) {
			var name []byte
			var size int64
			err := row.Scan(&name, &size)
			return Info{Name: string(name), Size: size}, err
		})
		return err
	})
	return page, err
}

// mode is how statements are sent.
func (s *Store) mode() pgx.QueryExecMode {
	if s.unnamed.Load() {
		return pgx.QueryExecModeCacheDescribe
	}
	return pgx.QueryExecModeCacheStatement
}
