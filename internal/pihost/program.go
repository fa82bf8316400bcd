package pihost

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// Package is the folder of the release: dist, docs and examples are below it.
func (in Installation) Package() string {
	dir := filepath.Dir(in.Module)
	for filepath.Base(dir) != "dist" {
		dir = filepath.Dir(dir)
	}
	return filepath.Dir(dir)
}

// Program is pi itself as a command, with home as its home and as pi's own folder.
// It asks the models that the files there name, so that a caller who wants no
// network gives it a models.json with a server of its own.
func (in Installation) Program(ctx context.Context, home string, args ...string) *exec.Cmd {
	script := filepath.Join(in.Package(), "dist", "cli.js")
	cmd := exec.CommandContext(ctx, in.Node, append([]string{script}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, "PI_CODING_AGENT_DIR="+home, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0")
	return cmd
}
