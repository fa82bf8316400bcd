//go:build unix

package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/sessiondir"
)

// pi migrates a file of an old version when it opens it: it cuts the file and
// writes it again, without a lock. Whoever reads meanwhile waits until there is
// something to read: the library does not fail, and no session is missing in a
// list. A reading is repeated once, because a busy machine can keep pi from
// writing for longer than readers wait. Commands are counted only: one that
// reads entries while pi cuts the file may still fail.
func TestReadingWhilePiMigrates(t *testing.T) {
	const rounds, messages = 32, 4000
	eachPi(t, func(t *testing.T, r rig) {
		for version, text := range map[int]string{1: oldHead + oldMessages(messages), 2: secondVersion(messages)} {
			t.Run(fmt.Sprintf("version %d", version), func(t *testing.T) {
				r := r.in(t)
				path := filepath.Join(r.dir, "2025-11-20T23-33-50-805Z_5a0b3f6e-old.jsonl")
				reads, failed, unread := 0, 0, 0
				for n := range rounds {
					replaceWith(t, path, text)
					done := make(chan struct{})
					var others sync.WaitGroup
					others.Go(func() {
						defer close(done)
						if _, err := r.Open(t.Context(), path); err != nil {
							t.Errorf("pi opens the file: %v", err)
						}
					})
					others.Go(func() {
						for running := true; running; reads++ {
							select {
							case <-done:
								running = false
							default:
							}
							err := readMigrating(t, r.dir, path)
							if err == nil {
								continue
							}
							failed++
							if err := readMigrating(t, r.dir, path); err != nil {
								t.Errorf("round %d: %v", n, err)
							}
						}
					})
					if told := runReader(t, n, r.dir, path); told != "" {
						unread++
						t.Logf("round %d, meanwhile: %s", n, told)
					}
					others.Wait()
					if told := runReader(t, n, r.dir, path); told != "" {
						t.Errorf("round %d, after the migration: %s", n, told)
					}
					if got := openPith(t, path, pith.Options{ReadOnly: true}).View().Len(); got != messages {
						t.Fatalf("round %d: %d entries after the migration; want %d", n, got, messages)
					}
				}
				t.Logf("%d of %d readings were repeated, %d of %d commands failed", failed, reads, unread, rounds)
			})
		}
	})
}

// oldMessages returns messages of version 1.
func oldMessages(n int) string {
	return strings.Repeat(oldLine("water "+strings.Repeat("x", 600)), n)
}

// secondVersion returns a session of version 2.
func secondVersion(messages int) string {
	var b strings.Builder
	b.WriteString(strings.Replace(oldHead, `"type":"session"`, `"type":"session","version":2`, 1))
	parent := "null"
	for i := range messages {
		id := fmt.Sprintf(`"%08x"`, i+1)
		fmt.Fprintf(&b, `{"type":"message","id":%s,"parentId":%s,"timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"water %s","timestamp":1763681631000}}`+"\n", id, parent, strings.Repeat("x", 600))
		parent = id
	}
	return b.String()
}

// replaceWith replaces a file atomically.
func replaceWith(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// readMigrating reads a session in three ways.
func readMigrating(t *testing.T, dir, path string) error {
	if h, err := sessiondir.HeaderOf(path); err != nil {
		return fmt.Errorf("HeaderOf: %w", err)
	} else if h.ID != "5a0b3f6e-old" {
		return fmt.Errorf("HeaderOf has the ID %q", h.ID)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("Open: %w", err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir, Home: dir, Getenv: func(string) string { return "" }}))
	if err != nil {
		return fmt.Errorf("ListAll: %w", err)
	}
	if len(infos) != 1 {
		return fmt.Errorf("ListAll has %d sessions; want 1", len(infos))
	}
	return nil
}

// runReader runs one of the commands that read, and returns what is wrong with
// its answer.
func runReader(t *testing.T, n int, dir, path string) string {
	t.Helper()
	commands := [][]string{
		{"show", path},
		{"ls", "--all", "--session-dir", dir},
		{"search", "water", "--session-dir", dir},
		{"tree", path},
	}
	args := commands[n%len(commands)]
	r := runPith(t, args...)
	if r.code != 0 || !strings.Contains(r.stdout, "water") || strings.Contains(r.stderr, "not a") || strings.Contains(r.stderr, "EOF") {
		return fmt.Sprintf("pith %s: exit code %d, %.200q, %q", args[0], r.code, r.stdout, r.stderr)
	}
	return ""
}
