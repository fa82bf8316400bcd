package cli_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// cachedCommands are commands whose answers come from the cache where there is one.
var cachedCommands = [][]string{
	{"ls", "--all", "--json"}, {"search", "linker", "--json"}, {"search", "question", "--json"}, {"usage", "--json"},
}

func answers(t *testing.T, d *desk, dir string) (out []string) {
	t.Helper()
	for _, args := range cachedCommands {
		code, stdout, stderr := d.run(t, append(args, "--session-dir", dir)...)
		if code != 0 || len(stdout) < 100 {
			t.Fatalf("pith %q = %d, %q, %s", args, code, stdout, stderr)
		}
		stdout, _, _ = strings.Cut(stdout, `,"more":`) // the amount scanned is not part of the result
		out = append(out, stdout)
	}
	return out
}

// Changed bytes in the cache never change an answer.
func TestDamagedCache(t *testing.T) {
	words := func(b []byte) []byte {
		for from, to := range map[string]string{"linker": "forger", "build": "forge", "speed": "fraud", "long": "fake", "question": "forgery!", "claude": "forged"} {
			b = bytes.ReplaceAll(b, []byte(from), []byte(to))
		}
		return b
	}
	number := func(b []byte) []byte { // the last of those that a row ends with
		if n := len(b) - 5; n >= 0 && b[n] < 0x7e {
			b[n] += 2
		}
		return b
	}
	for name, damage := range map[string]func(t *testing.T, db *sql.DB){
		"texts of rows": func(t *testing.T, db *sql.DB) {
			for _, column := range []string{"cwd", "name", "first_text", "facts"} {
				rewrite(t, db, "file", "path", column, func(_, b []byte) []byte { return words(b) })
			}
		},
		"numbers of rows": func(t *testing.T, db *sql.DB) {
			rewrite(t, db, "file", "path", "facts", func(_, b []byte) []byte { return number(b) })
			try(t, db, "UPDATE file SET cost = cost + 1, kind = 2, used = used + 1000")
			rewrite(t, db, "scan", "path", "found", func(_, b []byte) []byte { return number(b) })
		},
		"places":     func(t *testing.T, db *sql.DB) { try(t, db, "UPDATE entry SET offset = offset + 1") },
		"entries":    func(t *testing.T, db *sql.DB) { try(t, db, "UPDATE entry SET id = id + 1000") },
		"no entries": func(t *testing.T, db *sql.DB) { try(t, db, "DELETE FROM entry WHERE id % 2 = 1") },
		"other files": func(t *testing.T, db *sql.DB) {
			try(t, db, "UPDATE entry SET file = (SELECT max(id) FROM indexed) + 1 - file")
		},
		"files": func(t *testing.T, db *sql.DB) { try(t, db, "UPDATE indexed SET first = first + 1000") },
	} {
		t.Run(name, func(t *testing.T) {
			dir, home := sessionsCopy(t), t.TempDir()
			old := time.Date(2026, 2, 4, 9, 0, 0, 0, time.UTC) // what was just written is not kept
			if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
				return cmp.Or(err, os.Chtimes(path, old, old))
			}); err != nil {
				t.Fatal(err)
			}
			d := &desk{cwd: dir, env: map[string]string{"HOME": home, "PITH_CACHE_DIR": filepath.Join(home, "cache")}}
			if code, _, stderr := d.run(t, "doctor", "--reindex", "--session-dir", dir); code != 0 {
				t.Fatalf("pith doctor --reindex = %d, %s", code, stderr)
			}
			want := answers(t, d, dir)
			for i, got := range answers(t, d, dir) {
				if got != want[i] {
					t.Fatalf("pith %q says two things:\n%s\n%s", cachedCommands[i], got, want[i])
				}
			}
			changed := 0
			dbs, err := filepath.Glob(filepath.Join(home, "cache", "*.db"))
			if err != nil || len(dbs) != 1 {
				t.Fatalf("the cache has %v, %v", dbs, err)
			}
			for _, path := range dbs {
				db, err := sql.Open("sqlite", path)
				if err != nil {
					t.Fatal(err)
				}
				db.SetMaxOpenConns(1)
				damage(t, db)
				var n int
				if err := db.QueryRow("SELECT total_changes()").Scan(&n); err != nil {
					t.Fatal(err)
				}
				changed += n
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if changed == 0 {
				t.Fatal("nothing was changed")
			}
			for i, got := range answers(t, d, dir) {
				if got != want[i] {
					t.Errorf("pith %q with a damaged cache says\n%.2000s\nwithout\n%.2000s", cachedCommands[i], got, want[i])
				}
			}
		})
	}
}

// try runs a statement in a database that may lack its tables.
func try(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil && !strings.Contains(err.Error(), "no such") {
		t.Fatal(err)
	}
}

// rewrite gives all rows of a table other values.
func rewrite(t *testing.T, db *sql.DB, table, key, column string, change func(key, value []byte) []byte) {
	t.Helper()
	rows, err := db.Query("SELECT rowid, " + key + ", " + column + " FROM " + table + " WHERE length(" + column + ") > 0")
	if err != nil {
		if strings.Contains(err.Error(), "no such") {
			return
		}
		t.Fatal(err)
	}
	values := map[int64][]byte{}
	for rows.Next() {
		var id int64
		var name, value []byte
		if err := rows.Scan(&id, &name, &value); err != nil {
			t.Fatal(err)
		}
		values[id] = change(name, value)
	}
	rows.Close()
	for id, value := range values {
		if _, err := db.Exec("UPDATE "+table+" SET "+column+" = ? WHERE rowid = ?", value, id); err != nil {
			t.Fatal(err)
		}
	}
}

// A cache directory that other users can write to is not used, and one line
// reports it.
func TestExposedCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // access lists are the system's affair there
	}
	dir, cache := sessionsCopy(t), filepath.Join(t.TempDir(), "cache")
	if err := os.Mkdir(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(cache, 0o777); err != nil {
		t.Fatal(err)
	}
	d := &desk{cwd: dir, env: map[string]string{"HOME": t.TempDir(), "PITH_CACHE_DIR": cache}}
	for command, want := range map[string]int{"ls": 0, "usage": 0, "doctor": 1} {
		args := []string{command, "--session-dir", dir}
		switch command {
		case "doctor":
			args = append(args, "--reindex")
		case "ls":
			args = append(args, "--all")
		}
		code, stdout, stderr := d.run(t, args...)
		if code != want || (len(stdout) > 100) != (want == 0) {
			t.Errorf("pith %s = %d, %q; want %d", command, code, stdout, want)
		}
		if lines := strings.Count(stderr, "not used: "); lines != 1 || !strings.Contains(stderr, "the cache directory "+cache+" is not used: other users can write to "+cache) {
			t.Errorf("pith %s says %q; want one line about the cache directory", command, stderr)
		}
	}
	if files, err := os.ReadDir(cache); err != nil || len(files) > 0 {
		t.Errorf("in the folder are %v, %v; want nothing", files, err)
	}
}
