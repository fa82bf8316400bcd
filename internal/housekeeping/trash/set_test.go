package trash_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

const index = "{\"id\":\"other\"}\n{\"id\":\"one\",\"n\":1}\n{\"id\":\"one\",\"n\":2}\n{\"id\":\"third\"}\n"

// newSet makes a session of another agent with files, directories and lines of an
// index, each with its own mode and time.
func newSet(t *testing.T, dir string, whole bool) trash.Set {
	t.Helper()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	s := trash.Set{Path: newFile(t, at("2026", "one", "events.jsonl"), "events\n"), Source: "agent", Session: "one", Title: "A title"}
	newFile(t, at("2026", "one", "sub", "a.jsonl"), "a\n")
	newFile(t, at("2026", "one", "sub", "b.json"), "b\n")
	newFile(t, at("2025", "earlier.jsonl"), "earlier\n")
	newFile(t, at("index.jsonl"), index)
	for i, name := range []string{"2026/one/events.jsonl", "2026/one/sub/a.jsonl", "2026/one/sub/b.json", "2026/one/sub", "2026/one", "2025/earlier.jsonl", "index.jsonl"} {
		path := at(filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		mode := []fs.FileMode{0o600, 0o640, 0o444, 0o400}[i%4]
		if info.IsDir() {
			mode = 0o750
		}
		when := time.Date(2025, 3, i+1, 4, 5, 6, 789000000, time.UTC)
		if err := errors.Join(os.Chmod(path, mode), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Also = []string{at("2025", "earlier.jsonl"), at("2026", "missing")}; whole {
		s.Whole = at("2026", "one")
	} else {
		s.Also = append(s.Also, at("2026", "one", "sub"))
	}
	lines := strings.SplitAfter(index, "\n")
	s.Lines = []trash.Lines{{Path: at("index.jsonl"), Lines: [][]byte{[]byte(lines[1]), []byte(lines[2])}}}
	return s
}

// tree lists what is below a directory: names, modes, times and contents.
func tree(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, text := strings.TrimPrefix(path, dir), ""
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		} else if parent := strings.Count(name, string(filepath.Separator)) < 2; parent {
			info = nil // its time changes with its names
		}
		if info != nil {
			name += " " + info.Mode().String() + " " + info.ModTime().UTC().String()
		}
		out = append(out, name+" "+text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// holds checks the content of a file.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s has %q, %v; want %q", path, got, err, want)
	}
}

// A set goes to the trash as one item and comes back byte for byte, with times and
// modes; what belongs to other sessions stays.
func TestSet(t *testing.T) {
	for name, whole := range map[string]bool{"a file and others": false, "a directory": true} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := trash.Options{Dir: filepath.Join(dir, "trash"), Command: "never"}
			home := filepath.Join(dir, "home")
			s := newSet(t, home, whole)
			was := tree(t, home)
			r, err := trash.PutSet(s, o)
			if err != nil || r.Set == nil || r.Set.Session != "one" || r.Set.Title != "A title" {
				t.Fatalf("PutSet = %+v, %v", r, err)
			}
			isGone(t, s.Path)
			isGone(t, filepath.Join(home, "2025", "earlier.jsonl"))
			isGone(t, filepath.Join(home, "2026", "one", "sub"))
			holds(t, filepath.Join(home, "index.jsonl"), "{\"id\":\"other\"}\n{\"id\":\"third\"}\n")
			if all, err := trash.List(o); err != nil || len(all) != 1 || all[0].ID != r.ID || all[0].Set == nil {
				t.Errorf("List = %+v, %v; want the item", all, err)
			}
			if whole {
				isGone(t, s.Whole)
			}

			// Another place, or one that is taken, is refused, and nothing changes.
			to := o
			to.To = filepath.Join(dir, "elsewhere.jsonl")
			if _, err := trash.Restore(r.ID, to); !errors.Is(err, trash.ErrOnlyBack) {
				t.Errorf("Restore elsewhere = %v; want ErrOnlyBack", err)
			}
			taken := []string{s.Path, filepath.Join(home, "2025", "earlier.jsonl")}
			for _, path := range taken {
				newFile(t, path, "new\n")
				now := tree(t, dir)
				if _, err := trash.Restore(r.ID, o); !errors.Is(err, fs.ErrExist) {
					t.Errorf("Restore where %s is = %v; want ErrExist", path, err)
				}
				if after := tree(t, dir); !slices.Equal(after, now) {
					t.Errorf("files %q; want %q", after, now)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				_ = os.Remove(filepath.Dir(path)) // if it was made for it
			}
			if got, err := trash.Restore(r.ID, o); err != nil || got != s.Path {
				t.Fatalf("Restore = %q, %v; want %s", got, err, s.Path)
			}
			now := tree(t, home)
			if !whole { // the time of a directory above changes with its names
				now = slices.DeleteFunc(now, func(line string) bool { return strings.HasPrefix(line, "/2026/one d") })
				was = slices.DeleteFunc(was, func(line string) bool { return strings.HasPrefix(line, "/2026/one d") })
			}
			if !slices.Equal(now, was) {
				t.Errorf("after Restore\n%q\nwant\n%q", now, was)
			}
			if left, err := os.ReadDir(o.Dir); err != nil || len(left) != 0 {
				t.Errorf("the trash has %v, %v; want nothing", left, err)
			}
		})
	}
}

