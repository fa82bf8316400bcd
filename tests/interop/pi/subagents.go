package pi

import (
	"context"
	"path/filepath"
	"testing"
)

// Subagents makes the published extension pi-subagents available in the test cache
// and returns the file that pi loads. It runs in releases from 0.80.0 on.
func Subagents(ctx context.Context, logf func(format string, args ...any)) (string, error) {
	const name, version = "pi-subagents", "0.67.0"
	dir, err := Fetch(ctx, name, version, logf)
	return filepath.Join(dir, "index.ts"), err
}

// RequireSubagents is Subagents for a test, with the rules of Require.
func RequireSubagents(t testing.TB) string {
	t.Helper()
	path, err := Subagents(t.Context(), t.Logf)
	missing(t, "pi-subagents", err)
	return path
}
