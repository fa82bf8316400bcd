package pith_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// fileIn writes a file into a new directory below one of a program.
func fileIn(t *testing.T, program, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), program, "agent", "sessions", "project", "s.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	long := clock() // no process has it open
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	return path
}

func titleOf(t *testing.T, path string) format.TitleSlot {
	t.Helper()
	text := read(t, path)
	if len(text) < format.TitleSlotSize {
		t.Fatalf("the file has %d bytes, less than a title slot", len(text))
	}
	slot, ok := format.DecodeTitleSlot([]byte(text[:format.TitleSlotSize]))
	if !ok {
		t.Fatalf("the file begins with %.60q, no title slot", text)
	}
	return slot
}

// A session of oh-my-pi that has no title slot gets one when it is named, and
// nothing else in its file changes.
func TestNameWithoutTitleSlot(t *testing.T) {
	text := head + line("a", "", "user", "one")
	path := fileIn(t, ".omp", text)
	s := open(t, path, pith.Options{})
	id, err := s.SetName(t.Context(), "the name")
	if err != nil || id != "" {
		t.Fatalf("SetName = %q, %v; want no entry", id, err)
	}
	if slot := titleOf(t, path); slot.Title != "the name" || slot.Source != "user" {
		t.Errorf("the slot is %+v", slot)
	}
	if got := read(t, path)[format.TitleSlotSize:]; got != text {
		t.Errorf("behind the slot stands\n%s\nwant\n%s", got, text)
	}
	size := len(read(t, path))
	if _, err := s.SetName(t.Context(), "another"); err != nil || len(read(t, path)) != size {
		t.Errorf("a second name: %v, %d bytes; want %d", err, len(read(t, path)), size)
	}
	say(t, s, "two")
	again := open(t, path, pith.Options{})
	if again.Name() != "another" || said(t, again) != "one|two" || codes(again) != "" {
		t.Errorf("a new reader: name %q, said %q, findings %q", again.Name(), said(t, again), codes(again))
	}
}

// Another process names the session, or continues it, while a slot is inserted
// before it: nothing of it is lost.
func TestNameBesideOthers(t *testing.T) {
	text := head + line("a", "", "user", "one")
	t.Run("named", func(t *testing.T) {
		path := fileIn(t, ".omp", text)
		s, other := open(t, path, pith.Options{Force: true}), open(t, path, pith.Options{Force: true})
		if _, err := other.SetName(t.Context(), "theirs"); err != nil {
			t.Fatal(err)
		}
		say(t, other, "two")
		if _, err := s.SetName(t.Context(), "mine"); err != nil {
			t.Fatal(err)
		}
		again := open(t, path, pith.Options{})
		if again.Name() != "mine" || said(t, again) != "one|two" || strings.Count(read(t, path), `"title"`) != 2 {
			t.Errorf("name %q, said %q in\n%s", again.Name(), said(t, again), read(t, path))
		}
	})
	t.Run("written", func(t *testing.T) {
		path := fileIn(t, ".omp", text)
		s := open(t, path, pith.Options{Force: true})
		foreign(t, path, line("b", "a", "assistant", "theirs"))
		if _, err := s.SetName(t.Context(), "mine"); err != nil {
			t.Fatal(err)
		}
		if again := open(t, path, pith.Options{}); again.Name() != "mine" || said(t, again) != "one|theirs" {
			t.Errorf("name %q, said %q", again.Name(), said(t, again))
		}
	})
	t.Run("replaced", func(t *testing.T) {
		slot := string(format.AppendTitleSlot(nil, format.TitleSlot{Title: "before"}))
		path := fileIn(t, ".omp", slot+text)
		s := open(t, path, pith.Options{Force: true})
		if err := os.WriteFile(path+".new", []byte(slot+text+line("b", "a", "assistant", "theirs")), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		if _, err := s.SetName(t.Context(), "mine"); err != nil {
			t.Fatal(err)
		}
		if again := open(t, path, pith.Options{}); again.Name() != "mine" || said(t, again) != "one|theirs" {
			t.Errorf("name %q, said %q", again.Name(), said(t, again))
		}
	})
}

// A title that a program made is marked so, and replaces none that a person wrote;
// a session that waits for its first message has it as soon as it has a file.
func TestTitleOfAProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".omp", "agent", "sessions", "project")
	s := create(t, pith.Options{Dir: dir})
	if _, set, err := s.SetNameIfUnset(t.Context(), "made up"); !set || err != nil {
		t.Errorf("SetNameIfUnset = %t, %v", set, err)
	}
	if s.Name() != "made up" || s.Written() {
		t.Errorf("Name() = %q, Written() = %t; want it named and not written", s.Name(), s.Written())
	}
	if _, set, err := s.SetNameIfUnset(t.Context(), "again"); set || err != nil {
		t.Errorf("a second SetNameIfUnset = %t, %v", set, err)
	}
	say(t, s, "one")
	if slot := titleOf(t, s.File()); slot.Title != "made up" || slot.Source != "auto" {
		t.Errorf("the slot is %+v", slot)
	}
	if said(t, open(t, s.File(), pith.Options{})) != "one" {
		t.Errorf("the file is\n%s", read(t, s.File()))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetName(t.Context(), "too late"); !errors.Is(err, pith.ErrClosed) {
		t.Errorf("SetName of a closed session = %v, want ErrClosed", err)
	}
}

