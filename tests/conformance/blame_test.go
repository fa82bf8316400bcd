//go:build unix

package conformance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
	others "github.com/pith-sessions/pith/tests/interop/programs"
	"github.com/pith-sessions/pith/tests/interop/releases"
)

// A workshop is a Git repository in which people and real agents work. All agents have
// one home and use one model server.
type workshop struct {
	t             *testing.T
	home, project string
	model         string
	pi            pi.Installation
	stages        map[string]*others.Stage
}

func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	w := &workshop{t: t, pi: pi.Require(t, pi.V0_87_1), stages: map[string]*others.Stage{}}
	for _, name := range releases.Names() {
		s := others.Require(t, name)
		if w.home == "" {
			w.home, w.project, w.model = s.Home, s.Project, s.Model
		} else if err := os.CopyFS(w.home, os.DirFS(s.Home)); err != nil {
			t.Fatal(err)
		}
		s.Home, s.Project = w.home, w.project
		w.stages[name] = s
	}
	put(t, filepath.Join(w.home, ".pi", "agent", "models.json"), fmt.Sprintf(
		`{"providers":{"fake":{"baseUrl":%q,"api":"anthropic-messages","apiKey":"k","models":[{"id":"m1","contextWindow":200000,"maxTokens":8000}]}}}`, w.model), 0o600)
	put(t, filepath.Join(w.home, ".pi", "agent", "settings.json"), `{"defaultProvider":"fake","defaultModel":"m1"}`, 0o600)
	return w
}

// asks gives an agent a prompt. A call is the name of a tool and its arguments.
func (w *workshop) asks(agent, request string, calls ...string) {
	w.t.Helper()
	prompt := promptOf(request, calls...)
	switch agent {
	case "codex": // with a model that has apply_patch
		w.stages[agent].Run("", "exec", "--json", "--skip-git-repo-check", "-m", "gpt-5.5", prompt)
		return
	case "claude", "opencode", "gemini":
		w.stages[agent].Start(prompt)
		return
	}
	home := filepath.Join(w.home, ".pi", "agent")
	cmd := w.pi.Program(w.t.Context(), home, "-p", "--continue", prompt)
	cmd.Dir = w.project
	cmd.Env = append(cmd.Env, "NODE_DISABLE_COMPILE_CACHE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("pi: %v\n%s", err, out)
	}
}

// promptOf is a request that makes the model server answer with calls.
func promptOf(request string, calls ...string) string {
	for _, call := range calls {
		request += "\n@call " + call + "\n@then"
	}
	return request + "\n@say Done."
}

// toolCall is a tool call as the model server takes it.
func toolCall(tool string, args map[string]any) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return tool + " " + string(raw)
}

// replace changes a file by hand.
func (w *workshop) replace(name, from, to string) {
	w.t.Helper()
	path := filepath.Join(w.project, name)
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if strings.Count(string(data), from) != 1 {
		w.t.Fatalf("%s has %q not once:\n%s", name, from, data)
	}
	put(w.t, path, strings.Replace(string(data), from, to, 1), 0o644)
}

