//go:build unix

package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	others "github.com/pith-sessions/pith/tests/interop/programs"
)

// pithIn runs the pith command with the home of a program, in its project.
func pithIn(t *testing.T, stage *others.Stage, args ...string) string {
	t.Helper()
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "pith"), args...)
	cmd.Dir, cmd.Env = stage.Project, []string{"HOME=" + stage.Home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pith %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// After pith install the real programs list the server, and those that try it say that
// it is connected. After --remove they do not list it.
func TestProgramsListTheInstalledServer(t *testing.T) {
	for name, connected := range map[string]string{
		"claude": "Connected", "codex": "", "opencode": "connected", "gemini": "Connected", // the list of Codex starts nothing
	} {
		t.Run(name, func(t *testing.T) {
			stage := others.Require(t, name)
			pithIn(t, stage, "install", name, "--yes", "--", "--all")
			list := stage.Run("", "mcp", "list")
			if !strings.Contains(list, "pith") || !strings.Contains(list, connected) || strings.Contains(strings.ToLower(list), "disconnected") {
				t.Errorf("%s mcp list = %s\nwant pith, %s", name, list, connected)
			}
			if again := pithIn(t, stage, "install", name, "--yes", "--", "--all"); !strings.Contains(again, "nothing to change") {
				t.Errorf("installed again: %s", again)
			}
			pithIn(t, stage, "install", name, "--yes", "--remove")
			if list := stage.Run("", "mcp", "list"); strings.Contains(list, "pith") {
				t.Errorf("%s mcp list = %s\nwant no pith", name, list)
			}
		})
	}
}
