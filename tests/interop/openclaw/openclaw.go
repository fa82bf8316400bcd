// Package openclaw runs the real OpenClaw in tests: it fetches a pinned release
// from npm, the last that stores sessions in files, and runs its session
// manager on files. It never runs the agent and never calls a model; the child
// gets its own home directory.
package openclaw

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/tools"
)

// Version is the pinned release.
const Version = "2026.7.1"

// sessionManager is its module, relative to the package. It is imported by
// path, since the package's own entry point would load the whole program.
const sessionManager = "dist/session-manager-BKz2VYho.js"

// packages are the release and the dependencies of that module, at the versions
// that the release names. All dependencies would take 370 MB.
var packages = []string{
	"openclaw@" + Version, "@openclaw/ai@" + Version, "@openclaw/proxyline@0.3.3", "chalk@5.6.2", "json5@2.2.3", "kysely@0.29.2",
	"partial-json@0.1.7", "tslog@4.10.2", "typebox@1.3.3", "undici@8.5.0",
}

//go:embed host.mjs
var script []byte

// An Installation is OpenClaw on this machine, ready to Run.
type Installation struct{ node, module string }

// String returns its location.
func (in Installation) String() string { return in.module }

// Install makes the release available in the test cache. It does not fetch
// anything twice, and announces each fetch through logf.
func Install(ctx context.Context, logf func(format string, args ...any)) (Installation, error) {
	node, err := pi.Node(ctx, logf)
	if err != nil {
		return Installation{}, err
	}
	modules, err := pi.Pack(ctx, "openclaw-"+Version+"-sessions", logf, packages...)
	if err != nil {
		return Installation{}, err
	}
	return Installation{node, filepath.Join(modules, "openclaw", filepath.FromSlash(sessionManager))}, nil
}

// Require returns an installation, or skips the test.
func Require(t testing.TB) Installation {
	t.Helper()
	in, err := Install(t.Context(), t.Logf)
	tools.Need(t, "OpenClaw "+Version, err)
	return in
}

// A Step is an operation on a session file: "view" it, "say" a text as the user
// with a response, "rename" it, "label" an entry, "branch" to an entry,
// "compact" the entries before one, choose a "model", "fork" all of it, or
// "clone" the path to its leaf.
type Step struct {
	Op     string `json:"op"`
	File   string `json:"file"`
	Text   string `json:"text,omitempty"`
	Target string `json:"target,omitempty"`
}

// A View is OpenClaw's view of a session.
type View struct {
	File     string            `json:"file"` // of the step, or of the copy that it made
	LeafID   string            `json:"leafId"`
	Name     string            `json:"name"`
	Model    string            `json:"model"`
	Labels   map[string]string `json:"labels"`
	Messages []json.RawMessage `json:"messages"`
}

// Run runs the steps in order, with home as the directory of the child, and
// returns OpenClaw's view after each.
func (in Installation) Run(ctx context.Context, home string, steps ...Step) ([]View, error) {
	main := filepath.Join(home, "openclaw-host.mjs")
	if err := os.WriteFile(main, script, 0o600); err != nil {
		return nil, err
	}
	todo, err := json.Marshal(steps)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, in.node, main, in.module, string(todo))
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "TZ=UTC"}
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("OpenClaw %s: %w: %.2000s", Version, err, failed.String())
	}
	var views []View
	if err := json.Unmarshal(out.Bytes(), &views); err != nil {
		return nil, fmt.Errorf("OpenClaw %s printed %.200q: %w", Version, out.String(), err)
	}
	return views, nil
}
