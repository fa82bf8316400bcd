package ops_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

func TestMain(m *testing.M) {
	if os.Getenv("REWIND_AND_DIE") != "" {
		rewindUntilKilled()
	}
	if task := os.Getenv("WORK_AND_DIE"); task != "" {
		workUntilKilled(task)
	}
	os.Exit(m.Run())
}

// A workbench is a project and the directory of its sessions.
type workbench struct {
	t              testing.TB
	project, store string
	trash          trash.Options
}

func newWorkbench(t testing.TB) *workbench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &workbench{t, filepath.Join(dir, "project"), filepath.Join(dir, "store"), trash.Options{Dir: filepath.Join(dir, "trash")}}
	if err := errors.Join(os.Mkdir(w.project, 0o755), os.Mkdir(w.store, 0o755)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", w.project, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	return w
}

// A call is a tool call of a session.
type call struct {
	tool string
	args map[string]any
}

func write(path, content string) call {
	return call{"write", map[string]any{"path": path, "content": content}}
}

func edit(path, from, to string) call {
	return call{"edit", map[string]any{"path": path, "edits": []any{map[string]any{"oldText": from, "newText": to}}}}
}

// session writes a session with a question e1 before the calls: call n is in entry cN,
// its result in rN. Calls are a minute apart, and begin at a minute of the day.
func (w *workbench) session(id string, begin int, calls ...call) {
	w.t.Helper()
	var b strings.Builder
	n, parent := 0, any(nil)
	add := func(entry map[string]any) {
		minute := begin + n
		entry["timestamp"] = fmt.Sprintf("2026-01-01T%02d:%02d:00.000Z", minute/60, minute%60)
		raw, err := json.Marshal(entry)
		if err != nil {
			w.t.Fatal(err)
		}
		b.Write(append(raw, '\n'))
	}
	message := func(id string, m map[string]any) {
		add(map[string]any{"type": "message", "id": id, "parentId": parent, "message": m})
		parent = id
	}
	add(map[string]any{"type": "session", "version": 3, "id": id, "cwd": w.project})
	message("e1", map[string]any{"role": "user", "content": "do it"})
	for i, c := range calls {
		n++
		message(fmt.Sprintf("c%d", i+1), map[string]any{"role": "assistant", "provider": "p", "model": "m", "content": []any{map[string]any{"type": "toolCall", "id": fmt.Sprintf("%s-%d", id, i), "name": c.tool, "arguments": c.args}}})
		message(fmt.Sprintf("r%d", i+1), map[string]any{"role": "toolResult", "toolCallId": fmt.Sprintf("%s-%d", id, i), "toolName": c.tool, "isError": false, "content": []any{}})
	}
	if err := os.WriteFile(filepath.Join(w.store, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workbench) path(name string) string { return filepath.Join(w.project, name) }

func (w *workbench) put(name, content string) {
	w.t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(w.path(name)), 0o755), os.WriteFile(w.path(name), []byte(content), 0o644))
	if err != nil {
		w.t.Fatal(err)
	}
}

// has checks the content of a file; "" means that it does not exist.
func (w *workbench) has(name, want string) {
	w.t.Helper()
	got, err := os.ReadFile(w.path(name))
	if string(got) != want || (err != nil) != (want == "") {
		w.t.Errorf("%s is %q, %v; want %q", name, got, err, want)
	}
}

// params open a session, whose leaf moves, and its files.
func (w *workbench) params(id, entry string) ops.RewindParams {
	w.t.Helper()
	ctx := context.Background()
	infos, err := catalog.Sorted(catalog.ListAll(ctx, catalog.Options{Dir: w.store}))
	if err != nil {
		w.t.Fatal(err)
	}
	at := slices.IndexFunc(infos, func(i catalog.Info) bool { return i.ID == id })
	s, err := pith.Open(ctx, infos[at].Path, pith.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			w.t.Error(err)
		}
	})
	past, err := blame.OpenPast(ctx, s, at, blame.Options{Sessions: infos})
	if err != nil {
		w.t.Fatal(err)
	}
	return ops.RewindParams{Entry: entry, Session: s, Past: past, Here: w.project, Trash: w.trash, Agree: func(context.Context, *ops.Rewound) error { return nil }}
}

