// Package omp runs the real oh-my-pi in tests: it fetches a pinned release and
// its Bun from npm, and runs its session manager on files. It never runs the
// agent and never calls a model; the child gets its own home directory.
package omp

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/tools"
)

// The pinned releases.
const (
	Version    = "18.2.3"
	bunVersion = "1.4.4"
	ompPackage = "@oh-my-pi/pi-coding-agent"
)

//go:embed host.mjs
var script []byte

// An Installation is oh-my-pi on this machine, ready to Run.
type Installation struct{ bun, module string }

// String returns its location.
func (in Installation) String() string { return in.module }

// Install makes the release available in the test cache. It does not fetch
// anything twice, and announces each fetch through logf.
func Install(ctx context.Context, logf func(format string, args ...any)) (Installation, error) {
	pkg := map[string]string{
		"linux/amd64": "@oven/bun-linux-x64-baseline",
		"linux/arm64": "@oven/bun-linux-aarch64",
	}[runtime.GOOS+"/"+runtime.GOARCH]
	if pkg == "" {
		return Installation{}, errors.New("there is no Bun for this system")
	}
	dir, err := pi.Fetch(ctx, pkg, bunVersion, logf)
	if err != nil {
		return Installation{}, err
	}
	in := Installation{bun: filepath.Join(dir, "bin", "bun")}
	if err := os.Chmod(in.bun, 0o755); err != nil {
		return Installation{}, fmt.Errorf("npm package %s@%s: %w", pkg, bunVersion, err)
	}
	if dir, err = pi.Fetch(ctx, ompPackage, Version, logf); err != nil {
		return Installation{}, err
	}
	in.module = filepath.Join(dir, "src", "session", "session-manager.ts")
	return in, nil
}

// Require returns an installation, or skips the test.
func Require(t testing.TB) Installation {
	t.Helper()
	in, err := Install(t.Context(), t.Logf)
	tools.Need(t, "oh-my-pi "+Version, err)
	return in
}

// A Step is an operation on a session file: "view" it, "say" a text as the
// user, "rename" it, "label" an entry, "branch" to an entry, "compact" the
// entries before one, choose a "model", "fork" all of it, or "clone" the path
// to its leaf.
type Step struct {
	Op     string `json:"op"`
	File   string `json:"file"`
	Text   string `json:"text,omitempty"`
	Target string `json:"target,omitempty"`
}

// A View is oh-my-pi's view of a session.
type View struct {
	File     string            `json:"file"` // of the step, or of the copy that it made
	LeafID   string            `json:"leafId"`
	Name     string            `json:"name"`
	Model    string            `json:"model"`
	Labels   map[string]string `json:"labels"`
	Messages []json.RawMessage `json:"messages"`
}

// Run runs the steps in order, with home as the directory of the child, and
// returns oh-my-pi's view after each.
func (in Installation) Run(ctx context.Context, home string, steps ...Step) ([]View, error) {
	main := filepath.Join(home, "host.mjs")
	if err := os.WriteFile(main, script, 0o600); err != nil {
		return nil, err
	}
	todo, err := json.Marshal(steps)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, in.bun, main, in.module, string(todo))
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "TZ=UTC"}
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("oh-my-pi %s: %w: %.2000s", Version, err, failed.String())
	}
	var views []View
	if err := json.Unmarshal(out.Bytes(), &views); err != nil {
		return nil, fmt.Errorf("oh-my-pi %s printed %.200q: %w", Version, out.String(), err)
	}
	return views, nil
}
