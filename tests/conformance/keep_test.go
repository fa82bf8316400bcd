//go:build unix

package conformance_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	others "github.com/pith-sessions/pith/tests/interop/programs"
)

// pithFails runs the pith command with the home of a program; it must fail.
func pithFails(t *testing.T, stage *others.Stage, want string, args ...string) {
	t.Helper()
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "pith"), args...)
	cmd.Dir, cmd.Env = stage.Project, []string{"HOME=" + stage.Home, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf("pith %v: %v, %s; want %q", args, err, out, want)
	}
}

// filesBelow are the files below a directory, with modes, times and contents.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = fmt.Sprintf("%v %v %s", info.Mode(), info.ModTime(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sessionWith is the ID of the session whose first message is a text.
func sessionWith(t *testing.T, stage *others.Stage, text string) string {
	t.Helper()
	var rows []struct{ ID, FirstMessage string }
	if err := json.Unmarshal([]byte(pithIn(t, stage, "ls", "--all", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.FirstMessage == text {
			return r.ID
		}
	}
	t.Fatalf("no session begins with %q: %v", text, rows)
	return ""
}

// The real Claude Code shows the name that pith gave to a session, does not list it
// while it is in the trash, and lists and resumes it after a restore.
func TestClaudeCodeListsWhatPithKeeps(t *testing.T) {
	stage := others.Require(t, "claude")
	put(t, filepath.Join(stage.Home, ".claude.json"), fmt.Sprintf(
		`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["fake-key"]},"projects":{%q:{"hasTrustDialogAccepted":true}}}`, stage.Project), 0o600)
	term := newTerminal(t, stage.Home, stage.Project, 130, 30)
	cmd := stage.Command(t.Context())
	for _, variable := range cmd.Env {
		if name, _, _ := strings.Cut(variable, "="); name != "TERM" && name != "PATH" {
			term.runs("export '" + variable + "'")
		}
	}
	claude := cmd.Args[0]
	id := ""
	for _, question := range []string{"what stays here", "what goes away"} {
		term.runs("clear; " + claude)
		term.sees("❯")
		term.says(question, "Answer to: "+question)
		if question == "what goes away" {
			id = sessionWith(t, stage, question)
			pithFails(t, stage, "Claude Code has the session open", "rm", id, "--yes")
			pithFails(t, stage, "Claude Code has the session open", "name", id, "x", "--yes")
		}
		term.types("/exit")
		term.press("Enter")
		term.shell()
	}
	lists := func(want, never string) {
		t.Helper()
		term.runs("clear; " + claude + " --resume")
		if screen := term.sees(want); never != "" && strings.Contains(screen, never) {
			t.Errorf("the list has %q:\n%s", never, screen)
		}
		term.press("Escape")
		term.shell()
	}
	lists("what goes away", "")
	pithIn(t, stage, "name", id, "named by pith", "--yes")
	lists("named by pith", "what goes away")

	was := filesBelow(t, filepath.Join(stage.Home, ".claude", "projects"))
	pithIn(t, stage, "rm", id, "--yes")
	lists("what stays here", "named by pith")
	pithIn(t, stage, "trash", "restore", id)
	if now := filesBelow(t, filepath.Join(stage.Home, ".claude", "projects")); !maps.Equal(now, was) {
		t.Errorf("after the restore there are %d files, before %d, or they differ", len(now), len(was))
	}
	lists("named by pith", "")
	pithIn(t, stage, "name", id, "--clear", "--yes")
	lists("what goes away", "named by pith")
	stage.Resume(id, "", "and again?")
	if sent := fmt.Sprint(textsOf(stage, "and again?")); !strings.Contains(sent, "what goes away") {
		t.Errorf("the resumed session sent %s; want the earlier question", sent)
	}
}

// textsOf are the texts of the last request with a text.
func textsOf(stage *others.Stage, text string) (out []string) {
	for _, m := range stage.Request(text) {
		for _, p := range m.Parts {
			if p.Text != nil {
				out = append(out, *p.Text)
			}
		}
	}
	return out
}

// codexThreads are the names of the threads that the real Codex lists, by ID.
func codexThreads(t *testing.T, stage *others.Stage) map[string]string {
	t.Helper()
	cmd := stage.Command(t.Context(), "app-server")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = in.Close()
		_ = cmd.Wait() // its answer is there
	}()
	_, err = in.Write([]byte(`{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}
{"method":"initialized"}
{"id":2,"method":"thread/list","params":{"sourceKinds":["cli","exec","appServer"]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var answer struct {
			ID     int
			Result struct{ Data []struct{ ID, Name string } }
		}
		if json.Unmarshal(lines.Bytes(), &answer) != nil || answer.ID != 2 {
			continue
		}
		threads := map[string]string{}
		for _, d := range answer.Result.Data {
			threads[d.ID] = d.Name
		}
		return threads
	}
	t.Fatalf("Codex gave no list: %v", lines.Err())
	return nil
}

// The real Codex shows the name that pith gave to a thread, does not list it while it
// is in the trash, and lists and resumes it after a restore.
func TestCodexListsWhatPithKeeps(t *testing.T) {
	stage := others.Require(t, "codex")
	stage.Start("what stays here")
	stage.Start("what goes away")
	id := sessionWith(t, stage, "what goes away")
	lists := func(want bool, name string) {
		t.Helper()
		threads := codexThreads(t, stage)
		if got, listed := threads[id]; listed != want || got != name {
			t.Errorf("Codex lists %v; want %s: %v, %q", threads, id, want, name)
		}
		if n := len(slices.Collect(maps.Keys(threads))); want && n != 2 || !want && n != 1 {
			t.Errorf("Codex lists %v", threads)
		}
	}
	lists(true, "")
	pithIn(t, stage, "name", id, "named by pith", "--yes")
	lists(true, "named by pith")
	stage.Resume("named by pith", "", "by name?")

	was := filesBelow(t, filepath.Join(stage.Home, ".codex", "sessions"))
	pithIn(t, stage, "rm", id, "--yes")
	lists(false, "")
	pithIn(t, stage, "trash", "restore", id)
	if now := filesBelow(t, filepath.Join(stage.Home, ".codex", "sessions")); !maps.Equal(now, was) {
		t.Errorf("after the restore there are %d files, before %d, or they differ", len(now), len(was))
	}
	lists(true, "named by pith")
	stage.Resume(id, "", "and again?")
	if sent := fmt.Sprint(textsOf(stage, "and again?")); !strings.Contains(sent, "what goes away") {
		t.Errorf("the resumed thread sent %s; want the earlier question", sent)
	}
}

// The real Gemini CLI does not list a session while it is in the trash, and lists and
// resumes it after a restore. Its list describes sessions in words of the model, which
// it adds to their files.
func TestGeminiListsWhatPithKeeps(t *testing.T) {
	stage := others.Require(t, "gemini")
	stage.Start("what stays here")
	stage.Start("what goes away")
	stays, id := sessionWith(t, stage, "what stays here"), sessionWith(t, stage, "what goes away")
	lists := func(want bool) {
		t.Helper()
		if list := stage.Run("", "--list-sessions"); !strings.Contains(list, stays) || strings.Contains(list, id) != want {
			t.Errorf("Gemini CLI lists %s; want %s, and %s: %v", list, stays, id, want)
		}
	}
	files := func() map[string]string {
		all := filesBelow(t, filepath.Join(stage.Home, ".gemini", "tmp"))
		maps.DeleteFunc(all, func(path, _ string) bool { return !strings.Contains(path, id[:8]) })
		return all
	}
	lists(true)
	was := files()
	pithIn(t, stage, "rm", id, "--yes")
	if left := files(); len(was) == 0 || len(left) > 0 {
		t.Errorf("%d of %d files are left", len(left), len(was))
	}
	lists(false)
	pithIn(t, stage, "trash", "restore", id)
	if now := files(); !maps.Equal(now, was) {
		t.Errorf("after the restore the files are\n%v\nwant\n%v", now, was)
	}
	lists(true)
	stage.Run("and again?", "--yolo", "-o", "stream-json", "--resume", id, "-p", "and again?")
	if sent := fmt.Sprint(textsOf(stage, "and again?")); !strings.Contains(sent, "what goes away") {
		t.Errorf("the resumed session sent %s; want the earlier question", sent)
	}
}

// The real Qwen Code, Kimi Code and Copilot CLI do not know a session while it is in the
// trash, and resume it after a restore, which brings back every file as it was.
func TestProgramsKnowWhatPithKeeps(t *testing.T) {
	for name, list := range map[string][]string{"qwen": {"sessions", "list"}, "kimi": {"session", "list"}, "copilot": nil} { // Copilot CLI lists only on its screen
		t.Run(name, func(t *testing.T) {
			stage := others.Require(t, name)
			stage.Start("what stays here")
			stage.Start("what goes away")
			stays, id := sessionWith(t, stage, "what stays here"), sessionWith(t, stage, "what goes away")
			knows := func(want bool) {
				t.Helper()
				if list == nil {
					out, err := stage.Command(t.Context(), "--resume="+id, "-p", "are you there?").CombinedOutput()
					if (err == nil) != want || !want && !strings.Contains(string(out), "No session") {
						t.Errorf("Copilot CLI: %v\n%s", err, out)
					}
				} else if out := stage.Run("", list...); !strings.Contains(out, stays) || strings.Contains(out, id) != want {
					t.Errorf("%s lists %s; want %s, and %s: %v", name, out, stays, id, want)
				}
			}
			files := func() map[string]string {
				all := filesBelow(t, stage.Home)
				maps.DeleteFunc(all, func(path, _ string) bool {
					return !strings.Contains(path, "/"+id+"/") && !strings.HasSuffix(path, "/"+id+".jsonl")
				})
				return all
			}
			knows(true)
			was := files()
			pithIn(t, stage, "rm", id, "--yes")
			for path := range files() {
				if !strings.Contains(path, "/trash/") {
					t.Errorf("%s is left", path)
				}
			}
			knows(false)
			pithIn(t, stage, "trash", "restore", id)
			if now := files(); len(was) == 0 || !maps.Equal(now, was) {
				t.Errorf("after the restore the files are\n%v\nwant\n%v", now, was)
			}
			knows(true)
			stage.Resume(id, "", "and again?")
			if sent := fmt.Sprint(textsOf(stage, "and again?")); !strings.Contains(sent, "what goes away") {
				t.Errorf("the resumed session sent %s; want the earlier question", sent)
			}
		})
	}
}
