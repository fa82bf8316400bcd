package backup_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/backup"
	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/internal/sources/codex"
	"github.com/pith-sessions/pith/internal/sources/opencode"
	"github.com/pith-sessions/pith/tests/agents"
)

// fixtures are the directories of real sessions, and the root in each.
var fixtures = map[string][2]string{
	"claude": {"claude-code-2.1.325", "projects"}, "codex": {"codex-0.166.0", ""}, "gemini": {"gemini-cli-0.61.0", "tmp"},
	"qwen": {"qwen-code-0.24.4", "projects"}, "copilot": {"copilot-cli-1.0.102", "session-state"}, "kimi": {"kimi-code-2.1.0", "sessions"},
	"opencode": {"opencode-1.18.33", "final.db"},
}

// root copies the fixture of a program to where it may be changed.
func root(t *testing.T, p sources.Program) string {
	t.Helper()
	from := filepath.Join(agents.Fixtures(t, fixtures[p.Name()][0]), fixtures[p.Name()][1])
	to := filepath.Join(t.TempDir(), "root")
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		must(t, os.CopyFS(to, os.DirFS(from)))
		return to
	}
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
	return to
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents are the files under a path.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	}))
	return out
}

func update(t *testing.T, v *backup.Vault, root string) backup.Result {
	t.Helper()
	r, err := v.Update(context.Background(), root)
	must(t, err)
	return r
}

func restore(t *testing.T, v *backup.Vault) map[backup.State]int {
	t.Helper()
	states := map[backup.State]int{}
	must(t, v.Restore(context.Background(), backup.Restore{Want: func(string) bool { return true }}, func(_ string, s backup.State) { states[s]++ }))
	return states
}

// translations are the sessions of a root, without the path of the original.
func translations(t *testing.T, p sources.Program, root string) map[string]string {
	t.Helper()
	sessions, err := p.Sessions(context.Background(), root)
	must(t, err)
	out := map[string]string{}
	for _, s := range sessions {
		var buf bytes.Buffer
		w := sources.NewWriter(&buf, p.Name())
		must(t, p.Translate(context.Background(), s, w))
		must(t, w.Close())
		out[s.ID] = strings.ReplaceAll(buf.String(), s.Path, "ORIGINAL")
	}
	return out
}

func TestEveryProgram(t *testing.T) {
	for _, p := range all.Programs() {
		t.Run(p.Name(), func(t *testing.T) {
			dir, root := t.TempDir(), root(t, p)
			before, sessions := contents(t, root), translations(t, p, root)
			v := backup.Open(dir, p, root)
			if r := update(t, v, root); r.Files == 0 || r.Sessions != len(sessions) {
				t.Fatalf("first run: %+v, want %d sessions", r, len(sessions))
			}
			if r := update(t, v, root); r.Files != 0 {
				t.Errorf("second run copied %d files", r.Files)
			}
			if !maps.Equal(before, contents(t, root)) {
				t.Fatal("the originals changed")
			}
			gone := backup.Gone{Program: p, Vault: v}
			cache := filepath.Join(t.TempDir(), "cache")
			if got := translations(t, gone, cache); len(got) != 0 {
				t.Errorf("%d sessions are listed twice", len(got))
			}
			must(t, os.RemoveAll(root))
			if got := translations(t, gone, cache); !maps.Equal(got, sessions) {
				t.Errorf("read from the copies: %d sessions, want %d, with the same lines", len(got), len(sessions))
			}
			restore(t, v)
			if got := translations(t, p, root); !maps.Equal(got, sessions) {
				t.Errorf("restored: %d sessions, want %d, with the same lines", len(got), len(sessions))
			}
			for path, data := range contents(t, root) {
				if before[path] != data && p.Name() != "opencode" { // a database is a copy of its rows
					t.Errorf("%s is not what it was", path)
				}
			}
			if got := translations(t, gone, cache); len(got) != 0 {
				t.Errorf("restored and still listed: %d", len(got))
			}
			must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
				if info, err := d.Info(); path != dir && (err != nil || info.Mode().Perm()&0o077 != 0) {
					t.Errorf("%s: mode %v", path, info.Mode())
				}
				return err
			}))
		})
	}
}

func TestCodexCredentialsStay(t *testing.T) {
	home := root(t, codex.Program{})
	must(t, os.WriteFile(filepath.Join(home, "auth.json"), []byte("{}"), 0o600))
	v := backup.Open(t.TempDir(), codex.Program{}, home)
	update(t, v, home)
	x, err := v.Index()
	must(t, err)
	if _, ok := x.Files["auth.json"]; ok || len(x.Files["session_index.jsonl"]) != 1 {
		t.Errorf("files: %v", x.Files)
	}
}

// plain is a root with one session of Claude Code.
func plain(t *testing.T, name, data string) (root, file string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "projects")
	file = filepath.Join(root, "-p", name)
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, []byte(data), 0o600))
	return root, file
}

