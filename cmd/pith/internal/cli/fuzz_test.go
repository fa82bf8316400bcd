package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Whatever a file contains, no command panics, every error is one line, and no
// terminal escapes are printed.
func FuzzOutput(f *testing.F) {
	seeds, err := filepath.Glob("testdata/sessions/*.jsonl")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seeds (%v): a fuzz target without a corpus tests nothing", err)
	}
	for _, path := range seeds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d := desk{cwd: "/", terminal: true, width: 40, env: map[string]string{"NO_COLOR": "1"}}
		for _, args := range [][]string{
			{"show", file, "--all-branches"}, {"show", file, "--json"}, {"tree", file, "--filter", "all"},
			{"context", file, "--repair"}, {"ls", "--all", "--session-dir", filepath.Dir(file)}, {"name", file}, {"doctor", "--dry-run", file},
		} {
			code, stdout, stderr := d.run(t, args...)
			checkHarmless(t, args, stdout+stderr)
			if !utf8.ValidString(stdout + stderr) {
				t.Errorf("pith %q printed what is not UTF-8", args)
			}
			if code != 0 && strings.Count(stderr, "\n") != 1 {
				t.Errorf("pith %q = %d and told %q; want one line", args, code, stderr)
			}
		}
		after, err := os.ReadFile(file)
		if err != nil || string(after) != string(data) {
			t.Errorf("reading changed the file (%v)", err)
		}
	})
}

// Any text, anywhere in a session, is printed without terminal escapes.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"text", "\x1b[31m", "\u009b2J", "\u202e\u2066", "a\r\nb\tc", "\x00\x7f\u2028", "漢字👩‍👩‍👧", strings.Repeat("x", 500)} {
		f.Add(seed)
	}
	template, err := os.ReadFile("testdata/everywhere.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "x.jsonl")
		quoted := string(jsonl.AppendString(nil, text))
		data := strings.ReplaceAll(string(template), "@@", quoted[1:len(quoted)-1])
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		d := desk{cwd: "/", terminal: true, width: 30, env: map[string]string{"NO_COLOR": "1"}}
		for _, args := range [][]string{
			{"show", file, "--all-branches"}, {"show", file, "--json", "--all-branches"}, {"tree", file, "--filter", "all"}, {"context", file},
			{"context", file, "--repair", "--model-roles"}, {"name", file}, {"label", file, "ee000002"}, {"show", file, "--at", text},
			{"ls", "--all", "--session-dir", filepath.Dir(file)},
		} {
			_, stdout, stderr := d.run(t, args...)
			checkHarmless(t, args, stdout+stderr)
		}
	})
}
