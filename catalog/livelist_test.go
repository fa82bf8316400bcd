package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// A live list equals a new list after any change of the files and directories.
func TestLiveListEqualsList(t *testing.T) {
	home := t.TempDir()
	root := filepath.Join(home, ".pi", "agent", "sessions")
	long := time.Now().Add(-time.Hour)
	old := func(path string) { // so that it is clear when it changes
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	path := func(name string) string { return filepath.Join(root, "--src--", name+".jsonl") }
	appendTo := func(path, text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"one", "two", "three"} {
		write(t, path(name), simple(name, "/src", 10*i+5))
	}
	write(t, path("other"), simple("other", "/elsewhere", 7))
	write(t, path("none"), "no session\n")
	index, err := catalog.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	plain := catalog.Options{Home: home, Getenv: func(string) string { return "" }}
	with := plain
	with.Index = index
	kept := map[string]*catalog.LiveList{"": catalog.Watch("", with), "/src": catalog.Watch("/src", with)}
	steps := []struct {
		what string
		do   func()
	}{
		{"nothing happened", func() {}},
		{"one grew", func() { appendTo(path("one"), session(message("user", `"more"`, 90))) }},
		{"one has half a line", func() { appendTo(path("one"), `{"type":"mess`) }},
		{"another project grew", func() { appendTo(path("other"), session(message("user", `"more"`, 91))) }},
		{"it grew again", func() {
			appendTo(path("other"), session(message("user", `"still more"`, 92)))
		}},
		{"it was renamed", func() {
			os.Rename(path("other"), path("another"))
		}},
		{"what was none is one", func() { write(t, path("none"), simple("late", "/src", 33)) }},
		{"one is none any more", func() { write(t, path("two"), "garbage\n") }},
		{"a new one", func() { write(t, path("four"), simple("four", "/src", 50)) }},
		{"one is gone", func() { os.Remove(path("three")) }},
		{"one was renamed", func() { os.Rename(path("four"), path("five")) }},
		{"a new folder", func() { write(t, filepath.Join(root, "--new--", "six.jsonl"), simple("six", "/src", 60)) }},
		{"another program", func() {
			write(t, filepath.Join(home, ".cousin", "agent", "sessions", "--src--", "seven.jsonl"), simple("seven", "/src", 61))
		}},
		{"a folder is gone", func() { os.RemoveAll(filepath.Join(root, "--new--")) }},
	}
	for _, step := range steps {
		step.do()
		for range 3 { // made, looked at, and looked at again
			for cwd, k := range kept {
				seq := catalog.ListAll(t.Context(), plain)
				if cwd != "" {
					seq = catalog.List(t.Context(), cwd, plain)
				}
				want, err := catalog.Sorted(seq)
				if err != nil {
					t.Fatal(err)
				}
				got, err := k.Sessions(t.Context())
				if err != nil {
					t.Fatalf("%s: %v", step.what, err)
				}
				if diff := difference(want, got); diff != "" {
					t.Fatalf("%s, of %q: (-list +kept)\n%s", step.what, cwd, diff)
				}
			}
			_ = filepath.WalkDir(home, func(dir string, d os.DirEntry, _ error) error {
				if d.IsDir() {
					old(dir)
				}
				return nil
			})
		}
	}
	// A session that was quiet for long is seen by a look at all files.
	long = time.Now().AddDate(0, -1, 0)
	old(path("five"))
	k := kept["/src"]
	k.LookAgain()
	if _, err := k.Sessions(t.Context()); err != nil {
		t.Fatal(err)
	}
	appendTo(path("five"), session(message("user", `"at last"`, 99)))
	k.LookAgain()
	if got, err := k.Sessions(t.Context()); err != nil || got[0].ID != "four" || got[0].MessageCount != 3 {
		t.Errorf("after a month, %v: %+v", err, got[0])
	}
}

// A look that is cancelled between two sessions that have grown loses neither.
func TestLiveListAfterCancel(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent", "sessions", "--src--")
	grown := simple("one", "/src", 5) + session(message("user", `"more"`, 90))
	paths := []string{filepath.Join(dir, "one.jsonl"), filepath.Join(dir, "two.jsonl")}
	for i, name := range []string{"one", "two"} {
		write(t, paths[i], simple(name, "/src", 5))
	}
	hourAgo := time.Now().Add(-time.Hour)
	for _, path := range []string{filepath.Dir(dir), dir} { // so that it is clear when they change
		if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
			t.Fatal(err)
		}
	}
	read, most := 0, -1
	ctx, cancel := context.WithCancel(t.Context())
	o := catalog.Options{Home: home, Getenv: func(string) string { return "" }}
	plain := o
	catalog.OnRead(&o, func(n int) {
		if most >= 0 { // one file after the other is read then
			if read += n; read > most {
				cancel()
			}
		}
	})
	kept := catalog.Watch("", o)
	if infos, err := kept.Sessions(t.Context()); err != nil || len(infos) != 2 {
		t.Fatalf("Sessions = %+v, %v", infos, err)
	}
	for i, name := range []string{"one", "two"} {
		write(t, paths[i], strings.ReplaceAll(grown, "one", name))
		if err := os.Chtimes(dir, hourAgo, hourAgo); err != nil {
			t.Fatal(err)
		}
	}
	most = len(grown)
	if _, err := kept.Sessions(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Sessions = %v, want that it was cancelled", err)
	}
	most = -1
	want, err := catalog.Sorted(catalog.ListAll(t.Context(), plain))
	if err != nil {
		t.Fatal(err)
	}
	got, err := kept.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := difference(want, got); diff != "" {
		t.Errorf("(-list +kept)\n%s", diff)
	}
}
