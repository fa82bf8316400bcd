package conformance_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
)

// A full disk: the library reports it, the directory is unchanged to the byte,
// memory has not advanced, and when there is space again the same session
// continues (pitfalls 25, 26, 27, 30, 33, 132, 166).
func TestFullDisk(t *testing.T) {
	for name, begin := range writings {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t)
			putSessions(t, dir)
			attempt := begin(t, dir)
			ballast := fillDisk(t, dir)
			before := contentOf(t, dir)
			for range 2 {
				err := attempt()
				if !errors.Is(err, unix.ENOSPC) {
					t.Fatalf("on a full disk = %v; want ENOSPC", err)
				}
				wantClear(t, err, dir, "disk full")
				wantContent(t, dir, before)
			}
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if err := attempt(); err != nil {
				t.Errorf("with space again = %v; want nil", err)
			}
			wantSound(t, dir)
		})
	}
}

// The command on a full disk: one line explains the problem, the directory is
// unchanged, and with space again it works.
func TestFullDiskCommand(t *testing.T) {
	for name, args := range commands {
		t.Run(name, func(t *testing.T) {
			dir := smallDisk(t)
			putSessions(t, dir)
			ballast := fillDisk(t, dir)
			before := contentOf(t, dir)
			wantOneLineError(t, runPith(t, args(dir)...), "disk full")
			wantContent(t, dir, before)
			if err := os.Remove(ballast); err != nil {
				t.Fatal(err)
			}
			if r := runPith(t, args(dir)...); r.code != 0 {
				t.Errorf("with space again: exit code %d, stderr %q; want 0", r.code, r.stderr)
			}
			wantSound(t, dir)
		})
	}
}

// A read-only directory: a clear error, nothing changes, and reading works.
func TestReadOnlyFolder(t *testing.T) {
	for name, begin := range writings {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			putSessions(t, dir)
			before := contentOf(t, dir)
			protect(t, dir)
			wantReadOnly(t, begin(t, dir)(), dir)
			wantContent(t, dir, before)
			wantSound(t, dir)
		})
	}
	for name, args := range commands {
		t.Run("command "+name, func(t *testing.T) {
			dir := t.TempDir()
			putSessions(t, dir)
			before := contentOf(t, dir)
			protect(t, dir)
			wantOneLineError(t, runPith(t, args(dir)...), "read-only")
			wantContent(t, dir, before)
		})
	}
}

// A read-only file in a writable directory is neither written nor replaced. It
// can be read, and copied.
func TestReadOnlyFile(t *testing.T) {
	for _, name := range []string{"append", "first write to an old file", "migration"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			putSessions(t, dir)
			before := contentOf(t, dir)
			protect(t, filepath.Join(dir, presentName))
			protect(t, filepath.Join(dir, oldName))
			wantReadOnly(t, writings[name](t, dir)(), dir)
			wantContent(t, dir, before)
			wantSound(t, dir)
		})
	}
	t.Run("copy", func(t *testing.T) {
		dir := t.TempDir()
		putSessions(t, dir)
		protect(t, filepath.Join(dir, presentName))
		if err := writings["copy"](t, dir)(); err != nil {
			t.Errorf("ForkFrom a read-only file = %v; want nil", err)
		}
		wantSound(t, dir)
	})
	t.Run("command", func(t *testing.T) {
		dir := t.TempDir()
		putSessions(t, dir)
		before := contentOf(t, dir)
		protect(t, filepath.Join(dir, presentName))
		wantOneLineError(t, runPith(t, commands["append"](dir)...), "read-only")
		wantContent(t, dir, before)
		if r := runPith(t, "show", filepath.Join(dir, presentName)); r.code != 0 || r.stdout == "" {
			t.Errorf("pith show: exit code %d, stderr %q; want 0 and the session", r.code, r.stderr)
		}
	})
}

const (
	presentName = "2026-02-03T22-52-06-410Z_5a0b3f6e-shared.jsonl"
	oldName     = "2025-11-20T23-33-50-805Z_5a0b3f6e-old.jsonl"
)

