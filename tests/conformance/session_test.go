package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// This file has the session files that most tests begin with, and what they ask
// of a session.

const plainHead = `{"type":"session","version":3,"id":"5a0b3f6e-plain","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}` + "\n"

// messageLine returns an entry with a user message.
func messageLine(id, parent, text string) string {
	return `{"type":"message",` + inVersion3(id, parent) + `,"message":{"role":"user","content":"` + text + `","timestamp":1770159127000}}` + "\n"
}

// inVersion3 is what places an entry in a file of version 3. Parent null is none.
func inVersion3(id, parent string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return `"id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-02-03T22:52:07.000Z"`
}

// sessionFile writes a session's text into a file of its own.
func sessionFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.UnixMilli(1_770_112_800_000) // as its entries state: it is not in use
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	return path
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// appendText appends to a file as a program does that takes no locks.
func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

func joinLines(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// createPith begins a session in pith for the length of the test.
func createPith(t *testing.T, cwd string, o pith.Options) *pith.Session {
	t.Helper()
	o.Cwd = cwd
	s, err := pith.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// openPith opens a file in pith for the length of the test.
func openPith(t *testing.T, path string, o pith.Options) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reopen opens a file for reading.
func reopen(t *testing.T, path string) *pith.Session {
	t.Helper()
	return openPith(t, path, pith.Options{ReadOnly: true})
}

func open(t *testing.T, text string) *pith.Session {
	t.Helper()
	return openPith(t, sessionFile(t, text), pith.Options{})
}

func closePith(t *testing.T, s *pith.Session) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func sayNext(t *testing.T, s *pith.Session) string {
	t.Helper()
	id, err := s.AppendMessage(t.Context(), format.NewUser("next", time.UnixMilli(1_770_112_900_000)))
	if err != nil {
		t.Fatalf("AppendMessage: %v", err)
	}
	return id
}

// leafPath is the ids from the root to the leaf.
func leafPath(t *testing.T, s *pith.Session) []string {
	t.Helper()
	ids, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// rawEntries returns the entries as they are in the file.
func rawEntries(t *testing.T, s *pith.Session) []string {
	t.Helper()
	var out []string
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatalf("Entries(): %v", err)
		}
		out = append(out, string(e.Head().Raw))
	}
	return out
}

// lastOf is the last entry of a kind in a file, on whatever branch.
func lastOf[E format.Entry](t *testing.T, path string) (last E) {
	t.Helper()
	found := false
	for e, err := range reopen(t, path).View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := e.(E); ok {
			last, found = e, true
		}
	}
	if !found {
		t.Fatalf("%s holds no %T", path, last)
	}
	return last
}

// textOf is what the user said in all messages of the context, joined.
func textOf(t *testing.T, s *pith.Session) string {
	t.Helper()
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		d, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := d.(*format.User); ok {
			out = append(out, u.Content.PlainText())
		}
	}
	return strings.Join(out, " ")
}
