package move_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// A house is a directory of projects and pi's directory of sessions.
type house struct {
	t    *testing.T
	dir  string
	root string
	n    int
}

func newHouse(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	h := &house{t: t, dir: dir, root: filepath.Join(dir, "agent", "sessions")}
	h.folder("new")
	return h
}

func (h *house) at(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *house) folder(name string) {
	h.t.Helper()
	if err := os.MkdirAll(h.at(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
}

func quoted(s string) string { return string(jsonl.AppendString(nil, s)) }

const rest = "{\"type\":\"message\",\"id\":\"a1\",\"parentId\":null,\"timestamp\":\"2026-02-01T10:00:01.000Z\",\"message\":{\"role\":\"user\",\"content\":\"hi \\u00e9 é\"}}\n" +
	"not JSON \xff\r\n{\"type\":\"later\",\"x\":1}\n{\"torn"

// session writes a session of a project where pi would, and returns its path.
func (h *house) session(cwd, more string) string {
	h.t.Helper()
	h.n++
	id := fmt.Sprintf("0195f1a0-0000-7000-8000-%012d", h.n)
	name := fmt.Sprintf("2026-02-01T10-00-%02d-000Z_%s.jsonl", h.n, id)
	path := filepath.Join(h.root, format.ProjectDir(h.at(cwd)), name)
	head := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-02-01T10:00:%02d.000Z","cwd":%s%s}`, id, h.n, quoted(h.at(cwd)), more)
	h.write(path, head+"\n"+rest)
	return path
}

func (h *house) write(path, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	past := time.Date(2026, 2, 1, 11, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, past, past); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) options() catalog.Options {
	env := map[string]string{"PI_SESSIONS_DIR": h.root}
	return catalog.Options{Getenv: func(name string) string { return env[name] }, Home: h.at("home"), IncludeInternal: true}
}

func (h *house) plan(old, new string) *move.Plan {
	h.t.Helper()
	infos, err := catalog.Sorted(catalog.ListAll(h.t.Context(), h.options()))
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := move.NewPlan(infos, h.at(old), h.at(new), move.Options{Catalog: h.options()})
	if err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *house) apply(p *move.Plan) []move.Done {
	h.t.Helper()
	var all []move.Done
	if err := p.Apply(h.t.Context(), func(d move.Done) { all = append(all, d) }); err != nil {
		h.t.Fatal(err)
	}
	return all
}

func (h *house) content(path string) string {
	h.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(text)
}

// in returns the path of a session file in the directory of another project.
func (h *house) in(cwd, path string) string {
	return filepath.Join(h.root, format.ProjectDir(h.at(cwd)), filepath.Base(path))
}

// Sessions of the directory and of those below it move; those of a neighbor
// whose session directory has the same name do not (pitfall 171).
func TestMove(t *testing.T) {
	h := newHouse(t)
	own, sub := h.session("a/b", ""), h.session("a/b/sub", "")
	same, beside := h.session("a-b", ""), h.session("a/bc", "")
	kid := h.session("a-b", `,"parentSession":`+quoted(own))
	grandkid := h.session("a/b", `,"parentSession":`+quoted(sub)+`,"later":{"x":[1, 2]}`)
	texts := map[string]string{}
	for _, p := range []string{own, sub, same, beside, kid, grandkid} {
		texts[p] = h.content(p)
	}
	p := h.plan("a/b", "new")
	if len(p.Steps) != 4 || len(p.Refused) != 0 {
		t.Fatalf("plan %+v, refused %v; want four steps", p.Steps, p.Refused)
	}
	for path, text := range texts {
		if h.content(path) != text {
			t.Errorf("planning changed %s", path)
		}
	}
	for _, d := range h.apply(p) {
		if d.Err != nil {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
		if d.Backup != d.To+".old.bak" || h.content(d.Backup) != texts[d.Session.Path] {
			t.Errorf("backup %q; want the old file beside the new one", d.Backup)
		}
		info, err := os.Stat(d.To)
		if err != nil || info.ModTime().UTC().Hour() != 11 || info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v; want its time and mode kept", d.To, info, err) // pitfall 138
		}
	}
	old, new := quoted(h.at("a/b")), quoted(h.at("new"))
	for path, want := range map[string]string{
		h.in("new", own):      strings.Replace(texts[own], old, new, 1),
		h.in("new/sub", sub):  strings.Replace(texts[sub], quoted(h.at("a/b/sub")), quoted(h.at("new/sub")), 1),
		h.in("new", grandkid): strings.Replace(strings.Replace(texts[grandkid], old, new, 1), quoted(sub), quoted(h.in("new/sub", sub)), 1),
		kid:                   strings.Replace(texts[kid], quoted(own), quoted(h.in("new", own)), 1), // pitfall 134
		same:                  texts[same],
		beside:                texts[beside],
	} {
		if got := h.content(path); got != want { // H1
			t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
		}
	}
	if _, err := os.Stat(own); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old file is still there: %v", err)
	}
	if again := h.plan("a/b", "new"); len(again.Steps) != 0 {
		t.Errorf("moving again: %+v; want nothing to do", again.Steps)
	}
}

// Only the values change, however odd the header (H1).
func TestHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		head string // %s is the directory
		err  bool
	}{
		"white space":        {head: "{ \"type\" : \"session\",\t\"version\":3 , \"cwd\" : %s , \"id\":\"x\", \"n\": 1e0 }\r"},
		"byte order mark":    {head: "\xef\xbb\xbf{\"type\":\"session\",\"version\":3,\"id\":\"x\",\"cwd\":%s}"},
		"version 1":          {head: `{"type":"session","id":"x","timestamp":"2026-02-01T10:00:00.000Z","cwd":%s}`},
		"name twice":         {head: `{"type":"session","version":3,"cwd":"/elsewhere","id":"x","cwd":%s}`},
		"a line before it":   {head: "torn{\n{\"type\":\"session\",\"version\":3,\"id\":\"x\",\"cwd\":%s}"},
		"cwd also elsewhere": {head: `{"type":"session","version":3,"id":"x","git":{"cwd":"/elsewhere"},"cwd":%s}`},
		"fused":              {head: `{"type":"session","version":3,"id":"x","timestamp":"2026-02-01T10:00:00.000Z","cwd":%s}{"type":"custom","id":"y","parentId":null,"timestamp":"2026-02-01T10:00:00.000Z","customType":"z"}`, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			path := filepath.Join(h.root, format.ProjectDir(h.at("old")), "x.jsonl")
			text := fmt.Sprintf(tt.head, quoted(h.at("old"))) + "\n" + rest
			h.write(path, text)
			done := h.apply(h.plan("old", "new"))
			if len(done) != 1 || (done[0].Err != nil) != tt.err {
				t.Fatalf("done %+v; want one, failing: %t", done, tt.err)
			}
			want, at := strings.Replace(text, quoted(h.at("old")), quoted(h.at("new")), 1), h.in("new", path)
			if tt.err {
				want, at = text, path // it stays where and as it was
			}
			if got := h.content(at); got != want {
				t.Errorf("the file is %q; want %q", got, want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	tests := map[string]struct {
		spoil func(h *house, path string)
		err   error
	}{
		"something is there": {func(h *house, path string) { h.write(h.in("new", path), "x\n") }, pith.ErrExists},
		"its id is there": {func(h *house, path string) {
			h.write(h.in("new", "copy_0195f1a0-0000-7000-8000-000000000001.jsonl"), strings.Replace(h.content(path), quoted(h.at("old")), quoted(h.at("new")), 1))
		}, pith.ErrExists},
		"its artifacts are there": {func(h *house, path string) {
			h.write(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "a.txt"), "old\n")
			h.write(filepath.Join(strings.TrimSuffix(h.in("new", path), ".jsonl"), "b.txt"), "new\n")
		}, os.ErrExist},
		"too new": {func(h *house, path string) {
			h.write(path, strings.Replace(h.content(path), `"version":3`, `"version":9`, 1))
		}, pith.ErrTooNew},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			path := h.session("old", "")
			tt.spoil(h, path)
			text := h.content(path)
			p := h.plan("old", "new")
			if len(p.Steps) != 0 || len(p.Refused) != 1 || !errors.Is(p.Refused[0].Err, tt.err) {
				t.Errorf("steps %+v, refused %v; want it refused: %v", p.Steps, p.Refused, tt.err)
			}
			h.apply(p)
			if h.content(path) != text {
				t.Error("the file changed")
			}
		})
	}
}

