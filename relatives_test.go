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

// titleSlot returns a title slot as oh-my-pi writes it.
func titleSlot(title string) string {
	const size = 256
	line := `{"type":"title","v":1,"title":"` + title + `","source":"user","updatedAt":"2026-02-03T10:00:00.000Z","pad":"`
	return line + strings.Repeat(" ", size-len(line)-3) + "\"}\n"
}

// A session of oh-my-pi is read, and no call writes to it or to a directory of
// oh-my-pi. Its name is the title that oh-my-pi shows.
func TestOhMyPiIsReadOnly(t *testing.T) {
	ownHome(t)
	slot := titleSlot("before")
	text := head + line("a", "", "user", "one") + `{"type":"session_info","id":"b","parentId":"a","timestamp":"2026-02-03T10:00:00.000Z","name":"not read by oh-my-pi"}` + "\n"
	for name, path := range map[string]string{
		"by its slot":      write(t, slot+text),
		"by its directory": fileIn(t, ".omp", slot+text),
		"without a slot":   fileIn(t, ".omp", strings.Replace(head, `"cwd"`, `"title":"before","cwd"`, 1)+line("a", "", "user", "one")),
	} {
		t.Run(name, func(t *testing.T) {
			before := read(t, path)
			s := open(t, path, pith.Options{Force: true})
			if s.Name() != "before" || said(t, s) != "one" {
				t.Errorf("named %q, says %q", s.Name(), said(t, s))
			}
			_, named := s.SetName(t.Context(), "x")
			_, _, titled := s.SetNameIfUnset(t.Context(), "x")
			_, labeled := s.SetLabel(t.Context(), "a", "x")
			_, appended := s.AppendMessage(t.Context(), message(t, "user", "x"))
			_, compacted := s.AppendCompaction(t.Context(), format.Compaction{Summary: "s", FirstKeptEntryID: "a"})
			_, migrated := s.Migrate(t.Context())
			for call, err := range map[string]error{"Writable": s.Writable(), "SetName": named, "SetNameIfUnset": titled, "SetLabel": labeled, "AppendMessage": appended, "AppendCompaction": compacted, "Migrate": migrated} {
				if foreign := (*format.ForeignError)(nil); !errors.As(err, &foreign) || foreign.Source != "oh-my-pi" || foreign.Session != s.ID() {
					t.Errorf("%s = %v; want a ForeignError of oh-my-pi", call, err)
				}
			}
			s.ResetLeaf()
			if err := s.Close(); err != nil || read(t, path) != before {
				t.Errorf("Close = %v; the file is\n%s", err, read(t, path))
			}
		})
	}
	dir := filepath.Join(t.TempDir(), ".omp", "agent", "sessions", "project")
	_, err := create(t, pith.Options{Dir: dir}).AppendMessage(t.Context(), message(t, "user", "x"))
	_, forked := pith.ForkFrom(t.Context(), write(t, text), pith.Options{Cwd: "/q", Dir: dir})
	for call, err := range map[string]error{"Create": err, "ForkFrom": forked} {
		if !errors.Is(err, pith.ErrNoDir) || !strings.Contains(err.Error(), "oh-my-pi") {
			t.Errorf("%s in a directory of oh-my-pi = %v; want ErrNoDir", call, err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat(%s) = %v; want that nothing was made", dir, err)
	}
}

// oh-my-pi renames a session in place.
func TestTitleChangedByOhMyPi(t *testing.T) {
	text := head + line("a", "", "user", "one")
	path := write(t, titleSlot("before")+text)
	s := open(t, path, pith.Options{})
	if err := os.WriteFile(path, []byte(titleSlot("renamed there")+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil || s.Name() != "renamed there" {
		t.Errorf("Name() = %q, %v", s.Name(), err)
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

// A copy of an oh-my-pi session is pi's: its images and its name are in its own
// lines, and it can be continued. It has the artifacts too.
func TestForkFromOhMyPi(t *testing.T) {
	sum := sha256.Sum256([]byte("png"))
	hash := hex.EncodeToString(sum[:])
	picture := `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"blob:sha256:` + hash + `"}]}}` + "\n"
	slot := titleSlot("titled")
	source := fileIn(t, ".omp", slot+head+line("a", "", "user", "one")+picture)
	blobs := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(source))), "blobs")
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
	home := ownHome(t)
	copies := map[string]func() (*pith.Session, error){
		"of all": func() (*pith.Session, error) { return pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/q"}) },
		"of all, elsewhere": func() (*pith.Session, error) {
			return pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/q", Dir: t.TempDir()})
		},
		"of the path": func() (*pith.Session, error) { return open(t, source, pith.Options{}).Clone(t.Context(), "b") },
	}
	for name, fork := range copies {
		t.Run(name, func(t *testing.T) {
			n, err := fork()
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			if pis := filepath.Join(home, ".pi", "agent", "sessions"); strings.HasPrefix(n.File(), pis) == strings.Contains(name, "elsewhere") {
				t.Errorf("the copy is %s", n.File())
			}
			say(t, n, "more")
			again := open(t, n.File(), pith.Options{})
			if said(t, n) != said(t, again) { // it is open, not only made
				t.Errorf("the copy says %q, its file %q", said(t, n), said(t, again))
			}
			if again.Name() != "titled" || !strings.Contains(read(t, n.File()), `"data":"`+inline+`"`) || codes(again) != "" {
				t.Errorf("name %q, findings %q in\n%s", again.Name(), codes(again), read(t, n.File()))
			}
			hasArtifact(t, n)
		})
	}
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
	x, err := s.Clone(t.Context(), "a")
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
	path := fileIn(t, ".atomic", head+line("a", "", "user", "one"))
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
// keep their bytes in a fork, which can be continued.
func TestUnknownMembersOfOhMyPi(t *testing.T) {
	const first = `{"type":"session_init","id":"a0","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","systemPrompt":"s","task":"t","tools":[],"compactionThreshold":{"percent":0.85, "tokens":1e5}}` + "\n"
	path := fileIn(t, ".omp", head+first+line("a", "a0", "user", "one"))
	n, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/q", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	say(t, n, "two")
	if text := read(t, n.File()); !strings.Contains(text, first) {
		t.Errorf("%s lost a member:\n%s", n.File(), text)
	}
	if said(t, n) != "one|two" || codes(n) != "" {
		t.Errorf("said %q, findings %q", said(t, n), codes(n))
	}
}
