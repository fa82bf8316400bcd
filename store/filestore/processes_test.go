package filestore_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// pitfalls 24, 25, 162: a writer killed at any moment loses nothing that was
// acknowledged, and the next writer continues immediately. Its lock died with
// it, so there is none for two others to recover (pitfall 163).
func TestKilledWriters(t *testing.T) {
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	name := newFile(t, "begin\n")
	sizes := []string{"200", "20000", "300000", "8000000"} // the last ones get torn by a kill
	acknowledged := make(map[string]int)                   // lines by writer
	for round := range rounds {
		writer := fmt.Sprint("w", round)
		c := start(t, "append", name, writer, "1000000", sizes[round%len(sizes)])
		done := 0
		for range 1 + rand.IntN(8) {
			c.next(t)
			done++
		}
		if round%2 == 1 {
			awaitGrowth(t, name) // the kill meets a write, not what is between writes
		}
		done += len(c.kill(t))
		acknowledged[writer] = done
	}
	found := make(map[string]int)
	torn := 0
	for s := range strings.Lines(read(t, name)) {
		if s == "begin\n" {
			continue
		}
		writer, n, whole := parseLine(s)
		if !whole {
			torn++
			continue
		}
		if n != found[writer] {
			t.Errorf("line %d of %s is where line %d should be", n, writer, found[writer])
		}
		found[writer]++
	}
	for writer, n := range acknowledged {
		if extra := found[writer] - n; extra < 0 || extra > 1 {
			t.Errorf("%s: found %d lines, %d were acknowledged; want these and at most one more", writer, found[writer], n)
		}
	}
	if torn > rounds {
		t.Errorf("%d torn lines after %d kills; want at most one each", torn, rounds)
	}
	t.Logf("%d rounds, %d torn lines", rounds, torn)
}

// pitfalls 24, 161, 165, 168, 170: processes that take locks, and one that
// does not, append to one file. No line is lost, torn or fused.
func TestManyProcesses(t *testing.T) {
	for name, lockless := range map[string]bool{"all take locks": false, "beside one without locks": true} {
		t.Run(name, func(t *testing.T) {
			const lines = 400
			file := newFile(t, "")
			var children []*child
			want := make(map[string]int)
			for i := range 4 {
				writer := fmt.Sprint("w", i)
				children = append(children, start(t, "append", file, writer, fmt.Sprint(lines), "20000"))
				want[writer] = lines
			}
			if lockless {
				children = append(children, start(t, "lockless", file, "pi", fmt.Sprint(lines), "20000"))
				want["pi"] = lines
			}
			for _, c := range children {
				c.finish(t)
			}
			got := make(map[string]int)
			for s := range strings.Lines(read(t, file)) {
				writer, n, whole := parseLine(s)
				if s == "\n" { // a seal: a writer met another's line half written
					continue
				}
				if !whole || n != got[writer] {
					t.Fatalf("line %d of %q: %.60q; want it whole and number %d", n, writer, s, got[writer])
				}
				got[writer]++
			}
			for writer, n := range want {
				if got[writer] != n {
					t.Errorf("%s: %d lines; want %d", writer, got[writer], n)
				}
			}
		})
	}
}

// pitfalls 35, 132: a Create that dies half way leaves no log, and its leftover
// is distinguished from a file that a living process is still writing.
func TestKilledCreate(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log.jsonl")
	c := start(t, "fill", name)
	c.next(t)
	if left, err := filestore.Leftovers(dir); len(left) != 0 || err != nil {
		t.Errorf("Leftovers beside a living writer = %q, %v; want none", left, err)
	}
	c.kill(t)
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("Stat of the log = %v; want that it does not exist", err)
	}
	left, err := filestore.Leftovers(dir)
	if len(left) != 1 || err != nil {
		t.Fatalf("Leftovers of a dead writer = %q, %v; want one", left, err)
	}
	if filepath.Dir(left[0]) != dir || filepath.Ext(left[0]) == ".jsonl" {
		t.Errorf("Leftovers = %q; want a file in %s that is no session", left, dir)
	}
	if info, err := os.Stat(left[0]); err != nil || info.Size() == 0 || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("Stat of the leftover = %v, %v; want a private file with what was written", info, err)
	}
	l, err := filestore.New(filestore.Options{}).Create(t.Context(), name, store.Bytes([]byte("whole\n")))
	if err != nil {
		t.Fatalf("Create after the crash = %v; want a log", err)
	}
	l.Close()
	if got := read(t, name); got != "whole\n" {
		t.Errorf("the log holds %q; want %q", got, "whole\n")
	}
}

// awaitGrowth returns when a file has become longer.
func awaitGrowth(t *testing.T, name string) {
	t.Helper()
	var first int64 = -1
	for {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if first < 0 {
			first = info.Size()
		}
		if info.Size() > first {
			return
		}
	}
}

// newFile makes a file of that content and returns its name.
func newFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "log.jsonl")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) string {
	t.Helper()
	p, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// open opens a log that is closed with the test.
func open(t *testing.T, s *filestore.Store, name string) store.Log {
	t.Helper()
	l, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatalf("Open = %v; want a log", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}
