package pi

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
)

// Package returns the directory of the release, which contains dist, docs and
// examples.
func (in Installation) Package() string {
	return strings.TrimSuffix(in.Module, filepath.FromSlash("/"+sessionManagerModule))
}

// Program returns a command that runs pi, with home as its home and as pi's own
// directory. It calls the models that the files there name, so a caller that
// wants no network provides a models.json with its own server.
func (in Installation) Program(ctx context.Context, home string, args ...string) *exec.Cmd {
	script := filepath.Join(in.Package(), "dist", "cli.js")
	cmd := exec.CommandContext(ctx, in.Node, append([]string{script}, args...)...)
	cmd.Env = append(childEnv(home), "PI_CODING_AGENT_DIR="+home, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0")
	return cmd
}
