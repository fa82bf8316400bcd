package tables_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/cache/tables"
)

// A fixture is a session of some bytes and a folder for its table.
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
	err := f.tables.SaveTable(f.session, 10, func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
	if err != nil {
		t.Fatalf("SaveTable: %v", err)
	}
}

func (f fixture) loaded(t *testing.T, when, want string) {
	t.Helper()
	data, owner := f.tables.LoadTable(f.session)
	if string(data) != want {
		t.Errorf("%s: LoadTable = %q, want %q", when, data, want)
	}
	runtime.KeepAlive(owner)
}

// file is the only file of the folder.
func (f fixture) file(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(f.dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the folder has %v (%v), want one file", files, err)
	}
	return files[0]
}

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
	data, owner := f.tables.LoadTable(f.session)
	data[0] = 'S'
	f.loaded(t, "after a change in memory", "something else")
	runtime.KeepAlive(owner)
}

// A save that fails leaves what was there, and nothing else.
func TestSaveFails(t *testing.T) {
	f := newFixture(t)
	f.save(t, "first")
	broken := errors.New("broken")
	if err := f.tables.SaveTable(f.session, 10, func(w io.Writer) error { io.WriteString(w, "sec"); return broken }); !errors.Is(err, broken) {
		t.Errorf("SaveTable = %v, want %v", err, broken)
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

// Whatever happens to a file is noticed: at once when it is written to, and after a
// restart also when its time was kept.
func TestDamage(t *testing.T) {
	content := string(bytes.Repeat([]byte("learnt "), 1000))
	for _, keepTime := range []bool{false, true} {
		for at := 0; at < 11_000; at += 531 {
			f := newFixture(t)
			f.save(t, content)
			file := f.file(t)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			at := at % len(data)
			data[at] ^= 0x40
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if keepTime {
				if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
					t.Fatal(err)
				}
				defer tables.Restart(fmt.Sprint("start ", at))()
			}
			if got, owner := f.tables.LoadTable(f.session); got != nil && string(got) != content {
				t.Fatalf("with byte %d changed Load gives something else than was saved", at)
			} else {
				runtime.KeepAlive(owner)
			}
		}
	}
}

// After a restart the file is checked once.
func TestRestart(t *testing.T) {
	f := newFixture(t)
	f.save(t, "content")
	before, err := os.ReadFile(f.file(t))
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Restart("another")()
	f.loaded(t, "after a restart", "content")
	after, err := os.ReadFile(f.file(t))
	if err != nil || bytes.Equal(before, after) {
		t.Errorf("the label is as it was (%v), want one that says that the file was checked", err)
	}
	f.loaded(t, "the second time", "content")
	defer tables.Restart("")()
	f.loaded(t, "on a system that does not say when it was started", "content")
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
	if left := filepath.Base(f.file(t)); left != "something else" {
		t.Errorf("a sweep of everything left %s, want what is not ours", left)
	}
	if err := tables.New(filepath.Join(f.dir, "nowhere")).Sweep(time.Now()); err != nil {
		t.Errorf("Sweep of a folder that is not there = %v, want nil", err)
	}
}

// Many may save and load at once: each load gives one of what was saved, whole.
func TestSideBySide(t *testing.T) {
	f := newFixture(t)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			content := bytes.Repeat([]byte{byte('a' + n)}, 100_000)
			for range 20 {
				err := f.tables.SaveTable(f.session, 10, func(w io.Writer) error { _, err := w.Write(content); return err })
				if err != nil {
					t.Errorf("SaveTable = %v", err)
				}
				data, owner := f.tables.LoadTable(f.session)
				if len(data) != len(content) || !bytes.Equal(data, bytes.Repeat(data[:1], len(data))) {
					t.Errorf("LoadTable = %d bytes that begin with %.10q, want all of one save", len(data), data)
				}
				runtime.KeepAlive(owner)
			}
		})
	}
	wg.Wait()
}
