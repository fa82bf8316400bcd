package filestore_test

import (
	"errors"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

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