// Files that were changed, created and removed since get their earlier contents, the
// leaf moves, and the trash has what was there.
func TestRewind(t *testing.T) {
	w := newWorkbench(t)
	w.session("one", 0,
		write("kept.go", "kept\n"), write("sub/a.go", "first\nsecond\n"), write("gone.go", "came back\n"),
		edit("sub/a.go", "second", "third"), write("new.go", "new\n"),
		call{"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Delete File: gone.go\n*** End Patch"}})
	data, err := os.ReadFile(filepath.Join(w.store, "one.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	patched := strings.Replace(string(data), `"content":[],"isError":false,"role":"toolResult","toolCallId":"one-5"`, `"content":[{"type":"text","text":"Success"}],"isError":false,"role":"toolResult","toolCallId":"one-5"`, 1)
	if err := os.WriteFile(filepath.Join(w.store, "one.jsonl"), []byte(patched), 0o600); err != nil {
		t.Fatal(err)
	}
	w.put("kept.go", "kept\n")
	w.put("sub/a.go", "first\nthird\n")
	w.put("new.go", "new\n")
	if err := os.Chmod(w.path("sub/a.go"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := w.params("one", "r3")
	r, err := ops.Rewind(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	w.has("kept.go", "kept\n")
	w.has("sub/a.go", "first\nsecond\n")
	w.has("new.go", "")
	w.has("gone.go", "came back\n")
	if info, err := os.Stat(w.path("sub/a.go")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("Stat = %v, %v; want the mode kept", info.Mode(), err)
	}
	if len(r.Files) != 3 || r.From != "r6" || r.To != "r3" || r.Marker == "" {
		t.Errorf("Rewind = %+v; want three files and a move from r6 to r3", r)
	}
	for _, f := range r.Files {
		if !f.Done || f.Conflict() || (f.Trash == "") != (f.Name == "gone.go") {
			t.Errorf("file %+v; want it done", f)
		}
	}
	if id, err := catalog.ResolveEntry(p.Session, "@leaf"); id != "r3" || err != nil {
		t.Errorf("leaf = %s, %v; want r3", id, err)
	}
	for _, f := range r.Files {
		if f.Trash != "" {
			if _, err := trash.Restore(f.Trash, w.trash); err != nil {
				t.Error(err)
			}
		}
	}
	w.has("sub/a.go", "first\nthird\n")
	w.has("new.go", "new\n")
	if info, err := os.Stat(w.path("sub/a.go")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("Stat = %v, %v; want the mode restored", info.Mode(), err)
	}
	r, err = ops.Rewind(t.Context(), w.params("one", "r6")) // and forward again
	if err != nil || len(r.Files) != 0 {
		t.Errorf("Rewind to the end = %+v, %v; want no file", r.Files, err)
	}
}

// An edit of a file that the session never showed whole is undone in it, and what a
// person changed elsewhere in the file stays.
func TestRewindOfAPartialRecord(t *testing.T) {
	w := newWorkbench(t)
	w.put("a.go", "top by hand\nold line\nbottom\n")
	w.session("one", 0, edit("a.go", "old line", "new line"))
	w.put("a.go", "top by hand\nnew line\nbottom\n")
	if _, err := ops.Rewind(t.Context(), w.params("one", "e1")); err != nil {
		t.Fatal(err)
	}
	w.has("a.go", "top by hand\nold line\nbottom\n")
}

// A file that something else changed since stays, unless it is named or confirmed.
func TestRewindConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		now        string
		unrecorded bool
		others     string
	}{
		"by hand":            {"first by hand\n", true, ""},
		"deleted":            {"", true, ""},
		"by another session": {"theirs\n", false, "two"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkbench(t)
			w.session("one", 0, write("a.go", "zero\n"), write("a.go", "first\n"))
			if test.others != "" {
				w.session(test.others, 60, edit("a.go", "first", "theirs"))
			}
			if test.now != "" {
				w.put("a.go", test.now)
			}
			r, err := ops.Rewind(t.Context(), w.params("one", "r1"))
			if err != nil || len(r.Files) != 1 {
				t.Fatalf("Rewind = %+v, %v; want one file", r.Files, err)
			}
			f := r.Files[0]
			if f.Done || f.Unrecorded != test.unrecorded || (len(f.Others) == 1) != (test.others != "") {
				t.Errorf("file %+v; want a conflict", f)
			}
			w.has("a.go", test.now)
			p := w.params("one", "r1")
			p.Session, p.Only = nil, []string{"a.go"}
			if r, err = ops.Rewind(t.Context(), p); err != nil || !r.Files[0].Done {
				t.Errorf("Rewind of the named file = %+v, %v; want it done", r.Files, err)
			}
			w.has("a.go", "zero\n")
		})
	}
}

// What cannot be restored is told and stays, and the rest is restored.
func TestRewindLeaves(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(w *workbench)
		want    error
		path    string // as the session names it
	}{
		"directory": {func(w *workbench) { w.put("a.go/b.go", "b\n") }, blame.ErrNotFile, "a.go"},
		"link": {func(w *workbench) {
			w.put("../elsewhere.go", "first\n")
			w.link("../elsewhere.go", "a.go")
		}, blame.ErrSymlink, "a.go"},
		"linked directory": {func(w *workbench) {
			w.put("real/a.go", "first\n")
			w.link("real", "linked")
		}, ops.ErrThroughLink, "linked/a.go"},
		"binary":              {func(w *workbench) { w.put("a.go", "first\x00\n") }, blame.ErrBinary, "a.go"},
		"outside the project": {func(w *workbench) { w.put("../outside.go", "first\n") }, blame.ErrOutside, "../outside.go"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkbench(t)
			w.session("one", 0, write(test.path, "zero\n"), write(test.path, "first\n"), write("other.go", "other\n"))
			test.prepare(w)
			w.put("other.go", "other\n")
			was := w.files()
			p := w.params("one", "r1")
			p.Only = nil
			r, err := ops.Rewind(t.Context(), p)
			if err != nil || len(r.Files) != 2 {
				t.Fatalf("Rewind = %+v, %v; want two files", r.Files, err)
			}
			for _, f := range r.Files {
				if f.Name == "other.go" {
					if !f.Done {
						t.Errorf("other.go is %+v; want it removed", f)
					}
				} else if f.Done || !errors.Is(f.Err, test.want) {
					t.Errorf("%s is %+v; want %v", f.Name, f, test.want)
				}
			}
			delete(was, w.path("other.go"))
			if now := w.files(); fmt.Sprint(now) != fmt.Sprint(was) {
				t.Errorf("files are %v; want %v", now, was)
			}
		})
	}
}