// A session of oh-my-pi in a file of another name has no directory of
// artifacts, and can still be copied.
func TestForkFromOddName(t *testing.T) {
	source := fileIn(t, ".omp", head+line("a", "", "user", "one"))
	odd := strings.TrimSuffix(source, ".jsonl") + ".log"
	if err := os.Rename(source, odd); err != nil {
		t.Fatal(err)
	}
	n, err := pith.ForkFrom(t.Context(), odd, pith.Options{Cwd: "/q", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	n.Close()
}

// A copy of an oh-my-pi session has its images, its artifacts and its name: in
// oh-my-pi's directory as oh-my-pi stores them, in other places in its own
// lines.
func TestForkFromOhMyPi(t *testing.T) {
	sum := sha256.Sum256([]byte("png"))
	hash := hex.EncodeToString(sum[:])
	picture := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:` + hash + `"}]}}` + "\n"
	slot := string(format.AppendTitleSlot(nil, format.TitleSlot{Title: "titled", Source: "user"}))
	source := fileIn(t, ".omp", slot+head+line("a", "", "user", "one")+picture)
	sessions := filepath.Dir(filepath.Dir(source))
	blobs := filepath.Join(filepath.Dir(sessions), "blobs")
	artifact := filepath.Join(strings.TrimSuffix(source, ".jsonl"), "deep", "out.txt")
	for path, text := range map[string]string{filepath.Join(blobs, hash): "png", artifact: "made"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inline := base64.StdEncoding.EncodeToString([]byte("png"))
	for name, tt := range map[string]struct {
		dir  string
		data string
	}{
		"to oh-my-pi":         {filepath.Join(sessions, "other"), "blob:sha256:" + hash},
		"to another oh-my-pi": {filepath.Join(t.TempDir(), ".omp", "agent", "sessions", "other"), inline},
		"to pi":               {filepath.Join(t.TempDir(), ".pi", "agent", "sessions", "other"), inline},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/q", Dir: tt.dir})
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			again := open(t, n.File(), pith.Options{})
			if said(t, n) != said(t, again) { // it is open, not only made
				t.Errorf("the copy says %q, its file %q", said(t, n), said(t, again))
			}
			if again.Name() != "titled" || !strings.Contains(read(t, n.File()), `"data":"`+tt.data+`"`) || codes(again) != "" {
				t.Errorf("name %q, findings %q in\n%s", again.Name(), codes(again), read(t, n.File()))
			}
			hasArtifact(t, n)
		})
	}
	s := open(t, source, pith.Options{Dir: filepath.Join(t.TempDir(), ".pi", "agent", "sessions", "other")})
	x, err := s.Extract(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if text := read(t, x.File()); !strings.Contains(text, inline) || open(t, x.File(), pith.Options{}).Name() != "titled" {
		t.Errorf("the path alone, in pi's folder:\n%s", text)
	}
	hasArtifact(t, x)
	s = open(t, source, pith.Options{})
	x, err = s.Extract(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if slot := titleOf(t, x.File()); slot.Title != "titled" || strings.Contains(read(t, x.File()), "session_info") {
		t.Errorf("the path alone, in oh-my-pi's folder: %+v in\n%s", slot, read(t, x.File()))
	}
	hasArtifact(t, x)
}

// hasArtifact checks that the file that oh-my-pi made next to a session was
// copied.
func hasArtifact(t *testing.T, s *pith.Session) {
	t.Helper()
	if made := read(t, filepath.Join(strings.TrimSuffix(s.File(), ".jsonl"), "deep", "out.txt")); made != "made" {
		t.Errorf("the artifact is %q", made)
	}
}

// A session of OpenClaw's database can be read and copied, but not written to; a
// copy goes where pi keeps the sessions of its working directory.
func TestSessionOfADatabase(t *testing.T) {
	home := ownHome(t)
	text := strings.Replace(head, `"version":3`, `"version":4`, 1) + line("a", "", "user", "one") + line("b", "a", "assistant", "two")
	path := fileIn(t, ".openclaw", text)
	s := open(t, path, pith.Options{})
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "x")); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("AppendMessage = %v, want ErrTooNew", err)
	}
	if _, err := s.SetName(t.Context(), "x"); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("SetName = %v, want ErrTooNew", err)
	}
	if read(t, path) != text {
		t.Error("the file changed")
	}
	x, err := s.Extract(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if !strings.HasPrefix(x.File(), filepath.Join(home, ".pi", "agent", "sessions")) || x.Header().Version != format.Version {
		t.Errorf("the copy is %s, of version %d", x.File(), x.Header().Version)
	}
	say(t, x, "goes on")
	n, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/q"})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if got := said(t, n); got != "one|two" || filepath.Dir(n.File()) != filepath.Join(home, ".pi", "agent", "sessions", format.ProjectDir("/q")) {
		t.Errorf("the fork is %s and says %q", n.File(), got)
	}
}

