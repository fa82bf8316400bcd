package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// pitfall 151: a person is asked once where to continue a session whose
// directory is gone.
func TestMissingCwdIsAskedOnce(t *testing.T) {
	const question = "the directory of this session is missing: /home/u/proj\ncontinue in directory ["
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	other := t.TempDir()
	tests := map[string]struct {
		answer string
		code   int
		asked  int  // how often a model answers
		again  bool // the question comes again
	}{
		"Enter":     {answer: "\n", asked: 2},
		"a folder":  {answer: other + "\n", asked: 2},
		"no folder": {answer: "nowhere\n", code: 3, again: true},
		"Ctrl+D":    {answer: "", again: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := atModel(t, llmtest.Text("yes"), llmtest.Text("yes"))
			d.terminal = true
			answers := 0
			for i := range 2 {
				d.stdin = strings.NewReader(tt.answer)
				code, stdout, stderr := d.run(t, "prompt", file, "--model", "test-anthropic/test-model", "really?")
				if code != tt.code || strings.Contains(stderr, question) != (i == 0 || tt.again) {
					t.Errorf("pith prompt %d, answered %q = %d, %q; want %d", i+1, tt.answer, code, stderr, tt.code)
				}
				answers += strings.Count(stdout, "yes\n")
			}
			if answers != tt.asked {
				t.Errorf("answered %q: the model answered %d times; want %d", tt.answer, answers, tt.asked)
			}
		})
	}
}

// Every member of a session in JSON is a column of --format too.
func TestEveryFactIsAColumn(t *testing.T) {
	dir := sessionsCopy(t)
	d := desk{}
	code, stdout, stderr := d.run(t, "ls", "--all", "--json", "--session-dir", dir)
	var sessions []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stdout), &sessions); err != nil || code != 0 || len(sessions) == 0 {
		t.Fatalf("pith ls --json = %d, %v, %s", code, err, stderr)
	}
	for name := range sessions[0] {
		if code, stdout, stderr := d.run(t, "ls", "--all", "--format", name, "--session-dir", dir); code != 0 || strings.Count(stdout, "\n") != len(sessions) {
			t.Errorf("pith ls --format %s = %d, %q, %s; want %d lines", name, code, stdout, stderr, len(sessions))
		}
	}
}

// A list on a narrow terminal keeps the mark of a missing directory.
func TestMissingFolderInTable(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	d := desk{terminal: true, width: 100, env: map[string]string{"HOME": home, "NO_COLOR": "1"}, cwd: filepath.Join(home, "a-project-with-a-very-long-name-that-is-cut")}
	if err := os.Mkdir(d.cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := d.run(t, "new", "--id", "s1", "--message", "hello", "--session-dir", dir); code != 0 {
		t.Fatalf("pith new = %d, %s", code, stderr)
	}
	for _, want := range []string{"  …-a-very-long-name-that-is-cut\n", "  …g-name-that-is-cut  (missing)\n"} {
		if _, stdout, _ := d.run(t, "ls", "--all", "--session-dir", dir); !strings.HasSuffix(stdout, want) {
			t.Errorf("pith ls --all = %q; want %q at its end", stdout, want)
		}
		if err := os.RemoveAll(d.cwd); err != nil {
			t.Fatal(err)
		}
	}
}
