package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Files keeps facts about files by their paths. It may be used by several
// goroutines.
type Files struct{ db *database }

// A FileRow is what is kept about one file.
type FileRow struct {
	Path  string
	Facts []byte // what every list needs; it is loaded with all others
	State []byte // what is needed to go on where reading stopped
}

func filesShape(version int) shape {
	return shape{
		version: version,
		tables:  "CREATE TABLE file (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, facts BLOB NOT NULL, state BLOB);",
		// All of it is read, once, so larger pages are fewer calls of the system, which
		// counts for a new database, and few need to be kept.
		pragmas: []string{"page_size(16384)", "cache_size(-500)"},
	}
}

// OpenFiles opens the database at path. version is that of what callers keep in
// it; it must not be 0.
func OpenFiles(path string, version int) (*Files, error) {
	db, err := openDatabase(path, filesShape(version))
	if err != nil {
		return nil, err
	}
	return &Files{db}, nil
}

// Replaced says why an earlier database was replaced by an empty one; nil if
// there was no need.
func (f *Files) Replaced() error { return f.db.whyReplaced() }

// Reset replaces the database by an empty one, because of an error that matches
// ErrDamaged. It does so once.
func (f *Files) Reset(because error) error { return f.db.replace(because) }

// Clear forgets all files.
func (f *Files) Clear(ctx context.Context) error { return f.db.clear(ctx, "DELETE FROM file;") }

// Close ends the use of the database.
func (f *Files) Close() error { return f.db.close() }

// Load calls take with the path and the facts of every file; rows that Write did not
// make are passed over. facts are valid during the call. A damaged database is
// replaced, and is empty then.
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
	kind := f.db.kind("facts")
	for rows.Next() {
		if err := rows.Scan(&path, &facts); err != nil {
			return verdict(err)
		}
		name := string(path)
		if facts, ok := f.db.key.Unsealed(kind, name, facts); ok {
			take(name, facts)
		}
	}
	return verdict(rows.Err())
}

// Facts are those of a file; nil when there are none.
func (f *Files) Facts(ctx context.Context, path string) ([]byte, error) {
	return f.one(ctx, "facts", path)
}

// State is the state of a file; nil when there is none.
func (f *Files) State(ctx context.Context, path string) ([]byte, error) {
	return f.one(ctx, "state", path)
}

func (f *Files) one(ctx context.Context, column, path string) (value []byte, err error) {
	err = f.db.conn().QueryRowContext(ctx, "SELECT "+column+" FROM file WHERE path = ?", []byte(path)).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if value, ok := f.db.key.Unsealed(f.db.kind(column), path, value); ok && err == nil {
		return value, nil
	}
	return nil, verdict(err)
}

// Write keeps rows and forgets the files at the paths gone, all of it or
// nothing. The last of several processes that write a row wins.
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
			facts, state := f.db.key.Sealed(f.db.kind("facts"), row.Path, row.Facts), f.db.key.Sealed(f.db.kind("state"), row.Path, row.State)
			if _, err := put.ExecContext(ctx, []byte(row.Path), facts, state); err != nil {
				return fmt.Errorf("keep the facts of %s: %w", row.Path, err)
			}
		}
		return nil
	})
}
