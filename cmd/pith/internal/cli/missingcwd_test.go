package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// pitfall 151: a person is asked once where to continue a session whose
// directory is gone.
func TestMissingCwdIsAskedOnce(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	question := "the directory of this session is missing: /home/u/proj\nCtrl+D cancels; then copy it to a project with pith fork " + file +
		" --into DIR, or if the directory was moved, run pith move /home/u/proj NEW\ncontinue in directory ["
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

// The commands that a note about a missing directory offers can be copied,
// whatever the directory is named.
func TestMissingCwdIsQuoted(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.ReplaceAll(string(data), `"/home/u/proj"`, `"/home/u/it's\u001b[31m; x"`)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	d := atModel(t, llmtest.Text("yes"))
	code, _, stderr := d.run(t, "prompt", file, "--model", "test-anthropic/test-model", "really?")
	want := "run pith move $'/home/u/it\\'s\\033[31m; x' NEW\n"
	if runtime.GOOS == "windows" {
		want = "NEW\n"
	}
	if code != 0 || !strings.HasSuffix(stderr, want) || strings.Contains(stderr, "\x1b") {
		t.Errorf("pith prompt = %d, %q; want %q at its end", code, stderr, want)
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
