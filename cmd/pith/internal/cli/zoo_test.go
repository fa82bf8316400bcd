package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/tests/corpus"
)

// zoo writes the zoo, and keeps local time the same on every machine.
func zoo(t *testing.T) (string, map[string]corpus.Exhibit) {
	t.Helper()
	local := time.Local
	time.Local = time.UTC
	t.Cleanup(func() { time.Local = local })
	dir := t.TempDir()
	all, err := corpus.WriteZoo(dir)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]corpus.Exhibit{}
	for _, e := range all {
		byName[e.Name] = e
	}
	return dir, byName
}

// golden compares an output with its golden file. The directory of the zoo is
// written as $ZOO there.
func golden(t *testing.T, name, dir, got string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // paths are written differently there
	}
	got = strings.ReplaceAll(got, dir, "$ZOO")
	file := filepath.Join("testdata", "zoo", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s (%v): got\n%s\nwant\n%s", file, err, got, want)
	}
}

func TestSubagentsGolden(t *testing.T) {
	dir, all := zoo(t)
	seen := 0
	for name, e := range all {
		if e.ChildMicros == 0 {
			continue
		}
		seen++
		var d desk
		code, stdout, stderr := d.run(t, "subagents", filepath.Join(dir, filepath.FromSlash(e.Session)))
		if code != 0 || stderr != "" {
			t.Errorf("pith subagents of %s = %d, %s", name, code, stderr)
		}
		checkHarmless(t, []string{name}, stdout)
		golden(t, name+".subagents.txt", dir, stdout)
	}
	if seen < 10 {
		t.Errorf("the zoo has %d exhibits with subagents", seen)
	}
}

func TestDiffGolden(t *testing.T) {
	dir, all := zoo(t)
	for _, name := range []string{"branches", "fork", "continued", "strangers"} {
		args := []string{"diff", filepath.Join(dir, filepath.FromSlash(all[name].Session))}
		if all[name].Other != "" {
			args = append(args, filepath.Join(dir, filepath.FromSlash(all[name].Other)))
		}
		var d desk
		code, stdout, stderr := d.run(t, args...)
		if code != 0 || stderr != "" {
			t.Errorf("pith %q = %d, %s", args, code, stderr)
		}
		golden(t, name+".diff.txt", dir, stdout)
	}
}

// No line of a tree or a comparison is wider than the terminal. Paths stay whole: they
// are there to be copied.
func TestZooWidths(t *testing.T) {
	dir, all := zoo(t)
	for _, width := range []int{20, 40, 80, 119, 120, 200} {
		d := desk{terminal: true, width: width}
		for _, args := range [][]string{
			{"subagents", filepath.Join(dir, filepath.FromSlash(all["late-nested"].Session))},
			{"diff", filepath.Join(dir, filepath.FromSlash(all["branches"].Session))},
		} {
			code, stdout, stderr := d.run(t, args...)
			if code != 0 {
				t.Errorf("pith %q at %d columns = %d, %s", args, width, code, stderr)
			}
			for line := range strings.Lines(stdout) {
				line = withoutColours(strings.TrimSuffix(line, "\n"))
				if w := termsafe.Width(line); w > width && !strings.Contains(line, dir) && !strings.Contains(line, "conversation found") {
					t.Errorf("pith %q at %d columns: a line of %d cells: %q", args, width, w, line)
				}
			}
		}
	}
}

// docs/reference/json.md names every member of the JSON, and the totals are in it.
func TestZooJSON(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, all := zoo(t)
	for name, e := range all {
		file := filepath.Join(dir, filepath.FromSlash(e.Session))
		commands := [][]string{{"subagents", file, "--json"}}
		if e.Other != "" {
			commands = append(commands, []string{"diff", file, filepath.Join(dir, filepath.FromSlash(e.Other)), "--json"})
		}
		for _, args := range commands {
			var d desk
			code, stdout, stderr := d.run(t, args...)
			var v map[string]any
			if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil {
				t.Fatalf("pith %q = %d, %v, %s", args, code, err, stderr)
			}
			for member := range members(v, "lines", "messages") {
				if !regexp.MustCompile("[`\" {]" + member + "[`\",}]").Match(text) {
					t.Errorf("docs/reference/json.md does not name the member %q of pith %s", member, args[0])
				}
			}
			if spent, ok := v["children"].(map[string]any); ok != (args[0] == "subagents") || ok && spent["costMicros"] != float64(e.ChildMicros) && name != "branches" {
				t.Errorf("%s: children spent %v; want %d", name, spent["costMicros"], e.ChildMicros)
			}
		}
	}
}