func (w *workshop) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=p", "-c", "user.email=p@example.com"}, args...)...)
	cmd.Dir = w.project
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// pith runs the pith command in the project.
func (w *workshop) pith(args ...string) string {
	w.t.Helper()
	dir, err := builtCommand()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(dir, "pith"), args...)
	cmd.Dir, cmd.Env = w.project, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.home}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		w.t.Fatalf("pith %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

// blame returns each line of a file after the request that wrote it, and the session of
// each request.
func (w *workshop) blame(name string) (lines string, sessions map[string]string) {
	w.t.Helper()
	var answer struct {
		Lines []struct {
			Text string
			Edit *int
		}
		Edits []struct{ ID, Request string }
	}
	if err := json.Unmarshal([]byte(w.pith("blame", name, "--json")), &answer); err != nil {
		w.t.Fatal(err)
	}
	var out strings.Builder
	sessions = map[string]string{}
	for _, l := range answer.Lines {
		by := "-"
		if l.Edit != nil {
			e := answer.Edits[*l.Edit]
			by, _, _ = strings.Cut(e.Request, "\n")
			sessions[by] = e.ID
		}
		fmt.Fprintf(&out, "%-9s| %s\n", by, l.Text)
	}
	return out.String(), sessions
}

// Five real agents, a subagent and a person change a file of a Git repository, which is renamed by
// Git and by mv. Each line is attributed to the request that wrote it, and no other.
func TestBlameOfRealHistory(t *testing.T) {
	t.Parallel()
	w := newWorkshop(t)
	path := func(name string) string { return filepath.Join(w.project, name) }

	w.asks("pi", "pi1", toolCall("write", map[string]any{"path": "lexer.go", "content": `package lexer

// Next returns the next token.
func Next(text string) Token {
	word := firstWord(text)
	return Token{Text: word}
}

// firstWord is everything before a blank.
func firstWord(text string) string {
	before, _, _ := strings.Cut(text, " ")
	return before
}
`}))
	w.replace("lexer.go", "package lexer\n", "package lexer\n\nimport \"strings\" // by hand\n")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "lexer")

	w.asks("claude", "delegate", toolCall("Agent", map[string]any{"description": "kinds", "subagent_type": "general-purpose", "prompt": promptOf("claude1",
		toolCall("Read", map[string]any{"file_path": path("lexer.go")}), toolCall("Edit", map[string]any{"file_path": path("lexer.go"),
			"old_string": "	word := firstWord(text)\n	return Token{Text: word}\n",
			"new_string": "	text = skipBlanks(text)\n	word := firstWord(text)\n	kind := kindOf(word)\n	return Token{Kind: kind, Text: word}\n"}))}))
	w.replace("lexer.go", "	kind := kindOf(word)\n", "	fmt.Println(\"debug\", word) // by hand too\n	kind := kindOf(word)\n")

	w.asks("codex", "codex1", `apply_patch *** Begin Patch\n*** Update File: lexer.go\n@@\n 	before, _, _ := strings.Cut(text, " ")\n+	before = strings.TrimSpace(before)\n 	return before\n }\n+\n+// skipBlanks removes blanks in front.\n+func skipBlanks(text string) string { return strings.TrimLeft(text, " ") }\n*** End Patch`)
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "more")
	w.git("mv", "lexer.go", "scan.go")
	w.git("commit", "-q", "-m", "rename")

	w.asks("opencode", "opencode1", toolCall("read", map[string]any{"filePath": path("scan.go")}), toolCall("edit", map[string]any{"filePath": path("scan.go"),
		"oldString": "// Next returns the next token.", "newString": "// Next returns the token at the beginning of a text."}))
	w.replace("scan.go", "package lexer", "package scan")

	w.asks("pi", "pi2", toolCall("bash", map[string]any{"command": "mv scan.go scanner.go"}),
		toolCall("edit", map[string]any{"path": "scanner.go", "edits": []any{map[string]any{"oldText": "	before = strings.TrimSpace(before)\n", "newText": "	before = strings.ToLower(strings.TrimSpace(before))\n"}}}))
	w.asks("gemini", "gemini1", toolCall("replace", map[string]any{"file_path": path("scanner.go"), "instruction": "rename", "old_string": "// firstWord is everything before a blank.",
		"new_string": "// firstWord is everything before a blank,\n// in small letters."}))
	w.asks("claude", "claude2", toolCall("Read", map[string]any{"file_path": path("scanner.go")}), toolCall("Edit", map[string]any{"file_path": path("scanner.go"), "old_string": "	fmt.Println(\"debug\", word) // by hand too\n", "new_string": ""}))

	const want = `-        | package scan
-        | 
-        | import "strings" // by hand
-        | 
opencode1| // Next returns the token at the beginning of a text.
pi1      | func Next(text string) Token {
claude1  | 	text = skipBlanks(text)
pi1      | 	word := firstWord(text)
claude1  | 	kind := kindOf(word)
claude1  | 	return Token{Kind: kind, Text: word}
-        | }
-        | 
gemini1  | // firstWord is everything before a blank,
gemini1  | // in small letters.
pi1      | func firstWord(text string) string {
pi1      | 	before, _, _ := strings.Cut(text, " ")
pi2      | 	before = strings.ToLower(strings.TrimSpace(before))
pi1      | 	return before
-        | }
codex1   | 
codex1   | // skipBlanks removes blanks in front.
codex1   | func skipBlanks(text string) string { return strings.TrimLeft(text, " ") }
`
	got, _ := w.blame("scanner.go")
	if got != want {
		t.Fatalf("blame:\n%s\nwant:\n%s", got, want)
	}
}
