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

// With the hook, the request of the real Claude Code contains the earlier session that a
// prompt is about, and nothing for another prompt.
func TestClaudeCodeRecalls(t *testing.T) {
	stage := others.Require(t, "claude")
	stage.Start("the gyroscope drifts when the motor is warm\n@say Recalibrate the gyroscope after 40 degrees.")
	pithIn(t, stage, "install", "claude", "--recall", "--yes")
	for prompt, want := range map[string]bool{"why does the warm gyroscope drift?": true, "paint the fence green": false} {
		stage.Start(prompt)
		got := ""
		for _, m := range stage.Request(prompt) {
			for _, p := range m.Parts {
				if p.Text != nil && strings.Contains(*p.Text, "Recalibrate") {
					got = *p.Text
				}
			}
		}
		if (got != "") != want {
			t.Errorf("%q sent %q; want the earlier session: %v", prompt, got, want)
		}
	}
}