// Somebody writes between the plan and the move: the session is left alone, with
// what was written (H3).
func TestWrittenMeanwhile(t *testing.T) {
	h := newHouse(t)
	busy, idle := h.session("old", ""), h.session("old", "")
	kid := h.session("other", `,"parentSession":`+quoted(busy))
	p := h.plan("old", "new")
	text := h.content(busy) + "more\n"
	h.write(busy, text)
	kidText := h.content(kid)
	for _, d := range h.apply(p) {
		if conflict := errors.Is(d.Err, store.ErrConflict); conflict != (d.Session.Path == busy) {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
	}
	if h.content(busy) != text || h.content(kid) != kidText {
		t.Error("the session that was written, or the link to it, changed")
	}
	h.content(h.in("new", idle))
}

// A move that was interrupted after writing the new name continues (H2).
func TestBrokenOff(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	text := h.content(path)
	h.write(h.in("new", path), text)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	done := h.apply(h.plan("old", "new"))
	if len(done) != 1 || done[0].Err != nil || h.content(h.in("new", path)) != strings.Replace(text, quoted(h.at("old")), quoted(h.at("new")), 1) {
		t.Errorf("done %+v; want the header changed", done)
	}
}

// So does one that was broken off between the artifacts and the file.
func TestBrokenOffBehindArtifacts(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	h.write(filepath.Join(strings.TrimSuffix(h.in("new", path), ".jsonl"), "a.txt"), "a\n")
	done := h.apply(h.plan("old", "new"))
	if len(done) != 1 || done[0].Err != nil {
		t.Fatalf("done %+v; want it moved", done)
	}
	h.content(h.in("new", path))
}

// Artifacts move with their session, and the subagent sessions in them name the
// new directory.
func TestArtifacts(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	in := func(path, name string) string {
		return filepath.Join(strings.TrimSuffix(path, ".jsonl"), "run1", "run-0", name)
	}
	child := func(cwd, parent string) string {
		return `{"type":"session","version":3,"id":"kid","timestamp":"2026-02-01T10:00:00.000Z","cwd":` + quoted(h.at(cwd)) + `,"parentSession":` + quoted(parent) + "}\n" + rest
	}
	h.write(in(path, "session.jsonl"), child("old/sub", path))
	h.write(in(path, "transcript.jsonl"), "{\"x\":1}\n")
	p := h.plan("old", "new")
	if len(p.Steps) != 2 {
		t.Fatalf("steps %+v; want the session and its child", p.Steps)
	}
	for _, d := range h.apply(p) {
		if d.Err != nil {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
	}
	moved := h.in("new", path)
	if got, want := h.content(in(moved, "session.jsonl")), child("new/sub", moved); got != want {
		t.Errorf("the child is\n%s\nwant\n%s", got, want)
	}
	if got := h.content(in(moved, "transcript.jsonl")); got != "{\"x\":1}\n" {
		t.Errorf("the transcript is %q; want it as it was", got)
	}
}

// Where the session must stay, so do its artifacts and what is in them.
func TestArtifactsStay(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	kid := filepath.Join(strings.TrimSuffix(path, ".jsonl"), "kid.jsonl")
	h.write(kid, h.content(path))
	p := h.plan("old", "new")
	text := h.content(kid)
	h.write(path, h.content(path)+"more\n")
	done := h.apply(p)
	if len(done) != 2 || done[0].Err == nil || done[1].Err == nil || h.content(kid) != text {
		t.Errorf("done %+v; want both left as they were", done)
	}
}

// The old directory may be a link that still leads somewhere (pitfall 175).
func TestLinkedDirectory(t *testing.T) {
	h := newHouse(t)
	h.folder("real")
	if err := os.Symlink(h.at("real"), h.at("link")); err != nil {
		if runtime.GOOS != "windows" { // where a user may not be allowed to make one
			t.Fatal(err)
		}
		t.Skip(err)
	}
	h.session("real/sub", "")
	h.session("link", "")
	if p := h.plan("link", "new"); len(p.Steps) != 2 {
		t.Errorf("steps %+v; want both names", p.Steps)
	}
}

// A missing directory proves nothing (pitfall 179).
func TestMakeRefuses(t *testing.T) {
	h := newHouse(t)
	h.write(h.at("file"), "")
	for _, tt := range []struct {
		old, new string
		err      error
	}{
		{h.at("old"), h.at("nowhere"), os.ErrNotExist},
		{h.at("old"), h.at("file"), pith.ErrInvalid},
		{h.at("new"), h.at("new"), pith.ErrInvalid},
		{"old", h.at("new"), pith.ErrInvalid},
	} {
		if _, err := move.NewPlan(nil, tt.old, tt.new, move.Options{}); !errors.Is(err, tt.err) {
			t.Errorf("Make(%s, %s) = %v; want %v", tt.old, tt.new, err, tt.err)
		}
	}
}

// One that was broken off between the two names of a file leaves one session, not
// two, whichever name was listed first.
func TestBrokenOffBetweenNames(t *testing.T) {
	for _, old := range []string{"old", "zzz"} {
		h := newHouse(t)
		path := h.session(old, "")
		text, to := h.content(path), h.in("new", path)
		kid := filepath.Join(strings.TrimSuffix(to, ".jsonl"), "kid.jsonl")
		h.write(kid, text)
		if err := os.Link(path, to); err != nil {
			t.Skip(err)
		}
		done := h.apply(h.plan(old, "new"))
		want := strings.Replace(text, quoted(h.at(old)), quoted(h.at("new")), 1)
		if len(done) != 2 || done[0].Err != nil || done[1].Err != nil || h.content(to) != want || h.content(kid) != want {
			t.Errorf("done %+v; want the session and the one among its artifacts", done)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the old name is still there: %v", err)
		}
		if p := h.plan(old, "new"); len(p.Steps)+len(p.Refused) != 0 {
			t.Errorf("moving again: %+v, %+v; want nothing to do", p.Steps, p.Refused)
		}
	}
}

// A program that writes now and then is noticed although it was quiet when the
// session was planned; so is one that writes where the session was.
func TestInUse(t *testing.T) {
	h := newHouse(t)
	path, idle := h.session("old", ""), h.session("old", "")
	now := time.Now()
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	p := h.plan("old", "new")
	var text string
	p.Quiet = func(context.Context) error {
		text = h.content(path) + "more\n"
		h.write(path, text)
		return nil
	}
	for _, d := range h.apply(p) {
		if conflict := errors.Is(d.Err, store.ErrConflict); conflict != (d.Session.Path == path) {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
	}
	if h.content(path) != text {
		t.Error("the session that was written changed")
	}
	h.content(h.in("new", idle))
}

func TestWrittenBehind(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	var last move.Done
	if err := h.plan("old", "new").Apply(t.Context(), func(d move.Done) {
		if last = d; d.Err == nil {
			h.write(path, "more\n")
		}
	}); err != nil {
		t.Fatal(err)
	}
	var stray *move.StrayError
	if !errors.As(last.Err, &stray) || stray.Path != path || stray.Session != h.in("new", path) {
		t.Errorf("told %+v; want what was written at %s", last, path)
	}
	if h.content(path) != "more\n" {
		t.Error("what was written there is gone")
	}
}

// A line that a program writes late through its old handle is not lost, with a
// backup or without.
func TestWrittenLate(t *testing.T) {
	for name, noBackup := range map[string]bool{"backup": false, "no backup": true} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			path, idle := h.session("old", ""), h.session("old", "")
			handle, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer handle.Close()
			infos, err := catalog.Sorted(catalog.ListAll(t.Context(), h.options()))
			if err != nil {
				t.Fatal(err)
			}
			p, err := move.NewPlan(infos, h.at("old"), h.at("new"), move.Options{Catalog: h.options(), NoBackup: noBackup})
			if err != nil {
				t.Fatal(err)
			}
			p.Quiet = func(context.Context) error { return nil }
			moved := 0
			var strays []*move.StrayError
			if err := p.Apply(t.Context(), func(d move.Done) {
				var stray *move.StrayError
				if errors.As(d.Err, &stray) {
					strays = append(strays, stray)
				} else if d.Err != nil {
					t.Error(d.Err)
				}
				if moved++; moved == 2 {
					if _, err := handle.WriteString("late\n"); err != nil {
						t.Error(err)
					}
				}
			}); err != nil {
				t.Fatal(err)
			}
			if len(strays) != 1 || strays[0].Session != h.in("new", path) || !strings.HasSuffix(h.content(strays[0].Path), "late\n") {
				t.Errorf("reported %+v; want the file with the late line", strays)
			}
			if _, err := os.Lstat(store.BackupName(h.in("new", idle), 0)); (err == nil) == noBackup {
				t.Errorf("the backup of a session that was not written: %v", err)
			}
		})
	}
}

