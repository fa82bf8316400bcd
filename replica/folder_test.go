package replica_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
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
// exchanges while they do, end with the same entries. The tool writes files in
// place and in any order, leaves halves, and keeps conflict copies; machines are
// interrupted.
func TestFolderAtOnce(t *testing.T) {
	const machines, rounds = 3, 12
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var dirs [machines]string
	var sites [machines]*site
	for m := range sites {
		dirs[m] = t.TempDir()
		s, err := replica.NewFolder(dirs[m])
		if err != nil {
			t.Fatal(err)
		}
		sites[m] = newSite(t, s, fmt.Sprintf("m%d", m))
		sites[m].write(header(sessionID))
	}
	// exchange copies what each machine wrote to all others.
	exchange := func(copy func(from, to string)) {
		for m, from := range dirs {
			files, _ := filepath.Glob(filepath.Join(from, fmt.Sprintf("m%d", m), "[^.]*")) // the pattern is valid
			for n, to := range dirs {
				if err := os.MkdirAll(filepath.Join(to, fmt.Sprintf("m%d", m)), 0o700); err != nil {
					t.Error(err)
				}
				for _, file := range files {
					if n != m {
						copy(file, filepath.Join(to, fmt.Sprintf("m%d", m), filepath.Base(file)))
					}
				}
			}
		}
	}
	sync1 := func(x *site) error {
		_, err := x.Pull(t.Context(), x.copies(), x.path)
		if errors.Is(err, replica.ErrNoCopy) { // before the first push
			err = nil
		}
		_, perr := x.Push(t.Context(), x.path, replica.PushOptions{})
		return errors.Join(err, perr)
	}
	var wg sync.WaitGroup
	for m, x := range sites {
		random := rand.New(rand.NewPCG(seed, uint64(m)))
		wg.Go(func() {
			for i := range rounds {
				x.add(message(fmt.Sprintf("%04x%04x", m, i), "", strings.Repeat("x", random.IntN(3000))))
				s, err := replica.NewFolder(dirs[m])
				if err != nil {
					t.Error(err)
				}
				left := &steps{left: 1 + random.IntN(8), then: func() { panic("interrupted") }}
				team, err := replica.New(&mortal{s, left}, x.Options)
				if err != nil {
					t.Error(err)
				}
				func() {
					defer func() { _ = recover() }()
					if err := sync1(&site{team, t, x.dir, x.path}); err != nil {
						t.Errorf("%s: %v", x.Machine, err)
					}
				}()
			}
		})
	}
	machinesDone := make(chan struct{})
	go func() {
		wg.Wait()
		close(machinesDone)
	}()
	random := rand.New(rand.NewPCG(seed, machines))
	write := func(path string, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Error(err)
		}
	}
	for done := false; !done; {
		select {
		case <-machinesDone:
			done = true
		default:
		}
		exchange(func(from, to string) {
			data, err := os.ReadFile(from)
			if err != nil {
				return // a temporary file
			}
			switch random.IntN(6) {
			case 0:
				write(to, data[:random.IntN(len(data)+1)])
			case 1:
				write(to, make([]byte, len(data)))
			case 2:
				write(strings.TrimSuffix(to, filepath.Ext(to))+".sync-conflict-20261119-101112-ABC"+filepath.Ext(to), data)
			case 3: // later
			default:
				write(to, data)
			}
		})
	}
	for range 3 {
		exchange(func(from, to string) {
			data, err := os.ReadFile(from)
			if err != nil {
				t.Error(err)
			}
			write(to, data)
		})
		for _, x := range sites {
			if err := sync1(x); err != nil {
				t.Errorf("%s: %v", x.Machine, err)
			}
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