func TestRewrittenKeepsBoth(t *testing.T) {
	root, file := plain(t, "a.jsonl", "one\n")
	dir := t.TempDir()
	v := backup.Open(dir, claude.Program{}, root)
	copies := func() int {
		x, err := v.Index()
		must(t, err)
		stored, err := os.ReadDir(filepath.Join(v.Dir, "copies"))
		must(t, err)
		if len(stored) != len(x.Files["-p/a.jsonl"]) {
			t.Errorf("%d copies stored, %d known", len(stored), len(x.Files["-p/a.jsonl"]))
		}
		return len(stored)
	}
	for _, step := range []struct {
		data string
		want int
	}{{"one\n", 1}, {"one\ntwo\n", 1}, {"one\n", 2}, {"other\n", 3}} {
		must(t, os.WriteFile(file, []byte(step.data), 0o600))
		update(t, v, root)
		if got := copies(); got != step.want {
			t.Errorf("after %q: %d copies, want %d", step.data, got, step.want)
		}
	}
}

// A file that was rewritten is restored as it was at a time, beside the original.
func TestRestoreAt(t *testing.T) {
	root, file := plain(t, "a.jsonl", "")
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	begun := time.Date(2026, 11, 17, 1, 0, 0, 5e8, time.UTC)
	for i, data := range []string{"one\n", "one\ntwo\n", "other\n"} {
		must(t, os.WriteFile(file, []byte(data), 0o600))
		must(t, os.Chtimes(file, begun, begun.Add(time.Duration(i)*time.Hour)))
		update(t, v, root)
	}
	for at, want := range map[time.Duration]string{0: "", time.Hour: "one\ntwo\n", 90 * time.Minute: "one\ntwo\n", 2 * time.Hour: "other\n"} {
		to := t.TempDir()
		o := backup.Restore{Want: func(string) bool { return true }, At: begun.Truncate(time.Second).Add(at), To: to}
		must(t, v.Restore(t.Context(), o, func(string, backup.State) {}))
		got, err := os.ReadFile(filepath.Join(to, "projects", "-p", "a.jsonl"))
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("after %v: %q, %v; want %q", at, got, err, want)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != "other\n" {
		t.Errorf("the original is %q, %v", got, err)
	}
}

// The transcript of a subagent that is gone is read though that of its parent is there.
func TestGoneSubagent(t *testing.T) {
	root, file := plain(t, "a.jsonl", `{"type":"user","uuid":"u1","message":{"role":"user","content":"U1"}}`+"\n")
	agent := filepath.Join(filepath.Dir(file), "a", "subagents", "agent-1.jsonl")
	must(t, os.MkdirAll(filepath.Dir(agent), 0o700))
	must(t, os.WriteFile(agent, []byte(`{"type":"user","uuid":"s1","isSidechain":true,"message":{"role":"user","content":"S1"}}`+"\n"), 0o600))
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	update(t, v, root)
	must(t, os.Remove(agent))
	got := translations(t, backup.Gone{Program: claude.Program{}, Vault: v}, filepath.Join(t.TempDir(), "cache"))
	if len(got) != 1 || !strings.Contains(got["a.agent-1"], "S1") {
		t.Errorf("sessions = %v, want that of the subagent alone", got)
	}
}

// Rows of a database that are gone are told from those that are there.
func TestMissingRows(t *testing.T) {
	p := opencode.Program{}
	path := root(t, p)
	v := backup.Open(t.TempDir(), p, path)
	update(t, v, path)
	db, err := sql.Open("sqlite", path)
	must(t, err)
	_, err = db.Exec(`DELETE FROM session WHERE id = 'ses_e18c0c7ceffe2eJx1V1C3ty0uG'`)
	must(t, errors.Join(err, db.Close()))
	x, err := v.Index()
	must(t, err)
	for id, missing := range v.Missing(t.Context(), x) {
		if want := id == "ses_e18c0c7ceffe2eJx1V1C3ty0uG"; missing != want {
			t.Errorf("%s: missing is %v, want %v", id, missing, want)
		}
	}
}

func TestRestoreReplacesNothing(t *testing.T) {
	root, file := plain(t, "a.jsonl", "one\n")
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	update(t, v, root)
	for data, want := range map[string]backup.State{"one\ntwo\n": backup.Present, "else\n": backup.Differs, "o": backup.Differs} {
		must(t, os.WriteFile(file, []byte(data), 0o600))
		if got := restore(t, v); got[want] != 1 || len(got) != 1 {
			t.Errorf("%q: %v, want state %d", data, got, want)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != data {
			t.Errorf("%q was replaced by %q", data, got)
		}
	}
}

func TestDamagedCopy(t *testing.T) {
	root, file := plain(t, "a.jsonl", strings.Repeat("one\n", 100))
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	update(t, v, root)
	stored, err := filepath.Glob(filepath.Join(v.Dir, "copies", "*.zst"))
	must(t, err)
	data, err := os.ReadFile(stored[0])
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(stored[0], data, 0o600))
	must(t, os.Remove(file))
	err = v.Restore(context.Background(), backup.Restore{Want: func(string) bool { return true }}, func(string, backup.State) { t.Error("told of a file") })
	if !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(file)); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range []string{"\x1b[31m.jsonl", "a\nb.jsonl", "*?[.jsonl", "..jsonl", "\xff.jsonl", "-wal"} {
		root, file := plain(t, name, "one\n")
		must(t, os.Symlink("/etc/passwd", filepath.Join(root, "-p", "link.jsonl")))
		v := backup.Open(t.TempDir(), claude.Program{}, root)
		r, err := v.Update(context.Background(), root)
		if err != nil || r.Files != 1 {
			t.Errorf("%q: %+v, %v", name, r, err)
			continue
		}
		must(t, os.Remove(file))
		if got := restore(t, v); got[backup.Restored] != 1 {
			t.Errorf("%q: %v", name, got)
		}
		if got, err := os.ReadFile(file); string(got) != "one\n" {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

func TestForgedIndex(t *testing.T) {
	root, _ := plain(t, "a.jsonl", "one\n")
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	update(t, v, root)
	index := filepath.Join(v.Dir, "index.json")
	data, err := os.ReadFile(index)
	must(t, err)
	must(t, os.WriteFile(index, bytes.ReplaceAll(data, []byte("-p/a.jsonl"), []byte("../a.jsonl")), 0o600))
	if _, err := v.Index(); err == nil {
		t.Error("a path outside the root was taken")
	}
}

// A stopper is a context that is canceled when it was asked n times.
type stopper struct {
	context.Context
	left int
}

func (s *stopper) Err() error {
	if s.left--; s.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever a run is stopped, what the index names is complete, and the next run
// makes up for the rest.
func TestStoppedAnywhere(t *testing.T) {
	p := claude.Program{}
	root := root(t, p)
	stopped := 0
	for n := 0; ; n++ {
		v := backup.Open(t.TempDir(), p, root)
		_, err := v.Update(&stopper{context.Background(), n}, root)
		if err == nil {
			break
		}
		stopped++
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d: %v", n, err)
		}
		update(t, v, root)
		x, err := v.Index()
		must(t, err)
		if stored, err := os.ReadDir(filepath.Join(v.Dir, "copies")); err != nil || len(stored) != len(x.Files) || len(x.Files) != len(contents(t, root)) {
			t.Fatalf("stopped at %d: %d copies of %d files, %v", n, len(stored), len(x.Files), err)
		}
	}
	if stopped < 5 {
		t.Errorf("stopped only %d times", stopped)
	}
}

func TestDatabaseKeepsWhatWasDeleted(t *testing.T) {
	p := opencode.Program{}
	path := root(t, p)
	v := backup.Open(t.TempDir(), p, path)
	update(t, v, path)
	data, err := os.ReadFile(filepath.Join(agents.Fixtures(t, "opencode-1.18.33"), "reverted.db"))
	must(t, err)
	was := translations(t, p, path)
	must(t, os.WriteFile(path, data, 0o600))
	must(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0)))
	update(t, v, path)
	now := translations(t, p, path)
	got := translations(t, backup.Gone{Program: p, Vault: v}, filepath.Join(t.TempDir(), "cache"))
	for id := range was {
		if _, there := now[id]; !there && got[id] != was[id] {
			t.Errorf("session %s is lost", id)
		}
	}
	for id := range got {
		if _, there := now[id]; there {
			t.Errorf("session %s is listed twice", id)
		}
	}
	if len(got) == 0 && len(now) < len(was) {
		t.Error("nothing is read from the former copy")
	}
}

// A damaged copy hides no other session whose original is gone.
func TestDamagedCopyHidesNoOther(t *testing.T) {
	line := func(id string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":"` + strings.Repeat(id, 50) + `"}}` + "\n"
	}
	root, first := plain(t, "a.jsonl", line("a"))
	second := filepath.Join(filepath.Dir(first), "b.jsonl")
	must(t, os.WriteFile(second, []byte(line("b")), 0o600))
	v := backup.Open(t.TempDir(), claude.Program{}, root)
	update(t, v, root)
	stored, err := filepath.Glob(filepath.Join(v.Dir, "copies", "*.zst"))
	must(t, err)
	data, err := os.ReadFile(stored[0])
	must(t, err)
	data[len(data)/2] ^= 1
	must(t, os.WriteFile(stored[0], data, 0o600))
	must(t, os.Remove(first))
	must(t, os.Remove(second))
	found, err := backup.Gone{Program: claude.Program{}, Vault: v}.Sessions(t.Context(), filepath.Join(t.TempDir(), "gone"))
	if len(found) != 1 || !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("%d sessions, %v; want the one whose copy is sound, and the damage", len(found), err)
	}
}
