package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Files stores facts about files by path. It is safe for concurrent use.
type Files struct{ db *database }

// A FileRow is the stored data of one file.
type FileRow struct {
	Path  string
	Facts []byte // required by every list; loaded for all files
	State []byte // required to continue where reading stopped
}

func filesShape(version int) shape {
	return shape{
		version: version,
		tables:  "CREATE TABLE file (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, facts BLOB NOT NULL, state BLOB);",
		// All of it is read once, so larger pages mean fewer system calls,
		// which matters for a new database, and few pages need to stay in
		// memory.
		pragmas: []string{"page_size(16384)", "cache_size(-500)"},
	}
}

// OpenFiles opens the database at path. version is the version of the callers'
// data; it must not be 0.
func OpenFiles(path string, version int) (*Files, error) {
	db, err := openDatabase(path, filesShape(version))
	if err != nil {
		return nil, err
	}
	return &Files{db}, nil
}

// Replaced returns why an earlier database was replaced by an empty one, or nil
// if it was not.
func (f *Files) Replaced() error { return f.db.whyReplaced() }

// Reset replaces the database by an empty one after an error that matches
// ErrDamaged. It does so once.
func (f *Files) Reset(because error) error { return f.db.replace(because) }

// Clear removes all files.
func (f *Files) Clear(ctx context.Context) error { return f.db.clear(ctx, "DELETE FROM file;") }

// Close closes the database.
func (f *Files) Close() error { return f.db.close() }

// Load calls take with the path and the facts of every file; damaged rows are
// skipped. facts is valid during the call. A damaged database is replaced by an
// empty one.
func (f *Files) Load(ctx context.Context, take func(path string, facts []byte)) error {
	err := f.load(ctx, take)
	if errors.Is(err, ErrDamaged) {
		err = f.db.replace(err)
	}
	return err
}

func (f *Files) load(ctx context.Context, take func(path string, facts []byte)) error {
	rows, err := f.db.conn().QueryContext(ctx, "SELECT path, facts FROM file")
	if err != nil {
		return verdict(err)
	}
	defer rows.Close()
	var path, facts sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&path, &facts); err != nil {
			return verdict(err)
		}
		name := string(path)
		if facts, ok := checked("facts "+name, facts); ok {
			take(name, facts)
		}
	}
	return verdict(rows.Err())
}

// Facts returns the facts of a file, or nil.
func (f *Files) Facts(ctx context.Context, path string) ([]byte, error) {
	return f.one(ctx, "facts", path)
}

// State returns the state of a file, or nil.
func (f *Files) State(ctx context.Context, path string) ([]byte, error) {
	return f.one(ctx, "state", path)
}

func (f *Files) one(ctx context.Context, column, path string) (value []byte, err error) {
	err = f.db.conn().QueryRowContext(ctx, "SELECT "+column+" FROM file WHERE path = ?", []byte(path)).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if value, ok := checked(column+" "+path, value); ok && err == nil {
		return value, nil
	}
	return nil, verdict(err)
}

// Write stores rows and removes the files at the paths gone, atomically. If
// several processes write a row, the last one wins.
func (f *Files) Write(ctx context.Context, rows []FileRow, gone []string) error {
	return f.db.write(ctx, func(tx *sql.Tx) error {
		for _, path := range gone {
			if _, err := tx.ExecContext(ctx, "DELETE FROM file WHERE path = ?", []byte(path)); err != nil {
				return err
			}
		}
		put, err := tx.PrepareContext(ctx, `INSERT INTO file (path, facts, state) VALUES (?, ?, ?)
			ON CONFLICT (path) DO UPDATE SET facts = excluded.facts, state = excluded.state`)
		if err != nil {
			return err
		}
		defer put.Close()
		for _, row := range rows {
			facts, state := withSum("facts "+row.Path, row.Facts), withSum("state "+row.Path, row.State)
			if _, err := put.ExecContext(ctx, []byte(row.Path), facts, state); err != nil {
				return fmt.Errorf("save the facts of %s: %w", row.Path, err)
			}
		}
		return nil
	})
}
