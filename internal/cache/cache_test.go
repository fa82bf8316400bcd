package cache_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/internal/cache"
)

func open(t *testing.T, dir string) *cache.DB {
	t.Helper()
	db, err := cache.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func put(t *testing.T, db *cache.DB) error {
	t.Helper()
	return db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT OR REPLACE INTO entry (id, file, offset, length, role, sum) VALUES (1, 0, 0, 0, 0, 0)")
		return err
	})
}

func has(t *testing.T, db *cache.DB) (found bool) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *sql.Tx) error {
		return tx.QueryRow("SELECT EXISTS (SELECT 1 FROM entry)").Scan(&found)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Only damage and another version replace the database.
func TestReplaced(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"no database":     func(t *testing.T, path string) { overwrite(t, path, strings.Repeat("no database ", 2000)) },
		"another version": func(t *testing.T, path string) { execute(t, path, "PRAGMA user_version = 9999") },
		"cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, 6000); err != nil {
				t.Fatal(err)
			}
		},
	} {
		dir := t.TempDir()
		db := open(t, dir)
		if err := put(t, db); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		damage(t, cache.Files(dir)[0])
		db = open(t, dir)
		_ = put(t, db) // where the damage is noticed
		if err := put(t, db); err != nil || !has(t, db) || !db.Replaced() {
			t.Errorf("%s: Write = %v, replaced: %v", name, err, db.Replaced())
		}
	}
}

func overwrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// Errors that pass leave the database as it is.
func TestKeptAfterErrors(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := put(t, db); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", cache.Files(dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if err := put(t, db); !errors.Is(err, cache.ErrBusy) {
		t.Errorf("Write while another process writes = %v, want ErrBusy", err)
	}
	if !has(t, db) || !has(t, open(t, dir)) {
		t.Error("the row is gone after ErrBusy")
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	for _, failed := range []error{context.Canceled, syscall.EIO, syscall.EMFILE, syscall.ENOSPC} {
		if err := db.Write(t.Context(), func(*sql.Tx) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("Write = %v, want %v", err, failed)
		}
	}
	if _, err := os.Stat(cache.Files(dir)[0]); err != nil || !has(t, db) || db.Replaced() {
		t.Errorf("the database was replaced: %v", err)
	}
}

// A database that is deleted while it is open is made again by the next process.
func TestDeleted(t *testing.T) {
	dir := t.TempDir()
	db := open(t, dir)
	if err := put(t, db); err != nil {
		t.Fatal(err)
	}
	for _, file := range cache.Files(dir) {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Skip("an open file cannot be removed here")
		}
	}
	next := open(t, dir)
	if has(t, next) {
		t.Error("a deleted row is there")
	}
	if err := errors.Join(put(t, db), put(t, next)); err != nil {
		t.Error(err)
	}
}
