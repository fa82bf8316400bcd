package pith_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/sessiondir"
)

// A fork is a session of its own; its source is never touched (pitfalls 125, 132).
func TestForkFrom(t *testing.T) {
	text := head + line("a", "", "user", "one") + line("b", "a", "assistant", "two") + line("c", "a", "user", "other") +
		`{"type":"future","id":"f","parentId":"c","timestamp":"2026-02-03T22:52:07.000Z","x":"\ud83d","n":1.0}` + "\n" +
		`{"type":"session_info","id":"n","parentId":"f","timestamp":"2026-02-03T22:52:07.000Z","name":"named"}` + "\n" + "garbage\n" + `{"torn`
	path := write(t, text)
	dir := t.TempDir()
	s, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/elsewhere", Dir: dir})
	if err != nil {
		t.Fatalf("ForkFrom: %v", err)
	}
	defer s.Close()
	if s.Cwd() != "/elsewhere" || s.Header().ParentSession != path || s.ID() == "s1" || s.Name() != "named" {
		t.Errorf("fork: cwd %q, parent %q, id %q, name %q", s.Cwd(), s.Header().ParentSession, s.ID(), s.Name())
	}
	_, entries, _ := strings.Cut(read(t, s.File()), "\n")
	_, source, _ := strings.Cut(text, "\n")
	if want := strings.TrimSuffix(source, "garbage\n{\"torn"); entries != want {
		t.Errorf("entries of the fork:\n%s\nwant, byte for byte (pitfall 18):\n%s", entries, want)
	}
	say(t, s, "goes on")
	if read(t, path) != text {
		t.Error("the source changed")
	}
	if got := said(t, open(t, path, pith.Options{})); got != "one|other" {
		t.Errorf("source says %q", got)
	}
}

// A source of an old version is migrated before it gets a version 3 header
// (pitfall 99).
func TestForkOldVersion(t *testing.T) {
	text := `{"type":"session","id":"old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/p"}` + "\n" +
		`{"type":"message","timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"one"}}` + "\n" +
		`{"type":"message","timestamp":"2025-11-20T23:33:52.000Z","message":{"role":"hookMessage","customType":"h","content":"hook","display":true}}` + "\n" +
		`{"type":"message","timestamp":"2025-11-20T23:33:53.000Z","message":{"role":"user","content":"two"}}` + "\n"
	path := write(t, text)
	for name, fork := range map[string]func() (*pith.Session, error){
		"ForkFrom": func() (*pith.Session, error) {
			return pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/q", Dir: t.TempDir()})
		},
		"Clone": func() (*pith.Session, error) {
			s := open(t, path, pith.Options{})
			return s.Clone(t.Context(), s.LeafID())
		},
	} {
		s, err := fork()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again := open(t, s.File(), pith.Options{})
		if got := said(t, again); got != "one|custom|two" {
			t.Errorf("%s: said = %q, want %q", name, got, "one|custom|two")
		}
		if again.NeedsMigration() || len(again.Findings()) != 0 {
			t.Errorf("%s: the copy is not of the present version: %v", name, again.Findings())
		}
		s.Close()
	}
	if read(t, path) != text {
		t.Error("the source changed")
	}
}