// A read-only directory keeps its session, and only that; once it is writable,
// the same command continues.
func TestClosedFolder(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	h := newHouse(t)
	path := h.session("old", "")
	text := h.content(path)
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	done := h.apply(h.plan("old", "new"))
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if len(done) != 1 || !errors.Is(done[0].Err, os.ErrPermission) || h.content(path) != text {
		t.Errorf("done %+v; want the session left as it was", done)
	}
	if _, err := os.Lstat(h.in("new", path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a second one: %v", err)
	}
	if done := h.apply(h.plan("old", "new")); len(done) != 1 || done[0].Err != nil {
		t.Errorf("again: %+v; want it moved", done)
	}
	h.content(h.in("new", path))
}

// Two concurrent moves leave one session, in its new place.
func TestTwoMovesAtOnce(t *testing.T) {
	for round := range 15 {
		h := newHouse(t)
		path := h.session("old", "")
		want := strings.Replace(h.content(path), quoted(h.at("old")), quoted(h.at("new")), 1)
		var both sync.WaitGroup
		for _, p := range []*move.Plan{h.plan("old", "new"), h.plan("old", "new")} {
			both.Go(func() {
				if err := p.Apply(t.Context(), func(move.Done) {}); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		again := h.apply(h.plan("old", "new")) // what both have left to each other
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), h.options()))
		if err != nil || len(infos) != 1 || infos[0].Path != h.in("new", path) || h.content(infos[0].Path) != want {
			t.Fatalf("round %d: there are %+v, %v; the same command again did %+v", round, infos, err, again)
		}
	}
}
