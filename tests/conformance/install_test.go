//go:build unix

package conformance_test

import (
	"fmt"
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

// With the hook, the requests of the real Claude Code contain the earlier session that a
// prompt is about, and nothing for a prompt about something else.
func TestClaudeCodeRecalls(t *testing.T) {
	stage := others.Require(t, "claude")
	for i, said := range []string{
		"the gyroscope drifts when the motor is warm\tRecalibrate the gyroscope after 40 degrees.",
		"customers get two delivery mails for one parcel\tThe worker's lease expired while the mail server was slow.",
		"the invoice export is one cent off\tRound the sums of the invoice once, after adding.",
		"nightly backup stops with exit code 24\trsync returns 24 when files vanish; the backup may ignore it.",
		"the login page loops forever in Safari\tSafari drops the login cookie without SameSite=Lax.",
		"weather forecast posted in the wrong time zone\tThe forecast used UTC; read the zone of the channel.",
		"thumbnails of portrait photos are rotated\tApply the EXIF orientation before the thumbnail is cut.",
		"flaky websocket test on the build server\tThe websocket test waited for the wrong handshake frame.",
		"postgres migration locks the orders table\tCreate the index concurrently, outside the migration's transaction.",
		"the parser rejects emoji in identifiers\tThe parser compared bytes; use the XID tables for emoji.",
	} {
		question, answer, _ := strings.Cut(said, "\t")
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"0199aaaa-0000-7000-8000-00000000000%d","timestamp":"2026-10-01T1%d:00:00.000Z","cwd":%q}`, i, i, stage.Project) + "\n" +
			fmt.Sprintf(`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-10-01T10:00:01.000Z","message":{"role":"user","content":%q,"timestamp":1790848801000}}`, question) + "\n" +
			fmt.Sprintf(`{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-10-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":%q}],"provider":"p","model":"m","stopReason":"stop","timestamp":1790848802000}}`, answer) + "\n"
		put(t, filepath.Join(stage.Home, ".pi", "agent", "sessions", "--p--", fmt.Sprintf("2026-10-01T1%d-00-00-000Z_0199aaaa-0000-7000-8000-00000000000%d.jsonl", i, i)), text, 0o600)
	}
	pithIn(t, stage, "install", "claude", "--recall", "--yes")
	recalled := func(prompt string) (got string) {
		t.Helper()
		stage.Start(prompt)
		for _, m := range stage.Request(prompt) {
			for _, p := range m.Parts {
				if p.Text != nil && strings.Contains(*p.Text, "found by pith") {
					got = *p.Text
				}
			}
		}
		return got
	}
	right := 0
	for i, prompt := range []string{
		"why does the warm gyroscope drift?", "a customer got the delivery mail of a parcel twice", "the invoice sums are one cent off again",
		"the nightly backup stopped again, exit code 24", "login in Safari loops", "the forecast has the wrong time zone again",
		"are thumbnails of portrait photos rotated?", "the websocket test is flaky on the build server", "does the migration lock the orders table in postgres?",
		"can identifiers have emoji in the parser?",
	} {
		if got := recalled(prompt); strings.Contains(got, fmt.Sprintf("- 0199aaaa-0000-7000-8000-00000000000%d/", i)) {
			right++
		} else {
			t.Logf("%q got %q", prompt, got)
		}
	}
	if right < 8 {
		t.Errorf("%d of 10 prompts got the right session, want 8", right)
	}
	for _, prompt := range []string{"paint the fence green", "write a haiku about autumn", "what is the capital of France?", "continue", "add a dark mode to the settings page"} {
		if got := recalled(prompt); got != "" {
			t.Errorf("%q got %q", prompt, got)
		}
	}
}

// After a compaction the real Claude Code gets the reference of its own session, and a
// new session gets nothing.
func TestClaudeCodeRecallsAfterCompaction(t *testing.T) {
	stage := others.Require(t, "claude")
	pithIn(t, stage, "install", "claude", "--recall", "--yes")
	stage.Start("paint the fence green")
	id := sessionWith(t, stage, "paint the fence green")
	recalled := func(prompt string) string { return strings.Join(textsOf(stage, prompt), "\n") }
	if sent := recalled("paint the fence green"); strings.Contains(sent, "found by pith") {
		t.Errorf("a new session got %s", sent)
	}
	stage.Resume(id, "", "/compact")
	stage.Resume(id, "", "which color was it?")
	if sent := recalled("which color was it?"); !strings.Contains(sent, "found by pith") || !strings.Contains(sent, "- "+id+" ") {
		t.Errorf("after the compaction it got %s; want %s", sent, id)
	}
}
