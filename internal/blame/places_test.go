package blame_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/blame"
)

// A desk is a project and a directory of sessions.
type desk struct {
	t              *testing.T
	project, store string
	serial         int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, project: filepath.Join(dir, "project"), store: filepath.Join(dir, "sessions")}
	for _, name := range []string{d.project, d.store} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *desk) put(path, text string) {
	d.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.project, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) git(dir string, args ...string) {
	d.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=p", "-c", "user.email=p@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		d.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// A step is a tool call of a session, with the details of its result.
type step struct {
	tool    string
	args    map[string]any
	details any
}

// session writes a session that ran in a directory.
func (d *desk) session(id, cwd string, steps ...step) {
	d.t.Helper()
	stamp := func() string {
		d.serial++
		return fmt.Sprintf("2026-03-01T10:%02d:%02d.000Z", d.serial/60, d.serial%60)
	}
	lines := []any{
		map[string]any{"type": "session", "version": 3, "id": id, "timestamp": stamp(), "cwd": cwd},
		map[string]any{"type": "message", "id": id + "-0", "parentId": nil, "timestamp": stamp(), "message": map[string]any{"role": "user", "content": "ask " + id}},
	}
	parent := id + "-0"
	add := func(message map[string]any) {
		next := fmt.Sprintf("%s-%d", id, len(lines))
		lines = append(lines, map[string]any{"type": "message", "id": next, "parentId": parent, "timestamp": stamp(), "message": message})
		parent = next
	}
	for k, s := range steps {
		call := fmt.Sprintf("%s-call-%d", id, k)
		add(map[string]any{"role": "assistant", "provider": "fake", "model": "m1", "content": []any{map[string]any{"type": "toolCall", "id": call, "name": s.tool, "arguments": s.args}}})
		result := map[string]any{"role": "toolResult", "toolCallId": call, "toolName": s.tool, "isError": false, "content": []any{map[string]any{"type": "text", "text": "ok"}}}
		if s.details != nil {
			result["details"] = s.details
		}
		add(result)
	}
	var out strings.Builder
	for _, line := range lines {
		raw, err := json.Marshal(line)
		if err != nil {
			d.t.Fatal(err)
		}
		out.Write(raw)
		out.WriteByte('\n')
	}
	d.put(filepath.Join(d.store, id+".jsonl"), out.String())
}

// blame returns the sessions that wrote the lines of a file, "-" for none.
func (d *desk) blame(path string) string {
	d.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(d.project, path)
	}
	infos, err := catalog.Sorted(catalog.ListAll(d.t.Context(), catalog.Options{Dir: d.store, Getenv: func(string) string { return "" }}))
	if err != nil {
		d.t.Fatal(err)
	}
	r, err := blame.File(d.t.Context(), path, blame.Options{Sessions: infos})
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for _, l := range r.Lines {
		by := "-"
		if l.Edit >= 0 {
			by = r.Edits[l.Edit].Session.ID
		}
		out = append(out, by)
	}
	return strings.Join(out, " ")
}

const (
	five  = "package x\n\nfunc FirstFunction() {}\n\nfunc SecondFunction() {}\n"
	seven = five + "\nfunc ThirdFunction() {}\n"
)

// Each of these sessions was made by the program itself, which wrote a file, read it,
// added a function and renamed it. Paths and prompts are changed.
func TestRecordsOfPrograms(t *testing.T) {
	tests := map[string]string{
		"oh-my-pi-18.2.3":     "1 1 1 1 1 1 1",
		"copilot-cli-1.0.102": "1 1 1 1 1 1 1",
		"kimi-code-2.1.0":     "1 1 1 1 1 1 1",
		"qwen-code-0.24.4":    "1 1 1 1 1 2 2", // the second session edited the renamed file
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.put("m.go", seven)
			files, err := filepath.Glob(filepath.Join("testdata", "programs", name+"-*.jsonl"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%d records, %v", len(files), err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				head, rest, _ := strings.Cut(string(data), "\n")
				number := strings.TrimSuffix(file[strings.LastIndexByte(file, '-')+1:], ".jsonl")
				var header map[string]any
				if err := json.Unmarshal([]byte(head), &header); err != nil {
					t.Fatal(err)
				}
				header["id"] = number
				raw, err := json.Marshal(header)
				if err != nil {
					t.Fatal(err)
				}
				d.put(filepath.Join(d.store, filepath.Base(file)), strings.ReplaceAll(string(raw)+"\n"+rest, "/home/u/proj", d.project))
			}
			if got := d.blame("m.go"); got != want {
				t.Errorf("lines of %s, want %s", got, want)
			}
		})
	}
}

func write(path, content string) step {
	return step{tool: "write", args: map[string]any{"path": path, "content": content}}
}

func edit(path, from, to string) step {
	return step{tool: "edit", args: map[string]any{"path": path, "edits": []any{map[string]any{"oldText": from, "newText": to}}}}
}

func run(command string) step {
	return step{tool: "bash", args: map[string]any{"command": command}}
}

// Atomic and pi record a diff with line numbers beside the replacement.
func TestNumberedDiff(t *testing.T) {
	d := newDesk(t)
	d.put("a.go", seven)
	add := edit("a.go", "func SecondFunction() {}\n", "func SecondFunction() {}\n\nfunc ThirdFunction() {}\n")
	add.details = map[string]any{"diff": "  4 \n  5 func SecondFunction() {}\n+ 6 \n+ 7 func ThirdFunction() {}", "firstChangedLine": 6}
	d.session("one", d.project, write("a.go", five))
	d.session("two", d.project, add)
	if got, want := d.blame("a.go"), "one one one one one two two"; got != want {
		t.Errorf("lines of %s, want %s", got, want)
	}
}

