package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"github.com/pith-sessions/pith/internal/cache"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrBusy means that another process was writing for longer than a writer
	// waits. Nothing was written.
	ErrBusy = errors.New("another process is writing to the index")
	// ErrNewer means that a newer program created the database.
	ErrNewer = errors.New("the index was made by a newer version of this program")
	// ErrDamaged means that the database is unreadable.
	ErrDamaged = errors.New("the index is damaged")
)

// patience is the time that a writer waits for another one.
const patience = 150 * time.Millisecond

// beginning is the time for which opening is retried while other processes
// create the same database. SQLite does not wait for that: changing the journal
// mode fails immediately if there is another connection.
const beginning = time.Second

// A shape describes a database: its tables, and a version that increases with
// every change of the tables or of their content.
type shape struct {
	version int
	tables  string
	pragmas []string
}

// A database is one database file with its connection.
type database struct {
	path  string
	shape shape

	mu  sync.Mutex // guards the fields below
	sql *sql.DB
	// replaced is the reason why an earlier file was replaced, or nil.
	replaced error
}

// openDatabase opens a database. It creates one if there is none, and replaces
// one that is unusable.
func openDatabase(path string, s shape) (*database, error) {
	if err := cache.MakePrivate(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("open the index directory: %w", err)
	}
	d := &database{path: path, shape: s}
	err := d.connect()
	for start := time.Now(); errors.Is(err, ErrBusy) && time.Since(start) < beginning; err = d.connect() {
		time.Sleep(beginning / 100)
	}
	if errors.Is(err, ErrDamaged) {
		err = d.replace(err)
	}
	if err != nil {
		return nil, fmt.Errorf("open index %s: %w", path, err)
	}
	return d, nil
}

// connect opens the file. The caller must hold d.mu or be the only user of d.
func (d *database) connect() error {
	// SQLite gives its other files the permissions of this one.
	f, err := os.OpenFile(d.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	d.sql, err = sql.Open("sqlite", d.source())
	if err != nil {
		return err
	}
	d.sql.SetMaxOpenConns(1)
	if err := d.prepare(); err != nil {
		d.sql.Close()
		return err
	}
	return nil
}

func (d *database) conn() *sql.DB {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sql
}

func (d *database) whyReplaced() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replaced
}

func (d *database) source() string {
	q := url.Values{}
	q.Set("_busy_timeout", fmt.Sprint(patience.Milliseconds()))
	q.Set("_journal_mode", "WAL")
	q.Set("_synchronous", "NORMAL")
	for _, p := range d.shape.pragmas {
		q.Add("_pragma", p)
	}
	q.Set("_txlock", "immediate")
	path := filepath.ToSlash(d.path)
	if filepath.VolumeName(d.path) != "" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// prepare checks the version of the database, and creates the tables of a new
// one.
func (d *database) prepare() error {
	var version int
	if err := d.sql.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return verdict(err)
	}
	switch {
	case version == d.shape.version:
		return nil
	case version > d.shape.version:
		return ErrNewer
	case version > 0:
		return fmt.Errorf("%w: older version", ErrDamaged)
	}
	return write(context.Background(), d.sql, func(tx *sql.Tx) error {
		// Another process may have been faster.
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != 0 {
			return err
		}
		_, err := tx.Exec(d.shape.tables + fmt.Sprintf("PRAGMA user_version = %d;", d.shape.version))
		return err
	})
}

// replace replaces this database by an empty one. Processes that have the old
// one open continue with it and find the new one when they next start.
func (d *database) replace(reason error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replaced != nil {
		return reason // once is enough: something else is wrong
	}
	d.replaced = reason
	if d.sql != nil {
		d.sql.Close()
	}
	if err := Remove(FilesOf(d.path)); err != nil {
		return err
	}
	return d.connect()
}

// ErrNowhere means that there is no directory for an index: without a home
// directory there is none, and the working directory is not suitable.
var ErrNowhere = cache.ErrNowhere

// FilesOf returns the paths of the files that a database at a path may consist
// of.
func FilesOf(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal", path + string(AllRows), path + string(RecentRows)}
}

// Remove deletes database files. A missing file is not an error.
func Remove(files []string) error {
	var failed error
	for _, file := range files {
		if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// write runs one short transaction. After an error nothing of it is stored.
func (d *database) write(ctx context.Context, do func(*sql.Tx) error) error {
	return write(ctx, d.conn(), do)
}

func write(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return verdict(err)
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error is returned
		return verdict(err)
	}
	return verdict(tx.Commit())
}

// clearing is the time for which clearing a database is retried while other
// processes write to it.
const clearing = 5 * time.Second

// clear empties the database for every process that has it open. It does not
// remove files that other processes use.
func (d *database) clear(ctx context.Context, statements string) error {
	empty := func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements)
		return err
	}
	err := d.write(ctx, empty)
	for start := time.Now(); errors.Is(err, ErrBusy) && time.Since(start) < clearing && ctx.Err() == nil; err = d.write(ctx, empty) {
		time.Sleep(beginning / 100)
	}
	if errors.Is(err, ErrDamaged) {
		return d.replace(err)
	}
	return err
}

func (d *database) close() error { return d.conn().Close() }

// verdict converts an error of SQLite into one of this package.
func verdict(err error) error {
	var s *sqlite.Error
	if err == nil || !errors.As(err, &s) {
		return err
	}
	if s.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	switch s.Code() & 0xff { // the primary code is enough
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %v", ErrBusy, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_MISMATCH:
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}
