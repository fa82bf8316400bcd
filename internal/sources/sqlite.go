package sources

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// patience is the time that a reader waits for a writer.
const patience = 2 * time.Second

// OpenSQLite opens a database that another program may be writing to. It is
// only read, together with its write-ahead log. The error matches ErrView if
// one of the tables is a view, whose rows may have no end.
func OpenSQLite(ctx context.Context, path string, tables ...string) (*sql.DB, error) {
	return openSQLite(ctx, path, url.Values{"mode": {"ro"}}, tables)
}

// OpenSQLiteAlone is like OpenSQLite, but creates no file next to a database with
// a write-ahead log that no program has open: SQLite would leave an empty log.
// What is read while a program opens it may be damaged.
func OpenSQLiteAlone(ctx context.Context, path string, tables ...string) (*sql.DB, error) {
	q := url.Values{"mode": {"ro"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		q.Set("immutable", "1")
	}
	return openSQLite(ctx, path, q, tables)
}

// UpdateSQLite runs one statement that changes a database of another program.
func UpdateSQLite(ctx context.Context, path, statement string, args ...any) error {
	db, err := openSQLite(ctx, path, url.Values{"mode": {"rw"}}, nil)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement, args...)
	return errors.Join(err, db.Close())
}

func openSQLite(ctx context.Context, path string, q url.Values, tables []string) (*sql.DB, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path) // opening a pipe would block
	}
	q.Set("_busy_timeout", fmt.Sprint(patience.Milliseconds()))
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		var views int
		if err := db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type <> 'table'", table).Scan(&views); err != nil || views > 0 {
			db.Close()
			return nil, cmp.Or(err, fmt.Errorf("%s: %w", table, ErrView))
		}
	}
	return db, nil
}

// ErrView means that a database has a view where its program has a table.
var ErrView = errors.New("a view instead of a table")
