// Package openclaw puts the real OpenClaw on the other side of tests: it fetches a
// pinned release from npm, the last that keeps sessions in files, and runs its session
// manager over files. It never runs the agent and never talks to a model; the child
// gets a folder of its own as home.
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
)

// Version is the pinned release.
const Version = "2026.7.1"

// sessionManager is the module of it, in the folder of the package. It is imported by
// path: the package's own entry would load the whole program.
const sessionManager = "dist/session-manager-BKz2VYho.js"

// packages are the release and what that module loads, at the versions that the
// release names. All that it depends on would be 370 MB.
var packages = []string{
	"openclaw@" + Version, "@openclaw/ai@" + Version, "@openclaw/proxyline@0.3.3", "chalk@5.6.2", "json5@2.2.3", "kysely@0.29.2",
	"partial-json@0.1.7", "tslog@4.10.2", "typebox@1.3.3", "undici@8.5.0",
}

//go:embed host.mjs
var script []byte

// An Installation is OpenClaw on this machine, ready to Run.
type Installation struct{ node, module string }

// String says where it is.
func (in Installation) String() string { return in.module }

// Install makes the release available in the test cache. What is there already is not
// fetched again. Each fetch is announced through logf.
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

// Require returns an installation. Where it cannot be had, the test is skipped with
// the reason; with CI=true in the environment it fails.
func Require(t testing.TB) Installation {
	t.Helper()
	in, err := Install(t.Context(), t.Logf)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("OpenClaw %s cannot be run: %v", Version, err)
	default:
		t.Skipf("skipped, because OpenClaw %s cannot be run here: %v", Version, err)
	}
	return in
}

// A Step is one thing to do with a session file: "view" it, "say" a text as the user
// and have it answered, "rename" it, "label" an entry, "branch" to an entry,
// "compact" what stands before one, choose a "model", "fork" the whole of it, or
// "clone" the path to its leaf.
type Step struct {
	Op     string `json:"op"`
	File   string `json:"file"`
	Text   string `json:"text,omitempty"`
	Target string `json:"target,omitempty"`
}

// A View is what OpenClaw shows of a session.
type View struct {
	File     string            `json:"file"` // of the step, or the copy that it made
	LeafID   string            `json:"leafId"`
	Name     string            `json:"name"`
	Model    string            `json:"model"`
	Labels   map[string]string `json:"labels"`
	Messages []json.RawMessage `json:"messages"`
}

// Run does the steps one after the other, with home as the folder of the child, and
// returns what OpenClaw shows after each.
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
