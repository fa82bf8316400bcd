//go:build unix

package sources_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/internal/sources"
)

// A pipe in the place of a database is not opened, which would block, and a view
// in the place of a table is not read: its rows may have no end.
func TestOpenSQLiteRefusesTraps(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe.db"), filepath.Join(dir, "link.db")
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), os.Symlink("/dev/zero", link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link, dir, filepath.Join(dir, "none.db")} {
		if db, err := sources.OpenSQLite(t.Context(), path); err == nil {
			db.Close()
			t.Errorf("OpenSQLite(%s) succeeded", filepath.Base(path))
		}
	}
	endless := filepath.Join(dir, "endless.db")
	db, err := sql.Open("sqlite", endless)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `CREATE TABLE message (id); CREATE VIEW Session AS WITH RECURSIVE r(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM r) SELECT id FROM r`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := sources.OpenSQLite(t.Context(), endless, "message", "session"); !errors.Is(err, sources.ErrView) {
		t.Errorf("OpenSQLite with a view = %v; want ErrView", err)
	}
	db, err = sources.OpenSQLite(t.Context(), endless, "message", "part")
	if err != nil {
		t.Fatalf("OpenSQLite without one of the views: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
