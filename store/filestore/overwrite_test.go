package filestore_test

import (
	"errors"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Bytes are overwritten only if the expected bytes are there, and the file
// keeps its length.
func TestOverwrite(t *testing.T) {
	for _, sync := range []filestore.SyncPolicy{filestore.SyncNever, filestore.SyncAlways} {
		file := newFile(t, "title one\nrest\n")
		l := open(t, filestore.New(filestore.Options{Sync: sync}), file).(store.Overwriter)
		if err := l.Overwrite(t.Context(), 6, []byte("one"), []byte("two")); err != nil {
			t.Fatal(err)
		}
		for name, err := range map[string]error{
			"what stands there is another": l.Overwrite(t.Context(), 6, []byte("one"), []byte("six")),
			"behind the end":               l.Overwrite(t.Context(), 14, []byte("\nx"), []byte("\ny")),
		} {
			if !errors.Is(err, store.ErrConflict) {
				t.Errorf("%s: Overwrite = %v, want %v", name, err, store.ErrConflict)
			}
		}
		if err := l.Overwrite(t.Context(), 6, []byte("two"), []byte("three")); err == nil {
			t.Error("Overwrite took more bytes than stand there")
		}
		if got := read(t, file); got != "title two\nrest\n" {
			t.Errorf("the file holds %q", got)
		}
	}
}

// An error under a directory lock is returned, and the lock is released.
func TestWithDirLock(t *testing.T) {
	dir := t.TempDir() + "/new"
	failed := errors.New("failed")
	if err := filestore.WithDirLock(t.Context(), dir, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("WithDirLock = %v, want %v", err, failed)
	}
	called := false
	if err := filestore.WithDirLock(t.Context(), dir, func() error { called = true; return nil }); err != nil || !called {
		t.Errorf("WithDirLock again = %v, called: %v", err, called)
	}
}
