package cli_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// TestFirstMinute runs every command that `pith demo` proposes. The tutorial is run by
// TestDocumentExamples.
func TestFirstMinute(t *testing.T) {
	d := atModel(t, llmtest.Text("They pass."))
	folder := t.TempDir()
	code, proposed, stderr := d.run(t, "demo", folder)
	if code != 0 {
		t.Fatalf("pith demo = %d, %s", code, stderr)
	}
	d.env["PITH_SESSION_DIR"] = folder
	_, proposed, _ = strings.Cut(proposed, "\nTry:\n")
	again := t.TempDir() // The proposed commands are for an unchanged demo.
	if code, _, stderr := d.run(t, "demo", again); code != 0 {
		t.Fatalf("pith demo = %d, %s", code, stderr)
	}
	if ran := runLines(t, d, strings.ReplaceAll(proposed, folder, again)); ran < 7 {
		t.Errorf("%d commands found in what pith demo says", ran)
	}
}

// TestFirstContact runs every command that pith suggests to a user without sessions, as
// printed.
func TestFirstContact(t *testing.T) {
	d := &desk{cwd: t.TempDir(), env: map[string]string{"HOME": t.TempDir()}}
	code, stdout, stderr := d.run(t)
	if code != 0 || stderr != "" {
		t.Fatalf("pith = %d, %s", code, stderr)
	}
	_, tries, _ := strings.Cut(stdout, "\nTry:\n")
	if ran := runLines(t, d, tries); ran != 3 {
		t.Errorf("%d commands in what pith prints, want 3:\n%s", ran, stdout)
	}
}

// runLines runs the commands in the indented lines of a text. Each must succeed
// and print something on standard output; doctor and secrets exit with 8 when they
// find what the demo has for them.
func runLines(t *testing.T, d *desk, text string) (ran int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, " #")
		for command := range strings.SplitSeq(line, "&&") {
			name, rest, _ := strings.Cut(strings.TrimSpace(command), " ")
			if name != "pith" || rest == "" || strings.HasPrefix(rest, "demo") {
				continue // pith alone is the app
			}
			args := shellWords(strings.ReplaceAll(rest, `"`, `'`))
			code, stdout, stderr := d.run(t, args...)
			well := code == 0 || code == 8 && (args[0] == "doctor" || args[0] == "secrets")
			if !well || strings.TrimSpace(stdout) == "" {
				t.Errorf("pith %q = %d, %q, %s", args, code, stdout, stderr)
			}
			ran++
		}
	}
	return ran
}