// putSessions writes a session of the current version and one of the first, of
// some 40 KB each, into a directory.
func putSessions(t *testing.T, dir string) {
	t.Helper()
	present := filepath.Join(dir, presentName)
	err := errors.Join(
		os.WriteFile(present, []byte(sharedHead), 0o600),
		os.WriteFile(filepath.Join(dir, oldName), []byte(oldSession(40)), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	s := openPith(t, present, pith.Options{})
	defer s.Close()
	if err := speak(s, 1, sizes{1}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := appendLong(s, 40_000); err != nil {
		t.Fatal(err)
	}
}

func appendLong(s *pith.Session, size int) error {
	m, err := utterance(0, size)
	if err != nil {
		return err
	}
	_, err = s.AppendMessage(context.Background(), m)
	return err
}

// writings are the ways in which the library writes to a directory made by
// putSessions. Each prepares and returns an attempt, which may be repeated.
// Each needs more than 16 KB.
var writings = map[string]func(t *testing.T, dir string) (attempt func() error){
	"append": func(t *testing.T, dir string) func() error {
		return appending(openPith(t, filepath.Join(dir, presentName), pith.Options{}))
	},
	"first write to an old file": func(t *testing.T, dir string) func() error {
		return appending(openPith(t, filepath.Join(dir, oldName), pith.Options{}))
	},
	"migration": func(t *testing.T, dir string) func() error {
		s := openPith(t, filepath.Join(dir, oldName), pith.Options{})
		return func() error {
			_, err := s.Migrate(t.Context())
			return err
		}
	},
	"new session": func(t *testing.T, dir string) func() error {
		return appending(createPith(t, "/home/u/p", pith.Options{Dir: dir}))
	},
	"copy": func(_ *testing.T, dir string) func() error {
		return func() error {
			s, err := pith.ForkFrom(context.Background(), filepath.Join(dir, presentName), pith.Options{Cwd: "/home/u/q", Dir: dir})
			if err != nil {
				return err
			}
			return s.Close()
		}
	},
	"extract": func(t *testing.T, dir string) func() error {
		s := openPith(t, filepath.Join(dir, presentName), pith.Options{})
		return func() error {
			x, err := s.Clone(t.Context(), s.LeafID())
			if err != nil {
				return err
			}
			return x.Close()
		}
	},
}

// commands are the same with the pith command.
var commands = map[string]func(dir string) []string{
	"append":  func(dir string) []string { return []string{"append", filepath.Join(dir, presentName), longText} },
	"to old":  func(dir string) []string { return []string{"append", filepath.Join(dir, oldName), longText} },
	"migrate": func(dir string) []string { return []string{"doctor", "--fix", filepath.Join(dir, oldName)} },
	"create": func(dir string) []string {
		return []string{"append", "--create", filepath.Join(dir, "new.jsonl"), longText}
	},
	"clone": func(dir string) []string { return []string{"clone", filepath.Join(dir, presentName)} },
	"fork": func(dir string) []string {
		return []string{"--session-dir", dir, "fork", filepath.Join(dir, presentName), "--into", os.TempDir()}
	},
	"from old": func(dir string) []string {
		return []string{"--session-dir", dir, "fork", filepath.Join(dir, oldName), "--into", os.TempDir()}
	},
}

var longText = strings.Repeat("long words ", 2000)

var errAdvanced = errors.New("memory advanced although nothing was written")

// appending appends a message of 20 KB. If that fails, the session must be as
// it was.
func appending(s *pith.Session) func() error {
	return func() error {
		entries, leaf, written := s.View().Len(), s.LeafID(), s.Written()
		err := appendLong(s, 20_000)
		if err != nil && (s.View().Len() != entries || s.LeafID() != leaf || s.Written() != written) {
			return errors.Join(err, errAdvanced)
		}
		return err
	}
}

// wantClear checks that an error is one line that names a file of dir and says
// what is wrong, and that memory did not advance.
func wantClear(t *testing.T, err error, dir, says string) {
	t.Helper()
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, dir) || !strings.Contains(text, says) {
		t.Errorf("the error is %q; want one line with the folder %s that says %q", text, dir, says)
	}
}

func wantReadOnly(t *testing.T, err error, dir string) {
	t.Helper()
	if !errors.Is(err, store.ErrReadOnly) {
		t.Fatalf("in a read-only place = %v; want ErrReadOnly", err)
	}
	wantClear(t, err, dir, "read-only")
}

// contentOf returns the content of the files of a directory by name.
func contentOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, e := range all {
		content[e.Name()] = readFile(t, filepath.Join(dir, e.Name()))
	}
	return content
}

func wantContent(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := contentOf(t, dir)
	if !maps.Equal(got, want) {
		t.Errorf("the folder holds %q and is changed; want %q as they were", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// wantSound checks that every session of a directory opens and has no faults,
// and that there are no unfinished files.
func wantSound(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		s := reopen(t, path)
		if ids := leafPath(t, s); len(ids) == 0 || len(s.Findings()) != 0 {
			t.Errorf("%s: %d entries on the path, findings %v; want some, and no faults", path, len(ids), s.Findings())
		}
	}
	wantListed(t, dir, files...)
	if left := agedLeftovers(t, dir); len(left) != 0 {
		t.Errorf("unfinished files %q; want none", left)
	}
}
