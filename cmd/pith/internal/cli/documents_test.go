package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
)

var (
	commandSpan   = regexp.MustCompile("`pith ([^`]+)`")
	shellBlock    = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$|((?:^    pith [^\n]*\n)+)")
	codeBlock     = regexp.MustCompile("(?ms)^```.*?^```$")
	fieldOfFilter = regexp.MustCompile(`\.([a-zA-Z]+)|[{,] ?([a-zA-Z]+)`)
	flagOfCommand = regexp.MustCompile(`--[a-z][a-z-]+`)
)

const documentsRoot = "../../../../docs"

// documentPaths returns README.md and everything below docs.
func documentPaths(t *testing.T) []string {
	t.Helper()
	paths := []string{filepath.Join(filepath.Dir(documentsRoot), "README.md")}
	err := filepath.WalkDir(documentsRoot, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// TestDocumentedCommandsWork runs every `pith ...` that a document has in its prose
// on the demo, and parses those in sh blocks, which need a database, a model or a
// browser. Console blocks are run by TestDocumentExamples.
func TestDocumentedCommandsWork(t *testing.T) {
	documents := documentPaths(t)
	folder := t.TempDir()
	var file string
	for _, demo := range corpus.Demos(folder) {
		path := filepath.Join(folder, filepath.Base(filepath.FromSlash(demo.Path)))
		if err := os.WriteFile(path, demo.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if file == "" {
			file = path
		}
	}
	d := &desk{cwd: corpus.Demos(folder)[0].Cwd, env: map[string]string{"PITH_SESSION_DIR": folder, "HOME": t.TempDir()}}
	names := strings.NewReplacer("SESSION", file, "ENTRY", "7df8", "PATH", file, "FILE", file, "REF", file, "--view V", "--view toc", "--into DIR", "--into "+t.TempDir())
	ran := map[string]bool{}
	for _, path := range append(documents, "../../../../CONTRIBUTING.md", "firststeps/skill.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		prose := codeBlock.ReplaceAllString(string(text), "")
		for _, match := range commandSpan.FindAllStringSubmatch(prose, -1) {
			command := strings.TrimSpace(match[1])
			if ran[command] || strings.ContainsAny(command, "…[|<>") || strings.ToUpper(command) == command && !strings.HasPrefix(command, "@") && !strings.HasPrefix(command, "-") {
				continue
			}
			ran[command] = true
			runDocumented(t, d, filepath.Base(path), shellWords(names.Replace(command)))
		}
		for _, match := range shellBlock.FindAllStringSubmatch(consoleBlock.ReplaceAllString(string(text), ""), -1) {
			parseDocumented(t, d, filepath.Base(path), match[1]+match[2])
		}
	}
	if len(ran) < 25 {
		t.Errorf("%d commands found in the documents", len(ran))
	}
}

// parseDocumented has pith parse the commands of a shell script, with --help.
func parseDocumented(t *testing.T, d *desk, document, script string) {
	t.Helper()
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(line, " # ")
		for _, args := range pithCalls(line) {
			if _, filter, ok := strings.Cut(line, "| jq "); ok {
				checkFilter(t, d, document, args, filter)
			}
			at := min(1, len(args)) // after the name: pith mark takes everything after a session for marks
			if code, stdout, stderr := d.run(t, slices.Insert(args, at, "--help")...); code != 0 || !strings.Contains(stdout, "Usage:") {
				t.Errorf("%s: %q = %d, %s", document, strings.TrimSpace(line), code, stderr)
			}
		}
	}
}

// checkFilter checks that the JSON of a command has the fields that a jq filter names.
// A command about a session that the demo does not have is not checked.
func checkFilter(t *testing.T, d *desk, document string, args []string, filter string) {
	t.Helper()
	d.stdin = strings.NewReader("")
	code, stdout, _ := d.run(t, slices.Clone(args)...)
	if code != 0 && code != 8 {
		return
	}
	for _, m := range fieldOfFilter.FindAllStringSubmatch(filter, -1) {
		if name := m[1] + m[2]; !strings.Contains(stdout, `"`+name+`":`) {
			t.Errorf("%s: the JSON of pith %q has no field %q", document, args, name)
		}
	}
}

// runDocumented runs one command of a document. A name alone means the command,
// which must have help; commands that need a terminal must say so.
func runDocumented(t *testing.T, d *desk, document string, args []string) {
	t.Helper()
	bare := len(args) == 1 && !strings.HasPrefix(args[0], "@") && !strings.HasPrefix(args[0], "-")
	if bare || args[0] == "serve" || slices.Contains(args, "--watch") { // these do not end
		args = append(args, "--help")
	}
	d.stdin = strings.NewReader("")
	code, stdout, stderr := d.run(t, args...)
	switch {
	case code == 0 || code == 8:
	case code == 2 && strings.Contains(stderr, "not a terminal"):
	case code == 2 && !strings.Contains(stderr, "unknown"): // a part of a command
		flags := flagOfCommand.FindAllString(strings.Join(args, " "), -1)
		words := args[:max(1, slices.IndexFunc(args, isFlag))]
		_, help, _ := d.run(t, append(slices.Clone(words), "--help")...)
		for _, flag := range flags {
			if !strings.Contains(help, flag) {
				t.Errorf("%s: pith %s has no flag %s", document, args[0], flag)
			}
		}
	case code == 3 && strings.HasPrefix(args[0], "@"): // there may be no such session in this project
	default:
		t.Errorf("%s: pith %q = %d, %q, %s", document, args, code, stdout, stderr)
	}
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// The requests that rpc.md begins with are answered.
func TestDocumentedRequestsWork(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/reference/rpc.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "$ pith rpc\n")
	block, _, _ = strings.Cut(block, "```")
	var requests []string
	for line := range strings.Lines(block) {
		if strings.Contains(line, `"method"`) {
			requests = append(requests, strings.ReplaceAll(line, "/home/me/app", filepath.ToSlash(t.TempDir())))
		}
	}
	t.Setenv("HOME", t.TempDir()) // the library makes sessions, and asks the process where
	d := &desk{stdin: strings.NewReader(strings.Join(requests, ""))}
	code, stdout, stderr := d.run(t, "rpc")
	if code != 0 || len(requests) < 3 || strings.Count(stdout, `"result"`) != len(requests) {
		t.Errorf("pith rpc with the %d requests of the document = %d, %s %s", len(requests), code, stdout, stderr)
	}
}