// Lines that were added to the index meanwhile stay, and the others go back to their
// places, once.
func TestSetLinesMeanwhile(t *testing.T) {
	for name, test := range map[string]struct{ now, want string }{
		"added":   {"{\"id\":\"other\"}\n{\"id\":\"third\"}\n{\"id\":\"new\"}\n", index + "{\"id\":\"new\"}\n"},
		"gone":    {"", "{\"id\":\"one\",\"n\":1}\n{\"id\":\"one\",\"n\":2}\n"},
		"changed": {"{\"id\":\"x\"}\n{}\n", "{\"id\":\"x\"}\n{}\n{\"id\":\"one\",\"n\":1}\n{\"id\":\"one\",\"n\":2}\n"},
		"torn":    {"{\"id\":\"longer than before\"", "{\"id\":\"longer than before\"\n{\"id\":\"one\",\"n\":1}\n{\"id\":\"one\",\"n\":2}\n"},
		"there":   {index, index},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := trash.Options{Dir: filepath.Join(dir, "trash")}
			s := newSet(t, filepath.Join(dir, "home"), true)
			r, err := trash.PutSet(s, o)
			if err != nil {
				t.Fatal(err)
			}
			file := s.Lines[0].Path
			if err := errors.Join(os.Chmod(file, 0o600), os.WriteFile(file, []byte(test.now), 0o600)); err != nil {
				t.Fatal(err)
			}
			if name == "gone" {
				if err := os.Remove(file); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := trash.Restore(r.ID, o); err != nil {
				t.Fatal(err)
			}
			holds(t, file, test.want)
		})
	}
}

// Purging a set that was interrupted takes the rest too.
func TestSetPurge(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	s := newSet(t, filepath.Join(dir, "home"), false)
	r, err := trash.PutSet(s, o)
	if err != nil {
		t.Fatal(err)
	}
	item := filepath.Join(o.Dir, r.ID, "with", "1", "sub") // as if Put had ended before it
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.Path), 0o700), os.Rename(item, filepath.Join(filepath.Dir(s.Path), "sub")), os.Remove(s.Lines[0].Path), os.WriteFile(s.Lines[0].Path, []byte(index), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := trash.Purge(r.ID, o); err != nil {
		t.Fatal(err)
	}
	isGone(t, filepath.Join(filepath.Dir(s.Path), "sub"))
	holds(t, s.Lines[0].Path, "{\"id\":\"other\"}\n{\"id\":\"third\"}\n")
	if left, err := os.ReadDir(o.Dir); err != nil || len(left) != 0 {
		t.Errorf("the trash has %v, %v; want nothing", left, err)
	}
}
