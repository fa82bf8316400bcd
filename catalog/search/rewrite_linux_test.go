package search_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/catalog"
)

// A session that pi truncates after it was listed, and then writes again, is
// found: the search waits for it.
func TestRewrittenDuringTheSearch(t *testing.T) {
	dir := t.TempDir()
	text := session("a", "/w", message(1, "user", `"the needle"`), message(2, "user", `"something else"`))
	path := write(t, filepath.Join(dir, "a.jsonl"), text)
	o := inDir(t, dir)
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o.Catalog))
	if err != nil || len(infos) != 1 {
		t.Fatalf("ListAll = %d sessions, %v", len(infos), err)
	}
	o.Sessions = infos
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := waitForReader(t, path)
	var writer sync.WaitGroup
	writer.Go(func() {
		read() // a reader has seen the empty file
		_, err := out.WriteString(text)
		if err := errors.Join(err, out.Close()); err != nil {
			t.Error(err)
		}
	})
	if got := entries(ask(t, "needle", o)); got != "a/e1" {
		t.Errorf("Search(needle) while the file is rewritten = %q, want a/e1", got)
	}
	writer.Wait()
}

// A session that became shorter for good is searched as it is.
func TestShorterThanListed(t *testing.T) {
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", `"the needle"`), message(2, "user", `"the needle again"`)))
	o := inDir(t, dir)
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o.Catalog))
	if err != nil {
		t.Fatal(err)
	}
	o.Sessions = infos
	write(t, path, session("a", "/w", message(1, "user", `"the needle"`)))
	if got := entries(ask(t, "needle", o)); got != "a/e1" {
		t.Errorf("Search(needle) in a file that is shorter than listed = %q, want a/e1", got)
	}
}

// waitForReader returns a function that waits until a reader closes a file.
func waitForReader(t *testing.T, path string) func() {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, path, unix.IN_CLOSE_NOWRITE); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := unix.Read(fd, make([]byte, 4096)); err != nil {
			t.Error(err)
		}
	}
}
