//go:build unix

package pith_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith"
)

// Opening a pipe would wait for ever for somebody to write into it.
func TestDeleteRefusesAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	bin := pith.Trash{Dir: filepath.Join(t.TempDir(), "trash")}
	if _, err := bin.Delete(pipe); !errors.Is(err, pith.ErrNotSession) {
		t.Errorf("Delete of a pipe = %v, want ErrNotSession", err)
	}
}
