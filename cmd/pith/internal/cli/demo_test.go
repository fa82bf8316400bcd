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

// runLines runs the commands in the indented lines of a text. Each must succeed
// and print something on standard output; doctor exits with 8 when it finds the
// damage of the demo.
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
			well := code == 0 || code == 8 && args[0] == "doctor"
			if !well || strings.TrimSpace(stdout) == "" {
				t.Errorf("pith %q = %d, %q, %s", args, code, stdout, stderr)
			}
			ran++
		}
	}
	return ran
}
