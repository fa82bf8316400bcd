package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
)

// Every command line of the skill works as written, on the demo sessions.
func TestSkillCommandsWork(t *testing.T) {
	text, err := os.ReadFile("firststeps/skill.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	demo := corpus.Demos(folder)[0]
	file := filepath.Join(folder, filepath.Base(filepath.FromSlash(demo.Path)))
	if err := os.WriteFile(file, demo.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	d := desk{cwd: demo.Cwd, env: map[string]string{"PITH_SESSION_DIR": folder, "HOME": t.TempDir()}}
	names := strings.NewReplacer(
		"CHILD_FILE", file, "SESSION", "'duplicate delivery mails'", "ENTRY_A", "7df898f2", "ENTRY_B", "reproduced", "ENTRY", "7df8",
	)
	ran := 0
	for line := range strings.Lines(string(text)) {
		command, isCommand := strings.CutPrefix(line, "    pith ")
		if !isCommand {
			continue
		}
		command, _, _ = strings.Cut(command, " # ")
		command, _, _ = strings.Cut(command, " | ")
		args := shellWords(names.Replace(command))
		code, stdout, stderr := d.run(t, args...)
		if code != 0 && !(code == 1 && args[0] == "search") || stdout+stderr == "" { // the demo has no match
			t.Errorf("pith %q = %d, %q, %s", args, code, stdout, stderr)
		}
		ran++
	}
	if ran < 20 {
		t.Errorf("%d commands found in the skill", ran)
	}
}

var shellWord = regexp.MustCompile(`'[^']*'|[^\s]+`)

// shellWords splits a line at its spaces, outside single quotes.
func shellWords(line string) []string {
	words := shellWord.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}
