package replica_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/replica"
)

// What the folder's tool leaves beside the files, and files that have not
// arrived completely, lose nothing: the next run continues.
func TestFolderTool(t *testing.T) {
	dir := t.TempDir()
	s, err := replica.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	a := newSite(t, s, "a")
	a.write(header(sessionID), message("00000001", "", "one"), message("00000002", "00000001", "two"))
	a.push()
	log, about := filepath.Join(dir, "a", sessionID+".1.jsonl"), filepath.Join(dir, "a", sessionID+".1.json")
	whole, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	described, err := os.ReadFile(about)
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".1.sync-conflict-20261119-101112-ABCDEFG.jsonl", ".1 (Ana's conflicted copy 2026-11-19).jsonl", ".1 (1).jsonl", ".1.jsonl.conflict1", ".01.jsonl", ".-1.jsonl", ".jsonl"} {
		write(filepath.Join(dir, "a", sessionID+name), []byte(header(sessionID)+message("0000dead", "", "conflict")))
	}
	write(filepath.Join(dir, "a", ".syncthing."+sessionID+".1.jsonl.tmp"), whole[:10])
	write(filepath.Join(dir, "a", "~"+sessionID+".tmp"), whole[:10])
	if err := os.MkdirAll(filepath.Join(dir, ".stfolder"), 0o700); err != nil {
		t.Fatal(err)
	}
	broken := map[string]func(){
		"half of the lines":        func() { write(log, whole[:len(whole)/2]) },
		"zeros":                    func() { write(log, make([]byte, len(whole))) },
		"no description":           func() { write(about, nil) },
		"half of the description":  func() { write(about, described[:len(described)/2]) },
		"no lines":                 func() { write(log, nil) },
		"the lines of another one": func() { write(log, []byte(strings.Replace(string(whole), "one", "eno", 1))) },
	}
	for name, breaks := range broken {
		t.Run(name, func(t *testing.T) {
			breaks()
			b := newSite(t, s, "reader")
			done, err := b.Pull(t.Context(), b.copies(), b.path)
			if _, serr := os.Stat(b.path); err != nil || len(done.Incomplete) != 1 || !errors.Is(serr, os.ErrNotExist) {
				t.Errorf("Pull = %+v, %v, and the file: %v; want that the copy is incomplete", done, err, serr)
			}
			write(log, whole)
			write(about, described)
			if b.pull(); b.read() != a.read() {
				t.Errorf("the next run pulled %q", b.read())
			}
		})
	}
	// If the tool keeps something else, its own machine starts again.
	write(log, []byte(header(sessionID)))
	if done := a.push(); !done.Rewritten {
		t.Errorf("Push = %+v; want a new generation", done)
	}
	b := newSite(t, s, "b")
	if b.pull(); b.read() != a.read() {
		t.Errorf("b pulled %q", b.read())
	}
}

// Machines that sync at once, each in a copy of the folder that a tool
// exchanges, end with the same entries.
func TestFolderAtOnce(t *testing.T) {
	s := newTeam(t)
	const machines, rounds = 4, 6
	sites := make([]*site, machines)
	for m := range sites {
		sites[m] = newSite(t, s, fmt.Sprintf("m%d", m))
		sites[m].write(header(sessionID))
	}
	sync1 := func(x *site) {
		if done, err := x.Pull(t.Context(), x.copies(), x.path); err != nil && !errors.Is(err, replica.ErrNoCopy) { // before the first push
			t.Errorf("Pull to %s = %+v, %v", x.Machine, done, err)
		}
		if _, err := x.Push(t.Context(), x.path, replica.PushOptions{}); err != nil {
			t.Errorf("Push from %s = %v", x.Machine, err)
		}
	}
	var wg sync.WaitGroup
	for m, x := range sites {
		wg.Go(func() {
			for i := range rounds {
				x.add(message(fmt.Sprintf("%04x%04x", m, i), "", "x"))
				sync1(x)
			}
		})
	}
	wg.Wait()
	for range 2 {
		for _, x := range sites {
			sync1(x)
		}
	}
	for _, x := range sites {
		if n := len(entries(x.read())); n != 1+machines*rounds {
			t.Errorf("%s has %d lines; want %d", x.Machine, n, 1+machines*rounds)
		}
	}
}

// A push that is interrupted after any of its writes is continued by the next.
func TestFolderInterrupted(t *testing.T) {
	for step := 1; ; step++ {
		s := newTeam(t)
		left := &steps{left: step, then: func() { panic("interrupted") }}
		a := newSite(t, &mortal{s, left}, "a")
		a.write(header(sessionID), message("00000001", "", "one"))
		func() {
			defer func() { _ = recover() }()
			a.push()
			a.add(message("00000002", "00000001", "two"))
			a.push()
		}()
		again, b := newSite(t, s, "a"), newSite(t, s, "b")
		again.write(a.read())
		again.push()
		if b.pull(); b.read() != a.read() {
			t.Fatalf("step %d: b pulled %q", step, b.read())
		}
		if left.over() {
			return
		}
	}
}
