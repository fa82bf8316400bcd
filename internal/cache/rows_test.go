package cache_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
)

// A touch is a row of the table touched.
type touch struct {
	path, from                 string
	reads                      bool
	call, size, result, length int64
}

func table(t *testing.T, dir string) *cache.Table[touch] {
	columns := []string{"path", "renamed_from", "reads", "call_at", "call_size", "result_at", "result_size"}
	return cache.OpenTable(t.Context(), dir, "touched", columns, func(r *touch) []any {
		return []any{&r.path, &r.from, &r.reads, &r.call, &r.size, &r.result, &r.length}
	})
}

// writeAt writes a file with a modification time.
func writeAt(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// A file is read once, and again when it changed.
func TestTable(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	looks := 0
	of := func(fails error) string {
		t.Helper()
		k := table(t, dir)
		defer k.Close(t.Context())
		found, err := k.Of(file, func() (cache.Found[touch], error) {
			looks++
			text, err := os.ReadFile(file)
			return cache.Found[touch]{Rows: []touch{{path: "other", reads: true, result: -1 << 63}, {path: string(text), call: 1<<63 - 1}}, Mark: true}, errors.Join(err, fails)
		})
		if !errors.Is(err, fails) {
			t.Errorf("Of = %v, want %v", err, fails)
		}
		if len(found.Rows) != 2 || !found.Mark || found.Rows[0] != (touch{path: "other", reads: true, result: -1 << 63}) || found.Rows[1].call != 1<<63-1 {
			t.Errorf("Of = %+v", found)
			return ""
		}
		return found.Rows[1].path
	}
	old, broken := time.Now().Add(-time.Hour), errors.New("broken")
	steps := []struct {
		what  string
		text  string
		at    time.Time
		fails error
		looks int
	}{
		{"is read in part", "one", old, broken, 1},
		{"is read", "one", old, nil, 1},
		{"is known", "one", old, nil, 0},
		{"has grown", "one more", old, nil, 1},
		{"is known again", "one more", old, nil, 0},
		{"was rewritten", "one less", old.Add(time.Second), nil, 1},
		{"is written just now", "just now", time.Now(), nil, 1},
		{"may be written again", "just now", time.Now(), nil, 1},
		{"is quiet", "just now", old, nil, 1},
	}
	for _, s := range steps {
		writeAt(t, file, s.text, s.at)
		looks = 0
		if got := of(s.fails); got != s.text || looks != s.looks {
			t.Errorf("a file that %s: %q after %d looks; want %q after %d", s.what, got, looks, s.text, s.looks)
		}
	}
}

// Missing files are forgotten when others are stored; a damaged database, or
// none, is empty.
func TestTableForgets(t *testing.T) {
	dir, files := t.TempDir(), t.TempDir()
	looks := 0
	of := func(dir, name string) {
		t.Helper()
		path := filepath.Join(files, name)
		writeAt(t, path, name, time.Unix(1e9, 0))
		k := table(t, dir)
		defer k.Close(t.Context())
		found, err := k.Of(path, func() (cache.Found[touch], error) {
			looks++
			return cache.Found[touch]{Rows: []touch{{path: name}}}, nil
		})
		if err != nil || len(found.Rows) != 1 || found.Rows[0].path != name {
			t.Errorf("Of(%s) = %v, %v", name, found, err)
		}
	}
	count := func() (n int) {
		t.Helper()
		db := open(t, dir)
		defer db.Close()
		err := db.Read(t.Context(), func(tx *sql.Tx) error {
			return tx.QueryRow("SELECT (SELECT count(*) FROM scanned) + (SELECT count(*) FROM touched)").Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	of(dir, "gone")
	if err := os.Remove(filepath.Join(files, "gone")); err != nil {
		t.Fatal(err)
	}
	of(dir, "other")
	of(dir, "other")
	if looks != 2 || count() != 2 {
		t.Errorf("%d looks at two files, %d rows", looks, count())
	}
	kept := cache.Files(dir)[0]
	before, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, append([]byte("garbage"), before[7:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	of(dir, "other")
	of("", "other")
	if looks != 4 {
		t.Errorf("%d looks; want one for a damaged cache and one without a folder", looks)
	}
}