// The error of a held session names the holder, and how that is known.
func TestHeldErrorTells(t *testing.T) {
	for _, tt := range []struct {
		err  pith.HeldError
		want string
	}{
		{pith.HeldError{Path: "/s.jsonl", Program: format.OhMyPi, Process: 42}, "process 42"},
		{pith.HeldError{Path: "/s.jsonl", Program: format.OhMyPi, Written: time.UnixMilli(1)}, "a moment ago"},
	} {
		if got := tt.err.Error(); !strings.Contains(got, tt.want) || !strings.Contains(got, "oh-my-pi") || !strings.Contains(got, "/s.jsonl") {
			t.Errorf("Error() = %q, want %q, the program and the file", got, tt.want)
		}
	}
}

// A file that a program holds and that is gone is an error about the file.
func TestHeldFileIsGone(t *testing.T) {
	path := fileIn(t, ".omp", head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetLabel(t.Context(), "a", "x"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("SetLabel = %v, want an error that names the file", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a file without a header was made")
	}
}

// Members that pith does not know, as oh-my-pi 18.3.4 adds to session_init,
// keep their bytes in the session and in a fork.
func TestUnknownMembersOfOhMyPi(t *testing.T) {
	const first = `{"type":"session_init","id":"a0","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","systemPrompt":"s","task":"t","tools":[],"compactionThreshold":{"percent":0.85, "tokens":1e5}}` + "\n"
	path := fileIn(t, ".omp", head+first+line("a", "a0", "user", "one"))
	s := open(t, path, pith.Options{})
	say(t, s, "two")
	n, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/q", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	for _, file := range []string{path, n.File()} {
		if text := read(t, file); !strings.Contains(text, first) {
			t.Errorf("%s lost a member:\n%s", file, text)
		}
	}
	if said(t, s) != "one|two" || codes(s) != "" {
		t.Errorf("said %q, findings %q", said(t, s), codes(s))
	}
}
