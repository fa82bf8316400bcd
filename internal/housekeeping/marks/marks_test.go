package marks_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

func open(t *testing.T, dir string) *marks.Collection {
	t.Helper()
	s, err := marks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func update(t *testing.T, s *marks.Collection, id string, change func(*marks.Marks)) {
	t.Helper()
	if _, err := s.Update(id, "/w/"+id+".jsonl", change); err != nil {
		t.Fatalf("Update(%s) = %v", id, err)
	}
}

// Marks are outside of the transcript, in one file (pitfall 142).
func TestMarks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "pith")
	s := open(t, dir)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Open made the folder: %v", err)
	}
	update(t, s, "a", func(m *marks.Marks) { m.Pinned = true })
	update(t, s, "a", func(m *marks.Marks) { m.Tags = append(m.Tags, "z", "b", "z") })
	update(t, s, "b", func(m *marks.Marks) { m.Archived, m.Tags = true, []string{"b"} })
	for _, s := range []*marks.Collection{s, open(t, dir)} {
		want := marks.Marks{Pinned: true, Tags: []string{"b", "z"}, Path: "/w/a.jsonl"}
		if got := s.Of("a"); !reflect.DeepEqual(got, want) || !got.Has("z") || got.Has("x") {
			t.Errorf("Of(a) = %+v; want %+v", got, want)
		}
		if got := s.Tags(); !reflect.DeepEqual(got, map[string]int{"b": 2, "z": 1}) {
			t.Errorf("Tags = %v", got)
		}
		if got := s.Of("nobody"); !got.IsZero() {
			t.Errorf("Of(nobody) = %+v; want none", got)
		}
	}
	update(t, s, "a", func(m *marks.Marks) { *m = marks.Marks{} })
	if got := open(t, dir).IDs(); !reflect.DeepEqual(got, []string{"b"}) {
		t.Errorf("IDs = %v; want b", got)
	}
	info, err := os.Stat(filepath.Join(dir, "shelf.json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("file %v, %v; want it private", info, err)
	}
}

// An update that changes nothing writes nothing.
func TestUnchanged(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	update(t, s, "a", func(m *marks.Marks) { m.Pinned = false })
	if _, err := os.Stat(filepath.Join(dir, "shelf.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file appeared: %v", err)
	}
	if _, err := s.Update("", "/x", func(*marks.Marks) {}); err == nil {
		t.Error("Update without an id = nil; want an error")
	}
}

func TestFilesOfOthers(t *testing.T) {
	tests := map[string]struct {
		text string
		err  error
	}{
		"damaged":      {`{"version":1,"sess`, marks.ErrDamaged},
		"no version":   {`{}`, marks.ErrDamaged},
		"wrong member": {`{"version":1,"sessions":{"a":{"pinned":"yes"}}}`, marks.ErrDamaged},
		"no object":    {`[]`, marks.ErrDamaged},
		"no sessions":  {`{"version":1,"sessions":null}`, marks.ErrDamaged},
		"newer":        {`{"version":2,"sessions":[]}`, marks.ErrTooNew},
		"empty":        {``, nil},
		"more members": {`{"version":1,"later":[1],"sessions":{"a":{"pinned":true,"colour":"red"},"b":{"colour":"blue"}}}`, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "shelf.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := marks.Open(dir)
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("Open(%s) = %v; want %v", tt.text, err, tt.err)
			}
			if err != nil { // K2
				if text, _ := os.ReadFile(path); string(text) != tt.text {
					t.Errorf("the file became %s; want %s", text, tt.text)
				}
				return
			}
			update(t, s, "a", func(m *marks.Marks) { m.Pinned, m.Tags = false, []string{"x"} })
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{`"later"`, `"red"`, `"blue"`} { // K3
				if strings.Contains(tt.text, word) && !strings.Contains(string(text), word) {
					t.Errorf("%s is gone from %s", word, text)
				}
			}
			if m := open(t, dir).Of("a"); m.Pinned || !m.Has("x") {
				t.Errorf("Of(a) = %+v", m)
			}
		})
	}
}

// Several processes, with several goroutines each, lose nothing.
func TestProcesses(t *testing.T) {
	const name = "SHELF_TEST_DIR"
	const each = 10
	if dir := os.Getenv(name); dir != "" {
		var wg sync.WaitGroup
		for g := range 2 {
			wg.Go(func() {
				s, err := marks.Open(dir)
				for i := range each {
					if err == nil {
						_, err = s.Update("shared", "/w", func(m *marks.Marks) { m.Tags = append(m.Tags, fmt.Sprintf("t%d-%d-%d", os.Getpid(), g, i)) })
					}
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return
	}
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), name+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process: %v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	if got := len(open(t, dir).Of("shared").Tags); got != 3*2*each {
		t.Errorf("%d tags; want %d", got, 3*2*each)
	}
}

func TestCheckTag(t *testing.T) {
	for tag, ok := range map[string]bool{
		"bug": true, "größe-2": true, "日本": true, "": false, "a b": false, "a,b": false, "-a": false, "+a": false, "a\x1b": false,
		"a\u202e": false, "\xff": false, strings.Repeat("x", 65): false,
	} {
		if err := marks.CheckTag(tag); (err == nil) != ok {
			t.Errorf("CheckTag(%q) = %v; want ok: %t", tag, err, ok)
		}
	}
}
