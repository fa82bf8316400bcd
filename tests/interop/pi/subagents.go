package pi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/tests/testcache"
	"github.com/pith-sessions/pith/tests/tools"
)

// Subagents makes the published extension pi-subagents available in the test
// cache and returns the file that pi loads. It runs in releases since 0.80.0.
func Subagents(ctx context.Context, logf func(format string, args ...any)) (string, error) {
	dir, err := Fetch(ctx, "pi-subagents", subagentsVersion, logf)
	return filepath.Join(dir, "index.ts"), err
}

const subagentsVersion = "0.67.0"

// CompiledSubagents returns the directory jiti that pi writes to the temporary
// directory after compiling the extension, which takes twenty seconds. A copy
// of it there avoids the compilation.
func (in Installation) CompiledSubagents(ctx context.Context, extension string) (string, error) {
	dir, err := testcache.Folder(ctx, "pi-subagents-"+subagentsVersion+"-compiled-by-"+string(in.Version), func(ctx context.Context, dir string) error {
		home, err := os.MkdirTemp("", "pi-home-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(home)
		cmd := in.Program(ctx, home, "--extension", extension, "--list-models")
		cmd.Dir = home
		cmd.Env = append(cmd.Env, "TMPDIR="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("pi compiles %s: %w: %s", extension, err, out)
		}
		return nil
	})
	return filepath.Join(dir, "jiti"), err
}

// RequireSubagents is Subagents for a test, which is skipped without it.
func RequireSubagents(t testing.TB) string {
	t.Helper()
	path, err := Subagents(t.Context(), t.Logf)
	tools.Need(t, "pi-subagents", err)
	return path
}
