package pith_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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
