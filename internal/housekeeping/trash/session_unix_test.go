//go:build unix

package trash_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// Opening a pipe would block until a process writes into it.
func TestPipeStays(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Put(pipe, trash.Options{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Put of a pipe = %v, want that it is not a regular file", err)
	}
}
