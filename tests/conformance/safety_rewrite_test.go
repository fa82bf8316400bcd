//go:build unix

package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
)

// oldSession is the text of a version 1 session of that many messages.
func oldSession(messages int) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","id":"5a0b3f6e-old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/home/u/p"}` + "\n")
	for n := range messages {
		fmt.Fprintf(&b, `{"type":"message","timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"%d %s"}}`+"\n",
			n, strings.Repeat("old words ", 100))
	}
	return b.String()
}

// A first write to an old file that is killed at any moment leaves the old file
// or the new one, whole; the old content is never lost, and what is left over is
// reported and not listed (pitfalls 33, 34, 35).
func TestKilledMigration(t *testing.T) {
	const messages = 3000
	old := oldSession(messages)
	var took time.Duration // of a migration that is not killed
	before, after := 0, 0
	for range rounds(16) {
		path := sessionFile(t, old)
		a := startActor(t, "say", path)
		a.next(t)
		start := time.Now()
		if took == 0 {
			a.next(t)
			took = time.Since(start)
			a.rest(t)
			wantMigrated(t, path, old, messages+1)
			continue
		}
		acknowledged := a.killAfter(t, randomUpTo(took*5/4))
		agedLeftovers(t, filepath.Dir(path))
		wantListed(t, filepath.Dir(path), path)
		said := messages
		if readFile(t, path) == old {
			before++
			if len(acknowledged) > 0 {
				t.Errorf("the message was acknowledged, but the file is the old one")
			}
		} else {
			after++
			said++
			wantMigrated(t, path, old, said)
		}
		again := startActor(t, "say", path)
		again.next(t)
		again.rest(t)
		wantMigrated(t, path, old, said+1)
		wantSessionWithoutLeftovers(t, path)
	}
	t.Logf("killed %d times before the exchange, %d times after it; a whole migration took %v", before, after, took)
}

// wantMigrated checks that a file is a whole session of the present version with
// that many messages on its path, and that the old text is in the one backup.
func wantMigrated(t *testing.T, path, old string, said int) {
	t.Helper()
	s := reopen(t, path)
	defer s.Close()
	if ids := leafPath(t, s); len(ids) != said || s.NeedsMigration() || len(s.Findings()) != 0 {
		t.Errorf("the file has %d entries on its path, of an old version: %t, findings %v; want %d, false, none",
			len(ids), s.NeedsMigration(), s.Findings(), said)
	}
	backups, err := filepath.Glob(path + "*.bak")
	if err != nil || len(backups) != 1 {
		t.Fatalf("backups %q, %v; want one", backups, err)
	}
	if got := readFile(t, backups[0]); got != old {
		t.Errorf("the backup has %d bytes; want the %d of the old file", len(got), len(old))
	}
}

// wantSessionWithoutLeftovers checks that what Leftovers returns may be removed.
func wantSessionWithoutLeftovers(t *testing.T, path string) {
	t.Helper()
	before := readFile(t, path)
	for _, left := range agedLeftovers(t, filepath.Dir(path)) {
		if err := os.Remove(left); err != nil {
			t.Error(err)
		}
	}
	if readFile(t, path) != before {
		t.Errorf("removing the leftovers changed the session")
	}
}

// A crash between the backup and the exchange leaves the old file with two names
// and an unfinished new one. The next write goes through (pitfalls 33, 35).
func TestCrashBetweenBackupAndExchange(t *testing.T) {
	old := oldSession(3)
	path := sessionFile(t, old)
	unfinished := filepath.Join(filepath.Dir(path), ".pith-tmp-CRASHED")
	if err := os.Link(path, path+".old.bak"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(unfinished, []byte(old[:150]), 0o600); err != nil {
		t.Fatal(err)
	}
	wantListed(t, filepath.Dir(path), path)
	a := startActor(t, "say", path)
	a.next(t)
	a.rest(t)
	wantMigrated(t, path, old, 4)
	same(t, "leftovers", agedLeftovers(t, filepath.Dir(path)), []string{unfinished})
}

// Copies and extracts that are killed at any moment are there whole or not at
// all, and their source is as it was (pitfalls 35, 41, 132).
func TestKilledForks(t *testing.T) {
	source, want := branchedSession(t)
	text := readFile(t, source)
	acknowledged, unknown, left := 0, 0, 0
	for range rounds(20) {
		from := filepath.Join(t.TempDir(), filepath.Base(source))
		if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		copies := t.TempDir()
		a := startActor(t, "fork", from, copies)
		a.next(t)
		made := a.killAfter(t, randomUpTo(60*time.Millisecond))
		acknowledged += len(made)
		wantHere := map[string][]string{copies: {}, filepath.Dir(from): {from}}
		for _, path := range made {
			wantHere[filepath.Dir(path)] = append(wantHere[filepath.Dir(path)], path)
		}
		more := 0
		for dir, known := range wantHere {
			left += len(agedLeftovers(t, dir))
			all, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			more += len(all) - len(known)
			wantListed(t, dir, all...)
			for _, path := range all {
				entries := want.onPath
				if dir == copies || path == from {
					entries = want.all
				}
				wantWhole(t, path, entries)
			}
		}
		if more < 0 || more > 1 {
			t.Errorf("%d files more than the %d acknowledged; want none or one", more, len(made))
		}
		unknown += more
		if readFile(t, from) != text {
			t.Errorf("the source changed")
		}
	}
	t.Logf("%d files acknowledged, %d whole files that were not, %d leftovers", acknowledged, unknown, left)
}

type entryCounts struct{ all, onPath int }

// branchedSession makes a session of some megabytes with a side branch.
func branchedSession(t *testing.T) (string, entryCounts) {
	t.Helper()
	s := createPith(t, "/home/u/p", pith.Options{Dir: t.TempDir()})
	defer s.Close()
	const before, beside, after = 100, 20, 100
	var ids []string
	note := func(id string) { ids = append(ids, id) }
	if err := speak(s, before, sizesNamed("mixed"), note); err != nil {
		t.Fatal(err)
	}
	if err := speak(s, beside, sizesNamed("mixed"), note); err != nil {
		t.Fatal(err)
	}
	moveTo(t, s, ids[before-1])
	if err := speak(s, after, sizesNamed("mixed"), note); err != nil {
		t.Fatal(err)
	}
	return s.File(), entryCounts{all: before + beside + after, onPath: before + after}
}

func wantWhole(t *testing.T, path string, entries int) {
	t.Helper()
	s := reopen(t, path)
	defer s.Close()
	if s.View().Len() != entries || len(s.Findings()) != 0 {
		t.Errorf("%s has %d entries, findings %v; want %d and none", path, s.View().Len(), s.Findings(), entries)
	}
}
