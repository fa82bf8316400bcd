package pith_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

const oldSession = `{"type":"session","version":2,"id":"old","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/p"}` + "\n" +
	`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"hi"}}` + "\n"

// A program that migrates an old file in place, from what it read before, takes no
// lock. An entry that was acknowledged is there anyway, whether that program
// comes before the file is replaced or right behind.
func TestAppendBesideMigration(t *testing.T) {
	tests := map[string]func(path string, opened os.FileInfo) bool{ // whether it is time to write
		"before": func(string, os.FileInfo) bool { return true },
		"behind": func(path string, opened os.FileInfo) bool {
			now, err := os.Stat(path)
			return err == nil && !os.SameFile(now, opened)
		},
	}
	for name, ready := range tests {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				if appendBeside(t, ready) {
					return
				}
			}
			t.Error("no append waited for the program that migrates the file")
		})
	}
}

// appendBeside reports whether the other program wrote before the append ended:
// only then the entry has to be there.
func appendBeside(t *testing.T, ready func(string, os.FileInfo) bool) bool {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(oldSession), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	migrated := strings.Replace(oldSession, `"version":2`, `"version":3`, 1)
	var returned, late atomic.Bool
	written := make(chan error)
	go func() {
		for !ready(path, opened) && !returned.Load() {
		}
		err := os.WriteFile(path, []byte(migrated), 0o600)
		late.Store(returned.Load())
		written <- err
	}()
	m, err := format.DecodeMessage([]byte(`{"role":"user","content":"acknowledged"}`))
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.AppendMessage(m)
	returned.Store(true)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatalf("AppendMessage = %v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if late.Load() {
		return false
	}
	if !strings.Contains(string(text), id) {
		t.Errorf("the entry %s was acknowledged and is gone:\n%s", id, text)
	}
	return true
}

// A program that rewrites a file of the present version, as pi does right after it
// migrated one, takes no lock either. A session that was opened in the middle of that
// waits with its first append until the program rests.
func TestAppendBesideRewriting(t *testing.T) {
	for range 100 {
		if appendInTheMiddle(t) {
			return
		}
	}
	t.Error("no append waited for the program that rewrites the file")
}

// appendInTheMiddle appends while another program writes the rest of the file, piece
// by piece. It reports whether the append waited for the end of that: a program that
// gets no time from the system for long cannot be waited for, and then the entry
// need not be there.
func appendInTheMiddle(t *testing.T) bool {
	t.Helper()
	const piece = 4 << 10
	var whole strings.Builder
	whole.WriteString(head)
	parent := ""
	for i := range 2000 {
		id := fmt.Sprintf("e%07d", i)
		whole.WriteString(line(id, parent, "user", strings.Repeat("x", piece)))
		parent = id
	}
	text := whole.String()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text[:16*piece]), 0o600); err != nil {
		t.Fatal(err)
	}
	var done, waited atomic.Bool
	s := open(t, path, pith.Options{OnConflict: pith.FollowNew, Now: func() time.Time {
		waited.Store(done.Load()) // the last time is right before the entry is written
		return time.Now()
	}})
	written := make(chan error)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		for at := 16 * piece; err == nil && at < len(text); at += piece {
			_, err = f.WriteAt([]byte(text[at:min(at+piece, len(text))]), int64(at))
		}
		done.Store(true)
		written <- errors.Join(err, f.Close())
	}()
	id, err := s.AppendMessage(message(t, "user", "acknowledged"))
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if !waited.Load() {
		return false
	}
	if err != nil {
		t.Fatalf("AppendMessage = %v", err)
	}
	if got := read(t, path); !strings.HasPrefix(got, text) || !strings.Contains(got[len(text):], id) {
		t.Errorf("the entry %s was acknowledged and is gone, or another is; the file has %d bytes, %d were written", id, len(got), len(text))
	}
	return true
}
