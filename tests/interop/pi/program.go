package pi

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package is the folder of the release: dist, docs and examples are below it.
func (in Installation) Package() string {
	return strings.TrimSuffix(in.Module, filepath.FromSlash("/"+sessionManagerModule))
}

// Program is pi itself as a command, with home as its home and as pi's own folder.
// It asks the models that the files there name, so that a caller who wants no
// network gives it a models.json with a server of its own.
func (in Installation) Program(ctx context.Context, home string, args ...string) *exec.Cmd {
	script := filepath.Join(in.Package(), "dist", "cli.js")
	cmd := exec.CommandContext(ctx, in.Node, append([]string{script}, args...)...)
	cmd.Env = append(childEnv(home), "PI_CODING_AGENT_DIR="+home, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0")
	return cmd
}
