//go:build unix

package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// emptyHome marks a document whose examples start without any sessions. The others
// start with the demo in ~/pith-demo and PITH_SESSION_DIR set to it.
const emptyHome = "<!-- The examples start in an empty home directory. -->"

// withModel marks a document whose examples ask a model. It answers as modelSays.
const (
	withModel = "<!-- The examples have a model. -->"
	modelSays = "Yes. 20 of 20 runs pass."
	modelName = "anthropic/claude-sonnet-4-5" // as the documents call it
)

// TestDocumentExamples runs the console blocks of every document in a shell and
// compares the output. Run it with -update to rewrite the output in the documents.
//
// The commands of a document share one home directory, so a document reads as one
// terminal session. A command must succeed, unless it ends in "; echo $?".
func TestDocumentExamples(t *testing.T) {
	documents := documentPaths(t)
	ran := 0
	for _, path := range documents {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !consoleBlock.Match(data) {
			continue
		}
		text := string(data)
		name, err := filepath.Rel(filepath.Dir(documentsRoot), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			sh := newShell(t, !strings.Contains(text, emptyHome))
			if strings.Contains(text, withModel) {
				sh.configureModel(t)
			}
			got := consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
				return "```console\n" + sh.replay(t, consoleBlock.FindStringSubmatch(block)[1]) + "```"
			})
			switch {
			case got == text:
			case t.Failed():
			case *update:
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("the output differs; if that is intended, run: go test ./cmd/pith/internal/cli -run 'TestDocumentExamples' -update\n%s", firstDifference(text, got))
			}
		})
		ran++
	}
	if ran < 5 {
		t.Errorf("%d documents have examples", ran)
	}
}

// A shell runs commands one after the other with the same environment and directory.
type shell struct {
	home, state string
	model       string          // that documents call modelName; "" for none
	demo        map[string]bool // the IDs in the demo sessions, which never change
}

func newShell(t *testing.T, demo bool) *shell {
	t.Helper()
	made, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(made) })
	dir, err := filepath.EvalSymlinks(made)
	if err != nil {
		t.Fatal(err)
	}
	// The demo contains the path of its directory. A path of a fixed length makes its
	// files always of the same size.
	dir = filepath.Join(dir, strings.Repeat("-", max(1, 100-len(dir))))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sh := &shell{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), demo: map[string]bool{}}
	if err := errors.Join(os.Mkdir(sh.home, 0o700), os.WriteFile(sh.state, []byte("cd '"+sh.home+"'\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	text, err := sh.run(t, "pith demo ~/demo-ids && cat ~/demo-ids/*.jsonl ~/demo-ids/*/*.jsonl 2>/dev/null; rm -r ~/demo-ids ~/.local ~/.cache 2>/dev/null; true")
	if err != nil {
		t.Fatalf("pith demo: %v\n%s", err, text)
	}
	for _, id := range generatedID.FindAllString(text, -1) {
		sh.demo[id] = true
	}
	if demo {
		setUp := "pith demo ~/pith-demo && export PITH_SESSION_DIR=~/pith-demo && find ~/pith-demo -name '*.jsonl' -exec touch -t 202607030000 {} +"
		if text, err := sh.run(t, setUp); err != nil {
			t.Fatalf("pith demo: %v\n%s", err, text)
		}
	}
	return sh
}

// configureModel starts a model and puts it where pi would.
func (sh *shell) configureModel(t *testing.T) {
	t.Helper()
	server := llmtest.NewServer()
	t.Cleanup(server.Close)
	server.AnswerFunc(func(llmtest.Request) llmtest.Answer { return llmtest.Text(modelSays) })
	dir := filepath.Join(sh.home, ".pi", "agent")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "models.json"), []byte(server.ModelsJSON()), 0o600)); err != nil {
		t.Fatal(err)
	}
	sh.model = "test-anthropic/test-model"
}

// replay runs the commands of a console block and returns the block with their
// output. Output that differs only in generated IDs and times keeps its old text.
func (sh *shell) replay(t *testing.T, block string) string {
	t.Helper()
	var out strings.Builder
	for _, part := range regexp.MustCompile(`(?m)^\$ `).Split(block, -1)[1:] {
		command, old, _ := strings.Cut(part, "\n")
		for strings.HasSuffix(command, `\`) {
			var next string
			next, old, _ = strings.Cut(old, "\n")
			command += "\n" + next
		}
		got, err := sh.run(t, command)
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, got)
		}
		if sh.stable(got) == sh.stable(old) {
			got = old
		}
		out.WriteString("$ " + command + "\n" + got)
	}
	return out.String()
}

// run returns what a command prints on standard output and standard error.
func (sh *shell) run(t *testing.T, command string) (string, error) {
	t.Helper()
	if sh.model != "" {
		command = strings.ReplaceAll(command, modelName, sh.model)
	}
	script := ". '" + sh.state + "'\n" + command + "\nx=$?\n{ export -p; echo cd \\'\"$PWD\"\\'; } > '" + sh.state + "'\nexit $x\n"
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = []string{"HOME=" + sh.home, "PATH=" + os.Getenv("PATH"), "TZ=UTC", "LANG=C.UTF-8", "USER=me", "GORACE=" + atOnce}
	data, err := cmd.CombinedOutput()
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 8 {
		err = nil // doctor and secrets found something
	}
	text := strings.ReplaceAll(string(data), sh.home, "/home/me")
	text = testProgram.ReplaceAllString(text, "/usr/local/bin/pith")
	if sh.model != "" {
		text = strings.ReplaceAll(text, sh.model, modelName)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(text, ""), err
}

var (
	testProgram   = regexp.MustCompile(`/[^\s"]*/testscript-main[^/]*/bin/pith`)
	trashID       = regexp.MustCompile(`\b20\d{6}-\d{6}-[a-z0-9]{4}\b`)
	generatedID   = regexp.MustCompile(`(?:\b|_)[0-9a-f]{8}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?\b`)
	generatedTime = regexp.MustCompile(`\b20\d\d-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d(?:[.-]\d+Z?)?)?`)
)

// stable replaces everything that differs between two runs.
func (sh *shell) stable(text string) string {
	text = trashID.ReplaceAllString(text, "ITEM")
	text = generatedTime.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "2026-0") || strings.HasPrefix(s, "2025-") {
			return s // in the demo
		}
		return "TIME"
	})
	return generatedID.ReplaceAllStringFunc(text, func(s string) string {
		if sh.demo[strings.TrimPrefix(s, "_")] {
			return s
		}
		return "ID"
	})
}

func firstDifference(old, now string) string {
	a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "documented: " + a[i] + "\nprinted:    " + b[i]
		}
	}
	return "one is longer than the other"
}
