package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache/seal"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrBusy means that another process was writing for longer than a writer
	// waits. Nothing was written.
	ErrBusy = errors.New("another process is writing to the index")
	// ErrNewer means that a newer program made the database.
	ErrNewer = errors.New("the index was made by a newer version of this program")
	// ErrDamaged means that the database cannot be read any more.
	ErrDamaged = errors.New("the index is damaged")
)

// patience is how long a writer waits for another one.
const patience = 150 * time.Millisecond

// beginning is how long opening goes on trying while others make the same
// database. SQLite does not wait for that by itself: changing how it keeps its
// journal fails at once if another connection is there.
const beginning = time.Second

// A shape is the make of a database: its tables, and a number that rises with
// every change of them or of what is kept in them.
type shape struct {
	version int
	tables  string
	pragmas []string
}

// A database is one file and its connection.
type database struct {
	path  string
	shape shape
	key   *seal.Key

	mu  sync.Mutex // guards what follows
	sql *sql.DB
	// replaced says why an earlier file was put away; nil if it was not.
	replaced error
}

// openDatabase opens a database, makes it where there is none, and replaces it
// where it is of no use.
func openDatabase(path string, s shape) (*database, error) {
	key, err := seal.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("open the folder of the index: %w", err)
	}
	d := &database{path: path, shape: s, key: key}
	err = d.connect()
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

// connect opens the file. d.mu is held, or nobody else has d yet.
func (d *database) connect() error {
	// SQLite gives its other files the rights of this one.
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

// kind is what the values of a column are sealed as: those of one database are not
// valid in another.
func (d *database) kind(column string) string { return filepath.Base(d.path) + "/" + column }

// conn is the connection.
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

// prepare checks the make of the database, and makes the tables of a new one.
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
		return fmt.Errorf("%w: it is of an older version", ErrDamaged)
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

// replace puts an empty database in the place of this one. Processes that have
// the old one open go on with it and find the new one when they next start.
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

// ErrNowhere is for an index without a folder: where no home is known there is
// none, and the working directory is not the place for it.
var ErrNowhere = errors.New("no folder for the index is known; set HOME or XDG_CACHE_HOME")

// FilesOf are the files that a database at a path may consist of.
func FilesOf(path string) []string {
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// Remove deletes files of databases. That one does not exist is no error.
func Remove(files []string) error {
	var failed error
	for _, file := range files {
		if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// write runs one short transaction. After an error nothing of it is kept.
func (d *database) write(ctx context.Context, do func(*sql.Tx) error) error {
	return write(ctx, d.conn(), do)
}

func write(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return verdict(err)
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error says what happened
		return verdict(err)
	}
	return verdict(tx.Commit())
}

// clearing is how long emptying a database goes on trying while others write to it.
const clearing = 5 * time.Second

// clear empties the database, for all that have it open: files that others use are
// not removed under them.
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

// verdict turns an error of SQLite into one of this package.
func verdict(err error) error {
	var s *sqlite.Error
	if err == nil || !errors.As(err, &s) {
		return err
	}
	if s.Code() == sqlite3.SQLITE_IOERR_SHORT_READ {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	switch s.Code() & 0xff { // the rest says more than we need
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %v", ErrBusy, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_FORMAT,
		sqlite3.SQLITE_MISMATCH:
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}
