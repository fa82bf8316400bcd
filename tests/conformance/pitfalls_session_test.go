package conformance_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// Model, thinking level and messages after moving to an entry are those that
// closing and opening there yields, at every entry (pitfalls 78, 84).
func TestMovingIsLikeReopening(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			s := createPith(t, "/home/u/p", pith.Options{Dir: t.TempDir()})
			ids := perform(t, pithSide{s}, newAuthor(8100+seed, true).script(calls), nil)
			closePith(t, s)
			text := readFile(t, s.File())
			for _, id := range append(ids, "") {
				path := sessionFile(t, text)
				moved := openPith(t, path, pith.Options{})
				if id == "" {
					moved.ResetLeaf()
				} else {
					moveTo(t, moved, id)
					moveTo(t, moved, id) // where it is already, which is to change nothing
				}
				c, err := moved.Context()
				want := pithContext(t, "leaf", c, err)
				closePith(t, moved)
				c, err = reopen(t, path).Context()
				sameContexts(t, []contextAccount{pithContext(t, "leaf", c, err)}, []contextAccount{want})
			}
		})
	}
}

// A user message can be the leaf, and can be asked again from its parent
// (pitfall 80).
func TestStandingOnAQuestion(t *testing.T) {
	s := open(t, plainHead+messageLine("aaaa0001", "null", "one")+messageLine("aaaa0002", "aaaa0001", "two")+messageLine("aaaa0003", "aaaa0002", "three"))
	moveTo(t, s, "aaaa0002")
	if got := textOf(t, s); s.LeafID() != "aaaa0002" || got != "one two" {
		t.Errorf("after Branch the leaf is %q and says %q; want aaaa0002, one two", s.LeafID(), got)
	}
	f, err := s.Fork(t.Context(), "aaaa0002")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := textOf(t, f); got != "one" {
		t.Errorf("a fork at the question says %q; want what was before it", got)
	}
}

// Forking works before the first answer, at the first message and for a session
// that is in no file yet, or says why not (pitfall 126).
func TestEarlyForks(t *testing.T) {
	dir := t.TempDir()
	s := createPith(t, "/home/u/p", pith.Options{Dir: dir})
	if _, err := s.Clone(t.Context(), s.LeafID()); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("Clone of an empty session = %v; want ErrInvalid", err)
	}
	model, err := s.AppendModel(t.Context(), "p", "m")
	if err != nil {
		t.Fatal(err)
	}
	unsaved, err := s.Clone(t.Context(), model)
	if err != nil || unsaved.Written() || unsaved.View().Len() != 1 {
		t.Fatalf("Clone of an unsaved session = %v; want one entry that waits for a message", err)
	}
	defer unsaved.Close()
	sayNext(t, unsaved)
	if got := reopen(t, unsaved.File()).View().Len(); got != 2 || s.Written() {
		t.Errorf("after a message the extract has %d entries on disk, its source is written: %t; want 2, false", got, s.Written())
	}
	first := sayNext(t, s)
	for name, fork := range map[string]func() (*pith.Session, error){
		"before the first message": func() (*pith.Session, error) { return s.Fork(t.Context(), first) },
		"with it":                  func() (*pith.Session, error) { return s.Clone(t.Context(), first) },
		"of the whole": func() (*pith.Session, error) {
			return pith.ForkFrom(t.Context(), s.File(), pith.Options{Cwd: "/home/u/q", Dir: dir})
		},
	} {
		f, err := fork()
		if err != nil {
			t.Errorf("a fork %s = %v; want one", name, err)
			continue
		}
		sayNext(t, f)
		again := reopen(t, f.File())
		if len(again.Findings()) != 0 || again.Header().ParentSession != s.File() {
			t.Errorf("a fork %s: findings %v, parent %q; want none and %q", name, again.Findings(), again.Header().ParentSession, s.File())
		}
		f.Close()
	}
}