// A session in another worktree of the repository wrote lines that Git brought here.
func TestWorktree(t *testing.T) {
	d := newDesk(t)
	d.put("a.go", five)
	d.git(d.project, "init", "-q", "-b", "main")
	d.git(d.project, "add", "-A")
	d.git(d.project, "commit", "-q", "-m", "five")
	side := filepath.Join(filepath.Dir(d.project), "side")
	d.git(d.project, "worktree", "add", "-q", "-b", "side", side)
	d.session("side", side, step{tool: "Edit", args: map[string]any{"file_path": filepath.Join(side, "a.go"), "old_string": "func SecondFunction() {}\n", "new_string": "func SecondFunction() {}\n\nfunc ThirdFunction() {}\n"},
		details: map[string]any{"originalFile": five}})
	d.put(filepath.Join(side, "a.go"), seven)
	if got, want := d.blame(filepath.Join(side, "a.go")), "- - - - - - side"; got != want {
		t.Errorf("in the worktree: lines of %s, want %s", got, want)
	}
	d.git(side, "commit", "-q", "-a", "-m", "seven")
	d.git(d.project, "merge", "-q", "side")
	if got, want := d.blame("a.go"), "- - - - - - side"; got != want {
		t.Errorf("after the merge: lines of %s, want %s", got, want)
	}
	d.git(d.project, "worktree", "remove", side)
	if got, want := d.blame("a.go"), "- - - - - - -"; got != want {
		t.Errorf("without the worktree: lines of %s, want %s", got, want)
	}
}

// A project was renamed or moved, and the headers of its sessions were updated. The
// calls still have the former paths.
func TestMovedProject(t *testing.T) {
	tests := map[string]struct{ former, want string }{
		"moved":     {"/no-such-place/project", "one one one one one two two"},
		"renamed":   {"../former", "one one one one one two two"},
		"both":      {"/no-such-place/former", "- - - - - - -"}, // cannot be told from another project
		"temporary": {filepath.Join(os.TempDir(), "no-such-place"), "- - - - - - -"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			former := tt.former
			if !filepath.IsAbs(former) {
				former = filepath.Join(d.project, former)
			}
			d.put("src/a.go", seven)
			d.session("one", d.project, write(former+"/src/a.go", five), write(former+"/README", "about"))
			d.session("two", d.project, edit("src/a.go", "func SecondFunction() {}\n", "func SecondFunction() {}\n\nfunc ThirdFunction() {}\n"))
			if got := d.blame("src/a.go"); got != tt.want {
				t.Errorf("lines of %s, want %s", got, tt.want)
			}
		})
	}
}

// An absolute path of another project is not a file of this one, whatever it ends with.
func TestOtherProjects(t *testing.T) {
	d := newDesk(t)
	other := filepath.Join(filepath.Dir(d.project), "other", "project")
	d.put(filepath.Join(other, "a.go"), five)
	d.put("a.go", five)
	d.session("other", other, write("a.go", five))
	for name, path := range map[string]string{
		"exists":    filepath.Join(other, "a.go"),
		"climbs":    "../other/project/a.go",
		"elsewhere": "/no-such-place/a.go",
		"home":      "~/a.go",
		"odd":       "a.go\x00b",
		"empty":     ".",
		"lies":      "../../../../../../../../../../etc/passwd",
	} {
		t.Run(name, func(t *testing.T) {
			d.session("this", d.project, write(path, five), write("b.go", "package b\n"))
			if got, want := d.blame("a.go"), "- - - - -"; got != want {
				t.Errorf("lines of %s, want %s", got, want)
			}
		})
	}
}

// Renames are followed: of the file, of a directory above it, into a directory, and
// twice.
func TestRenames(t *testing.T) {
	tests := map[string][]step{
		"mv":             {run("mv old.go src/a.go")},
		"git mv":         {run("git mv old.go src/a.go")},
		"in a sequence":  {run("mkdir -p src && mv 'old.go' src/a.go; ls")},
		"into":           {run("mv old.go a.go"), run("mv a.go src/")},
		"twice":          {run("mv old.go b.go"), run("mv -f b.go src/a.go")},
		"of a directory": {run("mv old.go lib/a.go"), run("mv lib src")},
		"by words":       {{tool: "shell", args: map[string]any{"command": []string{"bash", "-lc", "mv old.go src/a.go"}}}},
		"without sh":     {{tool: "shell", args: map[string]any{"command": []string{"git", "mv", "old.go", "src/a.go"}}}},
		"by a patch":     {{tool: "apply_patch", args: map[string]any{"input": "*** Begin Patch\n*** Update File: old.go\n*** Move to: src/a.go\n@@\n package x\n*** End Patch"}, details: map[string]any{"old.go": map[string]any{"type": "update", "unified_diff": "", "move_path": "src/a.go"}}}},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.put("src/a.go", five)
			d.session("one", d.project, slices.Concat([]step{write("old.go", five)}, steps)...)
			if got, want := d.blame("src/a.go"), "one one one one one"; got != want {
				t.Errorf("lines of %s, want %s", got, want)
			}
		})
	}
}

// A command that may not have renamed the file is no rename.
func TestNoRenames(t *testing.T) {
	for _, command := range []string{"mv *.go src/", "mv $f src/a.go", "mv old.go b.go src", "echo mv old.go src/a.go", "cp old.go src/a.go", "mv 'old.go src/a.go"} {
		t.Run(command, func(t *testing.T) {
			d := newDesk(t)
			d.put("src/a.go", five)
			d.session("one", d.project, write("old.go", five), run(command))
			if got, want := d.blame("src/a.go"), "- - - - -"; got != want {
				t.Errorf("lines of %s, want %s", got, want)
			}
		})
	}
}