// Fork takes the path before an entry; Clone up to and with it (pitfall 126).
func TestForkAndExtract(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")+line("c", "b", "user", "three")), pith.Options{})
	f, err := s.Fork(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := said(t, f); got != "one|two" || !f.Written() {
		t.Errorf("fork says %q, written %v", got, f.Written())
	}
	first, err := s.Fork(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.View().Len() != 0 || first.Written() || first.Header().ParentSession != s.File() {
		t.Errorf("fork before the first message: %d entries, written %v, parent %q", first.View().Len(), first.Written(), first.Header().ParentSession)
	}
	if _, err := s.Clone(t.Context(), "nope"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Clone of an unknown entry = %v, want ErrNoEntry", err)
	}
	memory, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Clone(t.Context(), memory.LeafID()); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("Clone of an empty session = %v, want ErrInvalid", err)
	}
	id := say(t, memory, "x")
	m, err := memory.Clone(t.Context(), id)
	if err != nil || m.Persisted() || said(t, m) != "x" {
		t.Errorf("extract of a session in memory: %v", err)
	}
}

// The name is kept where the path alone would lose it (pitfall 130), and labels
// keep their times (pitfalls 127, 139).
func TestExtractKeepsNameAndLabels(t *testing.T) {
	text := head + line("a", "", "user", "one") +
		`{"type":"label","id":"l","parentId":"a","timestamp":"2026-01-01T00:00:00.000Z","targetId":"a","label":"mark"}` + "\n" +
		line("b", "l", "assistant", "two") +
		`{"type":"session_info","id":"n","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","name":"on another branch"}` + "\n"
	s := open(t, write(t, text), pith.Options{})
	x, err := s.Clone(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
	again := open(t, x.File(), pith.Options{})
	if again.Name() != "on another branch" || again.View().Label("a") != "mark" || said(t, again) != "one|two" {
		t.Errorf("name %q, label %q, said %q", again.Name(), again.View().Label("a"), said(t, again))
	}
	if !strings.Contains(read(t, x.File()), `"timestamp":"2026-01-01T00:00:00.000Z","targetId":"a","label":"mark"`) {
		t.Error("the label lost its time")
	}
	if len(again.Findings()) != 0 {
		t.Errorf("findings: %v", again.Findings())
	}
}

// A call without a result at the end of a fork is closed in the context, not in
// the file (pitfall 131).
func TestForkWithOpenCall(t *testing.T) {
	call := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{}}],"stopReason":"toolUse"}}` + "\n"
	s := open(t, write(t, head+line("a", "", "user", "one")+call), pith.Options{})
	x, err := s.Clone(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	c, err := x.Context()
	if err != nil {
		t.Fatal(err)
	}
	msgs, changes, err := c.Repaired()
	if err != nil || len(msgs) != 3 || len(changes) != 1 {
		t.Fatalf("Repaired() = %d messages, %v, %v; want 3 and one change", len(msgs), changes, err)
	}
	if last := string(msgs[2].Raw); !strings.Contains(last, `"toolCallId":"c1"`) || !strings.Contains(last, `"isError":true`) {
		t.Errorf("the open call is answered with %s", last)
	}
}

// A requested ID is assigned once per directory (pitfalls 67, 68).
func TestChosenID(t *testing.T) {
	dir := t.TempDir()
	const n = 16
	var wg sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		s := create(t, pith.Options{Dir: dir, ID: "chosen.id-1"})
		wg.Go(func() { _, errs[i] = s.AppendMessage(t.Context(), message(t, "user", fmt.Sprint(i))) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, pith.ErrExists):
			t.Errorf("AppendMessage = %v, want ErrExists", err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if won != 1 || len(files) != 1 {
		t.Errorf("%d sessions won, %d files; want 1 and 1", won, len(files))
	}
	create(t, pith.Options{ID: "chosen.id-1"}) // another directory
	for _, bad := range []string{"-x", "x-", "a/b", "a b", "é", "..", strings.Repeat("/", 3)} {
		if _, err := pith.Create(pith.Options{Cwd: "/p", Dir: dir, ID: bad}); !errors.Is(err, pith.ErrInvalid) {
			t.Errorf("Create with id %q = %v, want ErrInvalid", bad, err)
		}
	}
}

// Ids of sessions rise within a process (pitfall 63).
func TestSessionIDsRise(t *testing.T) {
	last := ""
	now := clock()
	for range 20_000 {
		id := sessiondir.NewSessionID(now)
		if id <= last {
			t.Fatalf("id %s after %s", id, last)
		}
		last = id
	}
}

// The most recent session is the one in which something was said last
// (pitfalls 48, 51, 53, 54).
func TestContinueRecent(t *testing.T) {
	dir := t.TempDir()
	put := func(name, cwd, said string) string {
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"%s"}`+"\n", name, cwd)
		text += fmt.Sprintf(`{"type":"message","id":"a","parentId":null,"timestamp":"%s","message":{"role":"user","content":"x"}}`+"\n", said)
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	newer := put("newer", "/p", "2026-03-02T00:00:00.000Z")
	older := put("older", "/p", "2026-03-01T00:00:00.000Z")
	put("other", "/q", "2026-03-03T00:00:00.000Z")
	renamed := open(t, older, pith.Options{})
	if _, err := renamed.SetName(t.Context(), "renamed just now"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: "/p", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.File() != newer {
		t.Errorf("continued %s, want %s", s.File(), newer)
	}
	fresh, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: "/nobody", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if _, err := os.Stat(fresh.File()); !errors.Is(err, fs.ErrNotExist) || fresh.View().Len() != 0 {
		t.Errorf("a new session was expected, got %s", fresh.File())
	}
}

// A compaction that kept entries from a label on keeps those from the next
// entry on, since the label moves; each kept label is set again.
func TestExtractMovesWhatIsKept(t *testing.T) {
	label := func(id, parent, target string) string {
		return `{"type":"label","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-01-01T00:00:00.000Z","targetId":"` + target + `","label":"on ` + target + `"}` + "\n"
	}
	compaction := func(first string) string {
		return `{"type":"compaction","id":"k","parentId":"b","timestamp":"2026-02-03T22:52:08.000Z","summary":"s","firstKeptEntryId":"` + first + `","tokensBefore":1}` + "\n"
	}
	for first, want := range map[string]string{"l": "b", "m": "b", "b": "b", "a": "a", "k": "k"} {
		text := head + line("a", "", "user", "one") + label("l", "a", "a") + label("m", "l", "gone") + line("b", "m", "assistant", "two") + compaction(first) +
			label("o", "k", "b") + line("c", "o", "user", "three")
		s := open(t, write(t, text), pith.Options{})
		x, err := s.Clone(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		again := open(t, x.File(), pith.Options{})
		if !strings.Contains(read(t, x.File()), `"firstKeptEntryId":"`+want+`"`) || said(t, again) != said(t, s) || codes(again) != "" {
			t.Errorf("from %s on: said %q, want %q, findings %q, in\n%s", first, said(t, again), said(t, s), codes(again), read(t, x.File()))
		}
		if v := again.View(); v.Label("a") != "on a" || v.Label("b") != "on b" || v.Label("gone") != "" {
			t.Errorf("labels %q, %q, %q", v.Label("a"), v.Label("b"), v.Label("gone"))
		}
	}
}

// A clone without a message has no file before its first one, as a new session.
func TestCloneWithoutMessage(t *testing.T) {
	s := create(t, pith.Options{})
	id, err := s.AppendModel(t.Context(), "p", "m")
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "one")
	c, err := s.Clone(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Written() || c.View().Len() != 1 {
		t.Errorf("the clone is written: %t, with %d entries", c.Written(), c.View().Len())
	}
	if say(t, c, "two"); !c.Written() {
		t.Error("the clone has no file after its first message")
	}
}