// An invalid fork is an error that explains the problem, and nothing is made or
// overwritten (pitfalls 71, 135).
func TestForksThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "kept-id.jsonl")
	putSession(t, kept, "kept-id", "/home/u/q", day(1), day(1))
	before := readFile(t, kept)
	tests := map[string]struct {
		source, id string
		err        error
	}{
		"no file":             {source: filepath.Join(dir, "none.jsonl"), err: fs.ErrNotExist},
		"no session":          {source: sessionFile(t, "notes\n"), err: pith.ErrNotSession},
		"an empty file":       {source: sessionFile(t, ""), err: pith.ErrNotSession},
		"an id that is taken": {source: sessionFile(t, sharedConversation), id: "kept-id", err: pith.ErrExists},
		"an id that is none":  {source: sessionFile(t, sharedConversation), id: "../x", err: pith.ErrInvalid},
	}
	for name, tt := range tests {
		if _, err := pith.ForkFrom(t.Context(), tt.source, pith.Options{Cwd: "/home/u/q", Dir: dir, ID: tt.id}); !errors.Is(err, tt.err) {
			t.Errorf("ForkFrom %s = %v; want %v", name, err, tt.err)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 || readFile(t, kept) != before {
		t.Errorf("the folder holds %v, %v; want the one session, as it was", all, err)
	}
}

// An answer that was copied into forks and extracts has the id and the bytes of
// the one that it is a copy of, so that who adds up several sessions counts it
// once (pitfall 136).
func TestCopiedAnswersAreCountedOnce(t *testing.T) {
	dir := t.TempDir()
	s := createPith(t, "/home/u/p", pith.Options{Dir: dir})
	ids := perform(t, pithSide{s}, newAuthor(8200, true).script(2*calls), nil)
	for i, id := range ids {
		if i%10 == 0 {
			x, err := s.Clone(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			x.Close()
		}
	}
	for range 3 {
		f, err := pith.ForkFrom(t.Context(), s.File(), pith.Options{Cwd: "/home/u/q", Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v; want many copies", len(files), err)
	}
	type response struct{ id, at string }
	once, all := map[response]int64{}, 0
	for _, path := range files {
		for e, err := range reopen(t, path).View().Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if tokens := outputOf(e); tokens > 0 {
				once[response{e.Head().ID, e.Head().Timestamp}] = tokens
				all++
			}
		}
	}
	want, own := int64(0), 0
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if tokens := outputOf(e); tokens > 0 {
			want += tokens
			own++
		}
	}
	got := int64(0)
	for _, tokens := range once {
		got += tokens
	}
	if got != want || len(once) != own || all <= own {
		t.Errorf("%d responses in %d files are %d tokens of %d responses; want the %d tokens of the %d responses of the source", all, len(files), got, len(once), want, own)
	}
}

// outputOf is how many tokens a model wrote for an entry.
func outputOf(e format.Entry) int64 {
	switch e := e.(type) {
	case *format.MessageEntry:
		if a, ok := e.Message.(*format.Assistant); ok {
			return a.Usage.Output
		}
	case *format.Compaction:
		if e.Usage != nil {
			return e.Usage.Output
		}
	case *format.BranchSummary:
		if e.Usage != nil {
			return e.Usage.Output
		}
	case *format.UsageEntry:
		return e.Usage.Output
	}
	return 0
}

const sharedConversation = plainHead +
	`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"one","timestamp":1770159127000}}` + "\n" +
	`{"type":"label","id":"bbbb0001","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:07.500Z","targetId":"aaaa0001","label":"mark"}` + "\n" +
	`{"type":"message","id":"aaaa0002","parentId":"bbbb0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"user","content":"two","timestamp":1770159128000}}` + "\n"

// A rename and a label do not change the position of the session in a list, and
// can be written while another window continues (pitfalls 53, 77, 138).
func TestRenamingDoesNotReorder(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		putSession(t, filepath.Join(dir, fmt.Sprint(i, ".jsonl")), fmt.Sprint("s", i), "/home/u/p", day(i), day(i))
	}
	s := openPith(t, filepath.Join(dir, "0.jsonl"), pith.Options{})
	window := openPith(t, filepath.Join(dir, "0.jsonl"), pith.Options{})
	if _, err := window.AppendMessage(t.Context(), format.NewUser("y", day(0).Add(time.Hour))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetName(t.Context(), "renamed"); err != nil {
		t.Errorf("SetName beside a window that went on = %v; want nil", err)
	}
	last, err := s.SetLabel(t.Context(), "aaaa0001", "marked")
	if err != nil {
		t.Errorf("SetLabel beside a window that went on = %v; want nil", err)
	}
	recent, err := sessiondir.MostRecent(t.Context(), "/home/u/p", dir)
	if err != nil || filepath.Base(recent) != "2.jsonl" {
		t.Errorf("the most recent session is %s, %v; want 2.jsonl", recent, err)
	}
	again := reopen(t, s.File())
	if again.Name() != "renamed" || again.View().Label("aaaa0001") != "marked" || textOf(t, again) != "x y" {
		t.Errorf("named %q, labelled %q, says %q; want renamed, marked, x y", again.Name(), again.View().Label("aaaa0001"), textOf(t, again))
	}
	// pi resumes at the last line, so that must hang below what the window said.
	if path := leafPath(t, again); len(path) != 4 || path[3] != last {
		t.Errorf("the path is %v; want all four entries, the label %s last", path, last)
	}
}
