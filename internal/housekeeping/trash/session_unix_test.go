//go:build unix

package trash_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// Opening a pipe would block until a process writes into it.
func TestSessionRefusesAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.PutSession(pipe, trash.Options{Dir: t.TempDir()}); !errors.Is(err, format.ErrNotSession) {
		t.Errorf("PutSession of a pipe = %v, want ErrNotSession", err)
	}
}