func TestSubagentsArguments(t *testing.T) {
	dir, all := zoo(t)
	late := filepath.Join(dir, filepath.FromSlash(all["late"].Session))
	strangers := filepath.Join(dir, filepath.FromSlash(all["strangers"].Session))
	for _, tt := range []struct {
		args   []string
		code   int
		stdout string // a part of it
		stderr string
	}{
		{args: []string{"subagents"}, code: 2},
		{args: []string{"subagents", late, "--at", "@root", "--all-branches"}, code: 2, stderr: "cannot be used together"},
		{args: []string{"subagents", late, "--at", "nowhere"}, code: 3},
		{args: []string{"subagents", late, "--at", "@root"}, stderr: "no subagents ran on this branch"},
		{args: []string{"subagents", strangers, "--all-branches"}, stderr: "no subagents ran in this session"},
		{args: []string{"diff", strangers}, code: 3, stderr: "has only one branch"},
		{args: []string{"diff", strangers, "@root", "@leaf"}, stdout: "A ends there; B continues"},
		{args: []string{"diff", strangers, "@leaf", "@leaf"}, stdout: "they are the same"},
		{args: []string{"diff", strangers, "@leaf", "nowhere"}, code: 3},
		{args: []string{"diff", strangers, ""}, code: 2},
		{args: []string{"diff", strangers, filepath.Join(dir, "none.jsonl")}, code: 3},
		{args: []string{"diff"}, code: 2},
	} {
		var d desk
		code, stdout, stderr := d.run(t, tt.args...)
		if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("pith %q = %d\n%s%s\nwant %d, %q, %q", tt.args, code, stdout, stderr, tt.code, tt.stdout, tt.stderr)
		}
	}
}

// Whatever runs, results and responses contain, no terminal escapes are
// printed.
func TestZooIsHarmless(t *testing.T) {
	dir, all := zoo(t)
	shown := 0
	hostile := strings.NewReplacer(`: "`, `: "\u001b]0;x\u0007\u202e\u2028`)
	for name, e := range all {
		for _, f := range e.Files {
			var out []byte
			for line := range bytes.Lines(f.Bytes) {
				var v map[string]any
				if json.Unmarshal(line, &v) == nil && v["type"] == "message" {
					line = []byte(hostile.Replace(spaced(line)) + "\n")
				}
				out = append(out, line...)
			}
			if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(f.Path)), out, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		file := filepath.Join(dir, filepath.FromSlash(e.Session))
		for _, args := range [][]string{{"subagents", file}, {"subagents", file, "--json"}, {"diff", file, file}, {"diff", file, file, "--json"}} {
			d := desk{terminal: true, width: 140, env: map[string]string{"NO_COLOR": "1"}}
			code, stdout, stderr := d.run(t, args...)
			if code != 0 {
				t.Errorf("%s: pith %q = %d, %s", name, args, code, stderr)
			}
			checkHarmless(t, args, stdout+stderr)
			shown += strings.Count(stdout, `\x1b`)
		}
	}
	if shown == 0 {
		t.Errorf("nothing harmful was shown: this test tests nothing")
	}
}

// spaced puts a space before the value of every member that has free text.
func spaced(line []byte) string {
	text := string(line)
	for _, member := range []string{"agent", "task", "text", "model", "thinking", "error", "errorMessage", "cause", "sessionFile", "transcriptPath", "outputPath", "runId", "workflowKey",
		"label", "agents", "finalOutput", "assignment", "path", "context", "abortReason"} {
		text = strings.ReplaceAll(text, `"`+member+`":"`, `"`+member+`": "`)
	}
	return strings.TrimSpace(text)
}