func (w *workbench) link(target, name string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

// files returns the contents of the files in and next to the project.
func (w *workbench) files() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, pattern := range []string{"*", "*/*", "../*.go"} {
		names, err := filepath.Glob(w.path(pattern))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil {
				out[filepath.Clean(name)] = string(data)
			}
		}
	}
	return out
}

// Nothing changes if the answer is no, if a file changes while it is given, outside of
// the project, and for a file that the session did not change.
func TestRewindRefuses(t *testing.T) {
	w := newWorkbench(t)
	w.session("one", 0, write("a.go", "zero\n"), write("a.go", "first\n"))
	w.put("a.go", "first\n")
	no := errors.New("no")
	p := w.params("one", "r1")
	p.Agree = func(context.Context, *ops.Rewound) error { return no }
	if _, err := ops.Rewind(t.Context(), p); !errors.Is(err, no) {
		t.Errorf("Rewind = %v; want the answer", err)
	}
	p.Agree = func(context.Context, *ops.Rewound) error { w.put("a.go", "meanwhile\n"); return nil }
	if _, err := ops.Rewind(t.Context(), p); !errors.Is(err, ops.ErrChangedMeanwhile) {
		t.Errorf("Rewind = %v; want ErrChangedMeanwhile", err)
	}
	w.has("a.go", "meanwhile\n")
	p.Here = w.store
	if _, err := ops.Rewind(t.Context(), p); !errors.As(err, new(*ops.ElsewhereError)) {
		t.Errorf("Rewind from elsewhere = %v; want an ElsewhereError", err)
	}
	p.Here, p.Only = w.project, []string{"b.go"}
	if _, err := ops.Rewind(t.Context(), p); !errors.As(err, new(*ops.NotChangedError)) {
		t.Errorf("Rewind of another file = %v; want a NotChangedError", err)
	}
	if id, err := catalog.ResolveEntry(p.Session, "@leaf"); id != "r2" || err != nil {
		t.Errorf("leaf = %s, %v; want r2", id, err)
	}
	if items, err := trash.List(w.trash); len(items) > 0 || err != nil {
		t.Errorf("trash has %v, %v; want nothing", items, err)
	}
}

