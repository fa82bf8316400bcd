//go:build unix

package redact_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// A pipe in place of .env is reported and not waited for, and neither is a file
// that cannot be settings.
func TestCollectWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	pipe, large := filepath.Join(dir, ".env"), filepath.Join(dir, ".env.backup")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 1<<30); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".env.local"), []byte("API_KEY=Tr0ub4dor-and-3-zq9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secrets, err := redact.Collect(redact.Sources{Projects: []string{dir}})
	if len(secrets) != 1 {
		t.Errorf("Collect = %v; want the secret of .env.local", secrets)
	}
	told := map[string]bool{}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range several.Unwrap() {
			if source := (*redact.SourceError)(nil); errors.As(err, &source) {
				told[source.File] = true
			}
		}
	}
	if !told[pipe] || !told[large] {
		t.Errorf("Collect told of %v; want %s and %s", err, pipe, large)
	}
}
