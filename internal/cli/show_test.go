package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/corpus"
	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/reader"
)

// showViews are the flags of every view.
var showViews = [][]string{
	{}, {"--view", "toc"}, {"--view", "issues"}, {"--view", "overview"}, {"--view", "full", "--all-branches"}, {"--view", "tools"},
	{"--view", "costs"}, {"--view", "toc", "--search", "the"}, {"--view", "subagents"}, {"--view", "files"}, {"--view", "conversation", "--last", "2"}, {"--budget", "500"},
}

// zooFiles writes every odd session and the demo sessions into a folder.
func zooFiles(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	add := func(name string, data []byte) {
		path := filepath.Join(dir, fmt.Sprintf("%03d-%s.jsonl", len(files), strings.NewReplacer(" ", "-", "/", "-").Replace(name)))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	for _, odd := range corpus.Odd() {
		add(odd.Name, odd.Bytes)
	}
	for _, demo := range corpus.Demos(dir) {
		add(demo.Name, demo.Bytes)
	}
	return files
}

// Every view of every odd file can be printed in every format, on a terminal too,
// and holds nothing that a terminal would obey.
func TestShowTheZoo(t *testing.T) {
	piped := desk{cwd: t.TempDir()}
	terminal := desk{cwd: t.TempDir(), terminal: true, width: 60, env: map[string]string{"NO_COLOR": "1"}}
	for _, file := range zooFiles(t) {
		want, _, _ := piped.run(t, "show", file, "--raw")
		if headless(t, file) {
			want = 0 // raw lines would lack the header, everything else can be told
		}
		views := showViews
		if info, err := os.Stat(file); err == nil && info.Size() > 256<<10 {
			views = views[:2] // it is odd by its size alone
		}
		for _, view := range views {
			for _, f := range []string{"text", "markdown", "json"} {
				args := append([]string{"show", file, "--format", f}, view...)
				d := &piped
				if f == "text" {
					d = &terminal
				}
				code, stdout, stderr := d.run(t, args...)
				if code != want {
					t.Errorf("pith %q = %d, %s; want %d", args, code, stderr, want)
				}
				if f == "json" && len(view) == 0 {
					continue // entries as they are in the file
				}
				checkHarmless(t, args, stdout+stderr)
				if f == "json" && code == 0 && !json.Valid([]byte(stdout)) {
					t.Errorf("pith %q printed what is no JSON", args)
				}
			}
		}
	}
}

// headless reports whether a file is a session but for its header.
func headless(t *testing.T, file string) bool {
	t.Helper()
	r, err := doctor.Check(file, doctor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(r.Findings, func(f doctor.Finding) bool { return f.Code == doctor.MissingHead })
}

// A list of any view stays near its budget, and following what it says about the
// rest comes to an end.
func TestBudgetOfLists(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	file := filepath.Join(d.cwd, "s.jsonl")
	o := corpus.Options{Seed: 3, Entries: 900, Branches: 3, CompactEvery: 200, Cwd: d.cwd}
	if err := corpus.WriteFile(file, o); err != nil {
		t.Fatal(err)
	}
	const budget = 1200
	for _, view := range []string{"toc", "issues", "tools", "costs", "files", "overview", "conversation", "full"} {
		for _, f := range []string{"text", "markdown"} {
			args := []string{"show", file, "--view", view, "--format", f, "--budget", fmt.Sprint(budget)}
			code, stdout, stderr := d.run(t, args...)
			if took := reader.Tokens(stdout); code != 0 || took > budget*3/2 || took < budget/8 {
				t.Errorf("pith %q = %d, %d tokens, %s; want about %d", args, code, took, stderr, budget)
			}
		}
		var answer struct{ Page struct{ Earlier *string } }
		args := []string{"show", file, "--view", view, "--json", "--budget", fmt.Sprint(budget)}
		for n := 0; ; n++ {
			code, stdout, stderr := d.run(t, args...)
			answer.Page.Earlier = nil
			if err := json.Unmarshal([]byte(stdout), &answer); code != 0 || err != nil || n > 900 {
				t.Fatalf("pith %q, the %dth page = %d, %v, %s", args, n, code, err, stderr)
			}
			if answer.Page.Earlier == nil {
				break
			}
			args = strings.Fields(*answer.Page.Earlier)[1:]
		}
	}
}

// Every line of what was said on the path stands in the full view.
func TestFullViewHoldsEveryText(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	lines := 0
	for _, file := range zooFiles(t) {
		s, err := pith.Open(file, pith.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		_, stdout, _ := d.run(t, "show", file, "--view", "full", "--max-content", "0")
		path, err := s.Path(s.LeafID())
		if err != nil {
			t.Fatal(err)
		}
		for e, err := range path {
			if err != nil {
				t.Fatal(err)
			}
			m, ok := e.(*format.MessageEntry)
			if !ok {
				continue
			}
			for _, text := range textsOf(m.Message) {
				for line := range strings.SplitSeq(plain.Text(text), "\n") {
					lines++
					if line = strings.TrimSpace(line); !strings.Contains(stdout, line) {
						t.Errorf("pith show --view full of %s lacks %q", filepath.Base(file), line[:min(len(line), 80)])
					}
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if lines < 500 {
		t.Fatalf("%d lines seen: this test tests too little", lines)
	}
}

func textsOf(m format.Message) []string {
	var content format.Content
	switch m := m.(type) {
	case *format.User:
		content = m.Content
	case *format.Assistant:
		content = m.Content
	case *format.ToolResult:
		content = m.Content
	case *format.BashExecution:
		return []string{m.Command, m.Output}
	}
	texts := []string{content.Text}
	for _, b := range content.Blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			texts = append(texts, b.Text)
		case *format.ThinkingBlock:
			if !b.Redacted {
				texts = append(texts, b.Thinking)
			}
		}
	}
	return texts
}

// An output with a budget keeps to it.
func TestBudgetIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long.jsonl")
	if err := corpus.WriteFile(file, corpus.Options{Entries: 400, Branches: 3, CompactEvery: 100, Labels: 3, Images: true}); err != nil {
		t.Fatal(err)
	}
	d := desk{cwd: t.TempDir()}
	for _, f := range []string{"text", "plain", "markdown", "json"} {
		for _, view := range []string{"conversation", "full"} {
			for _, budget := range []int64{200, 500, 2000, 10_000} {
				args := []string{"show", file, "--view", view, "--format", f, "--budget", fmt.Sprint(budget)}
				code, stdout, stderr := d.run(t, args...)
				if code != 0 {
					t.Fatalf("pith %q = %d, %s", args, code, stderr)
				}
				if got := reader.Tokens(stdout); got > budget || budget >= 2000 && got < budget/2 {
					t.Errorf("pith %q took %d tokens", args, got)
				}
			}
		}
	}
}

// docs/cli.md names every member of the JSON of every view.
func TestDocumentNamesEveryMemberOfShow(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "long.jsonl")
	if err := corpus.WriteFile(file, corpus.Options{Entries: 300, Branches: 4, CompactEvery: 100, Labels: 3, Images: true}); err != nil {
		t.Fatal(err)
	}
	d := desk{cwd: dir}
	files := []string{file}
	for _, demo := range corpus.Demos(dir) {
		path := filepath.Join(dir, demo.Name+".jsonl")
		if err := os.WriteFile(path, demo.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	named := map[string]bool{}
	for _, file := range files {
		for _, view := range showViews {
			if len(view) > 1 && view[1] == "subagents" {
				continue
			}
			args := append([]string{"show", file, "--json"}, view...)
			code, stdout, _ := d.run(t, args...)
			var v any
			if code != 0 || json.Unmarshal([]byte(stdout), &v) != nil {
				continue
			}
			for name := range shownMembers(v) {
				if named[name] {
					continue
				}
				named[name] = true
				if !regexp.MustCompile("[`\" {]" + regexp.QuoteMeta(name) + "[`\",}]").Match(text) {
					t.Errorf("docs/cli.md does not name the member %q of pith %q", name, args)
				}
			}
		}
	}
}

// shownMembers are the names in a value, without those of entries and arguments,
// which are the file's.
func shownMembers(v any) map[string]bool {
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
				if name != "path" && name != "arguments" {
					todo = append(todo, value)
				}
			}
		}
	}
	return found
}

// Every flag that the skill file names exists.
func TestSkillNamesFlagsThatExist(t *testing.T) {
	var d desk
	_, skill, _ := d.run(t, "skill")
	seen := 0
	for _, line := range strings.Split(skill, "\n") {
		text, ok := strings.CutPrefix(line, "    pith ")
		if !ok {
			continue
		}
		text, _, _ = strings.Cut(text, "#")
		words := strings.Fields(text)
		code, help, stderr := d.run(t, words[0], "--help")
		if code != 0 {
			t.Errorf("the skill names pith %s: %s", words[0], stderr)
		}
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(text, -1) {
			seen++
			if !strings.Contains(help, flag) {
				t.Errorf("the skill names %s of pith %s, which has none", flag, words[0])
			}
		}
	}
	if seen < 10 {
		t.Fatalf("%d flags seen: this test tests too little", seen)
	}
}
