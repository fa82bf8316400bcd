//go:build unix

package catalog_test

import (
	"syscall"
	"testing"
)

// makePipe makes a pipe; opening it for reading would block.
func makePipe(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
