package cli_test

import (
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
	commandLine   = regexp.MustCompile(`(?m)^(?:    |)\$ pith (.+)$`)
	commandHead   = regexp.MustCompile(`(?m)^### pith ([a-z]+(?: [a-z]+)?)(.*)$`)
	flagOfCommand = regexp.MustCompile(`--[a-z][a-z-]+`)
)

// Every command that a document shows is run on the demo: whole ones as they stand,
// names of commands for their help. Flags in the headings of cli.md exist.
func TestDocumentedCommandsWork(t *testing.T) {
	documents, err := filepath.Glob("../../../../docs/*/*.md")
	if err != nil || len(documents) < 5 {
		t.Fatalf("found the documents %q, %v", documents, err)
	}
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
	names := strings.NewReplacer("SESSION", "'duplicate delivery mails'", "ENTRY", "7df8", "PATH", file, "FILE", file, "REF", "'duplicate delivery mails'", "--view V", "--view toc")
	ran := map[string]bool{}
	for _, path := range append(documents, "../../../../README.md", "../../../../CONTRIBUTING.md", "firststeps/skill.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := append(commandSpan.FindAllStringSubmatch(string(text), -1), commandLine.FindAllStringSubmatch(string(text), -1)...)
		for _, match := range found {
			command := strings.TrimSpace(match[1])
			if ran[command] || strings.ContainsAny(command, "…[|<>") || strings.ToUpper(command) == command && !strings.HasPrefix(command, "@") && !strings.HasPrefix(command, "-") {
				continue
			}
			ran[command] = true
			runDocumented(t, d, filepath.Base(path), shellWords(names.Replace(command)))
		}
		for _, match := range commandHead.FindAllStringSubmatch(string(text), -1) {
			_, help, _ := d.run(t, append(strings.Fields(match[1]), "--help")...)
			for _, flag := range flagOfCommand.FindAllString(match[2], -1) {
				if !strings.Contains(help, flag) {
					t.Errorf("%s: pith %s has no flag %s", filepath.Base(path), match[1], flag)
				}
			}
		}
	}
	if len(ran) < 25 {
		t.Errorf("%d commands found in the documents", len(ran))
	}
}

// runDocumented runs one command of a document. A name alone stands for the command,
// which has a help; what needs a terminal says so.
func runDocumented(t *testing.T, d *desk, document string, args []string) {
	t.Helper()
	bare := len(args) == 1 && !strings.HasPrefix(args[0], "@") && !strings.HasPrefix(args[0], "-")
	if bare {
		args = append(args, "--help")
	}
	d.stdin = strings.NewReader("")
	code, stdout, stderr := d.run(t, args...)
	switch {
	case code == 0 || code == 8:
	case code == 2 && strings.Contains(stderr, "needs a terminal"):
	case code == 2 && (strings.Contains(stderr, "usage: ") || strings.Contains(stderr, "needs an argument") || strings.Contains(stderr, "pith: which ")):
		flags := flagOfCommand.FindAllString(strings.Join(args, " "), -1)
		words := args[:max(1, slices.IndexFunc(args, isFlag))]
		_, help, _ := d.run(t, append(slices.Clone(words), "--help")...) // a part of a command
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
