package tables_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/cache/tables"
)

// A fixture is a session of some bytes and a directory for its table.
type fixture struct {
	session, dir string
	tables       *tables.Dir
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	f := fixture{session: filepath.Join(t.TempDir(), "s.jsonl"), dir: filepath.Join(t.TempDir(), "a", "b")}
	f.tables = tables.New(f.dir)
	if err := os.WriteFile(f.session, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f fixture) save(t *testing.T, content string) {
	t.Helper()
	err := f.tables.Save(f.session, 10, func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
	if err != nil {
		t.Fatalf("Save: %v", err)
	}
}

func (f fixture) loaded(t *testing.T, when, want string) {
	t.Helper()
	data, owner := f.tables.Load(f.session)
	if string(data) != want {
		t.Errorf("%s: Load = %q, want %q", when, data, want)
	}
	runtime.KeepAlive(owner)
}

// file returns the only table of the directory.
func (f fixture) file(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(f.dir, "*.table"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder has %v (%v), want one table", files, err)
	}
	return files[0]
}

// labelOf returns the label next to a table.
func labelOf(table string) string { return table[:strings.LastIndex(table, "-")] + ".label" }

func TestSaveAndLoad(t *testing.T) {
	f := newFixture(t)
	f.loaded(t, "before anything was saved", "")
	f.save(t, "what was learnt")
	f.loaded(t, "saved", "what was learnt")
	f.save(t, "something else")
	f.loaded(t, "saved again", "something else")
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{f.dir: 0o700, f.file(t): 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("mode of %s = %v (%v), want %v", path, info.Mode(), err, want)
			}
		}
	}
	data, owner := f.tables.Load(f.session)
	data[0] = 'S'
	f.loaded(t, "after a change in memory", "something else")
	runtime.KeepAlive(owner)
}

// A save that fails leaves what was there, and nothing else.
func TestSaveFails(t *testing.T) {
	f := newFixture(t)
	f.save(t, "first")
	broken := errors.New("broken")
	if err := f.tables.Save(f.session, 10, func(w io.Writer) error { io.WriteString(w, "sec"); return broken }); !errors.Is(err, broken) {
		t.Errorf("Save = %v, want %v", err, broken)
	}
	f.loaded(t, "after a save that failed", "first")
	f.file(t)
}

// Only the file that the table was made of counts (invariant T1).
func TestOtherSession(t *testing.T) {
	tests := map[string]struct {
		change func(path string) error
		fits   bool
	}{
		"unchanged":   {func(string) error { return nil }, true},
		"appended to": {func(p string) error { return appendTo(p, "more") }, true},
		"cut":         {func(p string) error { return os.Truncate(p, 9) }, false},
		"touched":     {func(p string) error { return os.Chtimes(p, time.Time{}, time.Unix(1, 0)) }, false},
		"gone":        {os.Remove, false},
	}
	if runtime.GOOS != "windows" {
		tests["replaced"] = struct {
			change func(path string) error
			fits   bool
		}{replace, false}
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.save(t, "content")
			if err := tt.change(f.session); err != nil {
				t.Fatal(err)
			}
			want := ""
			if tt.fits {
				want = "content"
			}
			f.loaded(t, name, want)
		})
	}
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(text)
	return err
}

// replace puts a longer file with the same beginning in the place of another.
func replace(path string) error {
	if err := os.WriteFile(path+".new", []byte("0123456789more"), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Any change of a table or its label is noticed, even if the file's time is set
// back.
func TestDamage(t *testing.T) {
	content := string(bytes.Repeat([]byte("learnt "), 1000))
	for _, suffix := range []string{".table", ".label"} {
		for at := 0; at < 11_000; at += 531 {
			f := newFixture(t)
			f.save(t, content)
			file := f.file(t)
			if suffix == ".label" {
				file = labelOf(file)
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			data[at%len(data)] ^= 0x40
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
			if got, _ := f.tables.Load(f.session); got != nil {
				t.Fatalf("with byte %d of the %s changed Load = %d bytes, want nothing", at%len(data), suffix, len(got))
			}
		}
	}
}

// A table that was touched and not changed is hashed once.
func TestTouched(t *testing.T) {
	f := newFixture(t)
	f.save(t, "content")
	label := labelOf(f.file(t))
	labelled := func() string {
		t.Helper()
		data, err := os.ReadFile(label)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := labelled()
	if err := os.Chtimes(f.file(t), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	f.loaded(t, "touched", "content")
	after := labelled()
	if before == after && runtime.GOOS != "windows" {
		t.Error("the label is as it was, want one that says that the table was hashed")
	}
	f.loaded(t, "the second time", "content")
	if labelled() != after && runtime.GOOS != "windows" {
		t.Error("the table was hashed twice")
	}
}

// The table of one session is not that of another, whatever the files are called.
func TestSwapped(t *testing.T) {
	f := newFixture(t)
	f.save(t, "content")
	other := fixture{session: filepath.Join(t.TempDir(), "s.jsonl"), dir: f.dir, tables: f.tables}
	if err := os.WriteFile(other.session, []byte("0123456789"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := f.file(t)
	other.save(t, "another")
	files, err := filepath.Glob(filepath.Join(f.dir, "*.table"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the folder has %v, %v", files, err)
	}
	for _, theirs := range files {
		if theirs == mine {
			continue
		}
		number := theirs[strings.LastIndex(theirs, "-"):]
		for from, to := range map[string]string{theirs: mine[:strings.LastIndex(mine, "-")] + number, labelOf(theirs): labelOf(mine)} {
			if err := os.Rename(from, to); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.loaded(t, "with the table of another session", "")
}

func TestSweep(t *testing.T) {
	f := newFixture(t)
	f.save(t, "content")
	for _, name := range []string{"new-123", "something else"} {
		if err := os.WriteFile(filepath.Join(f.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.tables.Sweep(time.Now().Add(-time.Hour)); err != nil {
		t.Errorf("Sweep = %v", err)
	}
	f.loaded(t, "after a sweep of what is old", "content")
	if err := f.tables.Sweep(time.Now().Add(time.Hour)); err != nil {
		t.Errorf("Sweep = %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(f.dir, "*")); err != nil || len(left) != 2 || filepath.Base(left[1]) != "something else" {
		t.Errorf("a sweep of everything left %s (%v), want the key and what is not ours", left, err)
	}
	if err := tables.New(filepath.Join(f.dir, "nowhere")).Sweep(time.Now()); err != nil {
		t.Errorf("Sweep of a folder that is not there = %v, want nil", err)
	}
}

// Concurrent saves and loads: each load gives one complete saved table.
func TestSideBySide(t *testing.T) {
	f := newFixture(t)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte('a' + n)}, 100_000)
			for range 20 {
				err := f.tables.Save(f.session, 10, func(w io.Writer) error { _, err := w.Write(content); return err })
				if err != nil {
					t.Errorf("Save = %v", err)
				}
				data, owner := f.tables.Load(f.session)
				if len(data) != len(content) || !bytes.Equal(data, bytes.Repeat(data[:1], len(data))) {
					t.Errorf("Load = %d bytes that begin with %.10q, want all of one save", len(data), data)
				}
				runtime.KeepAlive(owner)
			}
		})
	}
	wg.Wait()
}