const killedFiles = 40

// A rewind that is killed leaves every file as it was or restored, with what it was in
// the trash, and can be done again.
func TestRewindKilled(t *testing.T) {
	for _, after := range []int{1, 15, 30} {
		w := newWorkbench(t)
		var calls []call
		for _, content := range []string{"before\n", "after\n"} {
			for i := range killedFiles {
				calls = append(calls, write(fmt.Sprintf("%03d.go", i), content))
			}
		}
		w.session("one", 0, calls...)
		for i := range killedFiles {
			w.put(fmt.Sprintf("%03d.go", i), "after\n")
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "REWIND_AND_DIE="+filepath.Dir(w.project))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatal("the process said nothing")
		}
		for { // until it has restored some
			if items, _ := os.ReadDir(w.trash.Dir); len(items) >= after {
				break
			}
		}
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		kept := map[string]bool{}
		items, err := trash.List(w.trash)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range items {
			kept[r.Path] = true
		}
		for i := range killedFiles {
			name := fmt.Sprintf("%03d.go", i)
			data, err := os.ReadFile(w.path(name))
			if err != nil || string(data) != "after\n" && (string(data) != "before\n" || !kept[w.path(name)]) {
				t.Fatalf("%s is %q, %v, in the trash: %v", name, data, err, kept[w.path(name)])
			}
		}
		if _, err := ops.Rewind(t.Context(), w.params("one", fmt.Sprintf("r%d", killedFiles))); err != nil {
			t.Fatal(err)
		}
		all, err := os.ReadDir(w.project)
		if err != nil || len(all) != killedFiles+1 {
			t.Errorf("project has %d files, %v; want %d and .git", len(all), err, killedFiles)
		}
		for i := range killedFiles {
			w.has(fmt.Sprintf("%03d.go", i), "before\n")
		}
	}
}

// rewindUntilKilled rewinds the project of TestRewindKilled.
func rewindUntilKilled() {
	dir := os.Getenv("REWIND_AND_DIE")
	w := &workbench{&testing.B{}, filepath.Join(dir, "project"), filepath.Join(dir, "store"), trash.Options{Dir: filepath.Join(dir, "trash")}}
	p := w.params("one", fmt.Sprintf("r%d", killedFiles))
	p.Agree = func(context.Context, *ops.Rewound) error { fmt.Println("go"); return nil }
	if _, err := ops.Rewind(context.Background(), p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
