package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestHelpHasExamples checks that the help of every command ends with examples.
func TestHelpHasExamples(t *testing.T) {
	var d desk
	for _, name := range commandNames(t) {
		if _, help, _ := d.run(t, name, "--help"); !strings.Contains(help, "Examples:") {
			t.Errorf("pith %s --help has no examples", name)
		}
	}
}

// commandNames are the commands that pith --help lists.
func commandNames(t *testing.T) (names []string) {
	t.Helper()
	var d desk
	_, help, _ := d.run(t, "--help")
	for _, c := range regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[A-Z]`).FindAllStringSubmatch(help, -1) {
		names = append(names, c[1])
	}
	if len(names) < 18 {
		t.Fatalf("pith --help lists %d commands:\n%s", len(names), help)
	}
	return names
}

func TestDocumentNamesEveryMember(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reference/json.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := sessionsCopy(t)
	file := filepath.Join(dir, "talk.jsonl")
	torn := filepath.Join(dir, "torn.jsonl")
	if err := os.WriteFile(torn, []byte(`{"type":"session","version":3,"id":"torn","timestamp":"2026-02-03T10:00:00.000Z","cwd":""}`+"\n{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := desk{env: map[string]string{"XDG_DATA_HOME": t.TempDir(), "PITH_CACHE_DIR": t.TempDir()}}
	t.Setenv("PATH", "")
	for _, args := range [][]string{
		{"ls", "--all", "--session-dir", dir}, {"search", "linker", "--session-dir", dir}, {"doctor", "--reindex", "--session-dir", dir}, {"show", torn}, {"show", filepath.Join(dir, "old.jsonl")}, {"tree", file},
		{"context", filepath.Join(dir, "compacted.jsonl"), "--repair"},
		{"append", file, "text"}, {"compact", file, "--keep-tokens", "1", "--dry-run"}, {"compact", file, "--keep-tokens", "1"},
		{"branch", file, "aa000006", "--summarize"}, {"branch", file, "aa000006"}, {"name", file}, {"label", file, "aa000006"},
		{"new", "--session-dir", dir, "--message", "x"}, {"fork", file, "aa00000a"}, {"clone", file},
		{"doctor", torn, "--dry-run"}, {"demo", filepath.Join(dir, "demo")}, {"version"}, {"rm", "--yes", file}, {"trash"}, {"trash", "restore", "talk.jsonl"},
	} {
		args = append(args, "--json")
		code, stdout, stderr := d.run(t, args...)
		var v any
		if err := json.Unmarshal([]byte(stdout), &v); code != 0 || err != nil {
			t.Errorf("pith %q = %d, %v, %s", args, code, err, stderr)
		}
		for name := range members(v, "lines", "messages") {
			if !regexp.MustCompile("[`\" {]" + name + "[`\",}]").Match(text) {
				t.Errorf("docs/reference/json.md does not name the member %q of pith %q", name, args)
			}
		}
	}
}

// members are the names in a value, without those below the given ones, which are
// the file's.
func members(v any, foreign ...string) map[string]bool {
	found := map[string]bool{}
	todo := []any{v}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch v := v.(type) {
		case []any:
			todo = append(todo, v...)
		case map[string]any:
			for name, value := range v {
				found[name] = true
				if !slices.Contains(foreign, name) {
					todo = append(todo, value)
				}
			}
		}
	}
	return found
}

// Help of every command fits into a usual terminal, and has the words that flags take.
func TestHelpFits(t *testing.T) {
	d := desk{}
	words := map[string]string{"show": "conversation, toc, full", "ls": "recent, created", "tree": "default, no-tools", "export": "html, md, jsonl, atif"}
	commands := [][]string{nil, {"team", "init"}, {"team", "status"}, {"team", "grant"}, {"team", "purge"}}
	for _, name := range commandNames(t) {
		commands = append(commands, []string{name})
	}
	for _, command := range commands {
		name := strings.Join(command, " ")
		_, stdout, _ := d.run(t, append(command, "--help")...)
		_, flags, _ := strings.Cut(stdout, "\nFlags:\n")
		if !strings.Contains(strings.Join(strings.Fields(flags), " "), words[name]) {
			t.Errorf("help of pith %s does not say %q:\n%s", name, words[name], flags)
		}
		for line := range strings.Lines(stdout) {
			if cells := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); cells > 80 {
				t.Errorf("help of pith %s has a line of %d cells: %s", name, cells, line)
			}
		}
	}
}
