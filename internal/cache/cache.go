// Package cache keeps what pith has read of sessions in pith.db, a SQLite
// database in the user's cache directory: facts of files, responses of models,
// files that tools touched, and the words of entries.
//
// It owns the file and its tables; what the rows mean is up to the packages
// that read and write them. No session file is opened here.
//
// # Invariants
//
//	D1  The database is disposable. Deleting it loses only time, and no answer
//	    depends on whether a row is in it.
//	D2  A database that is damaged or of another version is replaced by an empty
//	    one. No other error deletes it: a full disk, too many open files or
//	    another process that is writing leave it as it is.
//	D3  Many processes share the database. A reader never waits for a writer.
//	D4  The database is readable only by its owner, in a private directory: see
//	    CheckPrivate.
package cache

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// version increases with every change of the tables and of the way their rows
// are made.
const version = 5

//go:embed schema.sql
var schema string

// Name is the name of the database in its directory.
const Name = "pith.db"

var (
	// ErrNowhere means that there is no directory for the database: without a
	// home directory there is none, and the working directory is not suitable.
	ErrNowhere = errors.New("no directory for the cache: set HOME or XDG_CACHE_HOME")
	// ErrBusy means that another process was writing for longer than a writer
	// waits. Nothing was written.
	ErrBusy = errors.New("another process is writing to the cache")
	// ErrDamaged means that the database must be replaced: SQLite, or a checksum,
	// says that it is damaged, or it has another version.
	ErrDamaged = errors.New("the cache is damaged or of another version")
)

const (
	// patience is the time that a writer waits for another one.
	patience = 150 * time.Millisecond
	// opening is the time for which opening waits for other processes that open
	// the database.
	opening = time.Second
	// connections is the number of goroutines that can use the database at once.
	connections = 4
)

// A DB is the open database. It is safe for concurrent use.
type DB struct {
	dir string

	mu       sync.Mutex // guards the fields below
	sql      *sql.DB
	file     fs.FileInfo // the file that is open
	replaced bool        // a damaged file was replaced
}

// Open opens the database in a directory. It creates both if they do not
// exist.
func Open(dir string) (*DB, error) {
	if dir == "" {
		return nil, ErrNowhere
	}
	if err := MakePrivate(dir); err != nil {
		return nil, fmt.Errorf("open the cache directory: %w", err)
	}
	d := &DB{dir: dir}
	if err := d.alone(d.connectOrReplace); err != nil {
		return nil, fmt.Errorf("open %s: %w", d.path(), err)
	}
	return d, nil
}

func (d *DB) path() string { return filepath.Join(d.dir, Name) }

// Files returns the paths of the files that the database in a directory may
// consist of.
func Files(dir string) []string {
	path := filepath.Join(dir, Name)
	return []string{path, path + "-wal", path + "-shm"}
}

// Close closes the database.
func (d *DB) Close() error { return d.conn().Close() }

// Replaced reports whether a damaged database was replaced by an empty one.
func (d *DB) Replaced() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.replaced
}

// Read calls do with a transaction that only reads. It sees the database as it
// is at one moment.
func (d *DB) Read(ctx context.Context, do func(*sql.Tx) error) error {
	return d.run(ctx, &sql.TxOptions{ReadOnly: true}, do)
}

// Write calls do with a transaction that writes. After an error nothing of it
// is stored.
func (d *DB) Write(ctx context.Context, do func(*sql.Tx) error) error {
	return d.run(ctx, nil, do)
}

func (d *DB) run(ctx context.Context, o *sql.TxOptions, do func(*sql.Tx) error) error {
	db := d.conn()
	err := transact(ctx, db, o, do)
	if errors.Is(err, ErrDamaged) {
		d.replace(db)
	}
	return err
}

func transact(ctx context.Context, db *sql.DB, o *sql.TxOptions, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return verdict(err)
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error is returned
		return verdict(err)
	}
	return verdict(tx.Commit())
}

// Reset replaces the database by an empty one. Processes that have it open go
// on with theirs until they end.
func (d *DB) Reset() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_ = d.sql.Close() // nothing in it is needed
	return d.alone(func() error { return errors.Join(d.remove(), d.connect()) })
}

func (d *DB) conn() *sql.DB {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sql
}

// replace replaces the database after an error of a connection to it, unless
// another goroutine or process has done so.
func (d *DB) replace(failed *sql.DB) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sql != failed || d.replaced { // once is enough: something else is wrong
		return
	}
	d.replaced = true
	_ = d.sql.Close() // nothing in it is needed
	err := d.alone(func() error {
		if now, err := os.Stat(d.path()); err == nil && os.SameFile(now, d.file) {
			if err := d.remove(); err != nil {
				return err
			}
		}
		return d.connectOrReplace()
	})
	if err != nil && d.sql == failed {
		return // every use of the closed database fails, and its callers do without
	}
}

// remove deletes the files of the database.
func (d *DB) remove() error {
	var failed error
	for _, file := range Files(d.dir) {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func (d *DB) connectOrReplace() error {
	err := d.connect()
	if errors.Is(err, ErrDamaged) {
		if err = d.remove(); err == nil {
			d.replaced = true
			err = d.connect()
		}
	}
	return err
}

// connect opens the file and creates its tables.
func (d *DB) connect() error {
	// SQLite gives its other files the permissions of this one. A file that
	// exists is not opened here: closing it would release the locks that this
	// process has on it.
	if f, err := os.OpenFile(d.path(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		f.Close() // nothing was written
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	file, err := os.Stat(d.path())
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", d.source())
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(connections)
	if err := prepare(db); err != nil {
		db.Close()
		return err
	}
	d.sql, d.file = db, file
	return nil
}

func (d *DB) source() string {
	q := url.Values{}
	q.Set("_busy_timeout", fmt.Sprint(patience.Milliseconds()))
	q.Set("_journal_mode", "WAL")
	q.Set("_synchronous", "NORMAL")
	q.Add("_pragma", "cache_size(-8000)")
	q.Set("_txlock", "immediate")
	path := filepath.ToSlash(d.path())
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// prepare checks the version of the database, and creates the tables of a new
// one.
func prepare(db *sql.DB) error {
	ctx := context.Background()
	var is int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil {
		return verdict(err)
	}
	switch is {
	case version:
		return nil
	case 0:
		return transact(ctx, db, nil, func(tx *sql.Tx) error {
			// Another process may have been faster.
			if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&is); err != nil || is == version {
				return err
			}
			_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d;", version))
			return err
		})
	}
	return ErrDamaged
}

// verdict converts an error of SQLite into one of this package. Only codes that
// say that the file is no sound database make it unusable.
func verdict(err error) error {
	var s *sqlite.Error
	if err == nil || !errors.As(err, &s) {
		return err
	}
	switch s.Code() & 0xff { // the primary code is enough
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%w: %v", ErrBusy, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return err
}

// alone calls do while no other process creates or deletes the database. A lock
// in a file of its own is needed, because deleting three files is not atomic.
func (d *DB) alone(do func() error) error {
	unlock, err := lock(d.path()+"-lock", opening)
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}
