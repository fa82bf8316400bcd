package conformance_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Every entry of every kind reaches the store in one piece that is one line and
// its end (pitfall 24).
func TestOneWriteForEachEntry(t *testing.T) {
	m := newMeter()
	s := createPith(t, "/home/u/p", pith.Options{Dir: t.TempDir(), Store: m})
	ids := perform(t, pithSide{s}, newAuthor(9000, true).script(200), nil)
	moveTo(t, s, ids[5])
	closePith(t, s) // records the position
	lines := linesOf(readFile(t, s.File()))
	appended := m.appends()
	for i, p := range appended {
		if strings.Count(p, "\n") != 1 || !strings.HasSuffix(p, "\n") {
			t.Errorf("append %d wrote %.200q; want one line and its end", i, p)
		}
	}
	if first := len(lines) - len(appended); m.creates != 1 || first < 2 || joinLines(lines[first:]) != strings.Join(appended, "") {
		t.Errorf("%d lines were made by %d creations and %d appends; want one creation, and the rest by appends", len(lines), m.creates, len(appended))
	}
}

// A fork and an extract are written through one handle, in one go (pitfall 41).
func TestForksAreWrittenOnce(t *testing.T) {
	path := sessionFile(t, plainHead+joinLines(oddConversation(inVersion3)))
	for name, fork := range map[string]func(m *meter) (*pith.Session, error){
		"ForkFrom": func(m *meter) (*pith.Session, error) {
			return pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/home/u/q", Dir: t.TempDir(), Store: m})
		},
		"Clone": func(m *meter) (*pith.Session, error) {
			s := openPith(t, path, pith.Options{Dir: t.TempDir(), Store: m})
			return s.Clone(t.Context(), s.LeafID())
		},
	} {
		m := newMeter()
		f, err := fork(m)
		if err != nil {
			t.Fatal(err)
		}
		if m.creates != 1 || len(m.appends()) != 0 || m.replaces != 0 {
			t.Errorf("%s: %d creations, %d appends, %d replacements; want one creation", name, m.creates, len(m.appends()), m.replaces)
		}
		f.Close()
	}
}

// A file that was truncated and rewritten in place, with other bytes and any
// length, is not taken for one that grew: it is read again, and nothing is
// written at the old end (pitfalls 32, 167).
func TestRewrittenInPlace(t *testing.T) {
	before := plainHead + messageLine("aaaa0001", "null", "one") + messageLine("aaaa0002", "aaaa0001", "two")
	tests := map[string]struct {
		text string // what the file is rewritten to
		want string // the last message
	}{
		"shorter":           {plainHead + messageLine("aaaa0001", "null", "one"), "one mine"},
		"longer":            {plainHead + messageLine("aaaa0001", "null", strings.Repeat("long ", 200)+"one") + messageLine("aaaa0002", "aaaa0001", "two"), ""},
		"longer, same tail": {plainHead + messageLine("aaaa0001", "null", "another one") + messageLine("aaaa0002", "aaaa0001", "two"), "another one two mine"},
		"entries between":   {plainHead + messageLine("aaaa0001", "null", "one") + messageLine("aaaa0003", "aaaa0001", "between") + messageLine("aaaa0002", "aaaa0003", "two"), "one between two mine"},
	}
	for name, tt := range tests {
		for policy, decide := range map[pith.ConflictPolicy]bool{pith.FollowNew: false, pith.Refuse: true} {
			t.Run(fmt.Sprint(name, " policy=", policy), func(t *testing.T) {
				path := sessionFile(t, before)
				now := time.UnixMilli(1_770_159_130_000)
				s := openPith(t, path, pith.Options{OnConflict: policy, Now: func() time.Time { return now }})
				if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil { // the same file, truncated first
					t.Fatal(err)
				}
				mine := format.NewUser("mine", now)
				_, err := s.AppendMessage(t.Context(), mine)
				if len(tt.text) < len(before) {
					for range 2 { // another process may be about to write the rest
						if !errors.Is(err, pith.ErrRewriting) {
							t.Errorf("AppendMessage to a file that became shorter = %v; want ErrRewriting", err)
						}
						_, err = s.AppendMessage(t.Context(), mine)
					}
					now = now.Add(time.Second) // it stays as short as it is, so it is whole
					_, err = s.AppendMessage(t.Context(), mine)
				}
				if decide && isStale(err) {
					s.Follow()
					_, err = s.AppendMessage(t.Context(), mine)
				}
				if err != nil {
					t.Fatalf("AppendMessage = %v", err)
				}
				if after := readFile(t, path); !strings.HasPrefix(after, tt.text) {
					t.Errorf("the rewritten file changed: %.300s", after)
				}
				fresh := reopen(t, path)
				if got := textOf(t, fresh); tt.want != "" && got != tt.want {
					t.Errorf("said = %q, want %q", got, tt.want)
				}
				if got, want := textOf(t, s), textOf(t, fresh); got != want || len(fresh.Findings()) != 0 {
					t.Errorf("the session says %.100q, a new reader %.100q with findings %v; want the same, and none", got, want, fresh.Findings())
				}
			})
		}
	}
}

// A migrated file and its backup keep the mode of the old file; forks are
// private, whatever their source is (pitfall 40).
func TestModesThroughTheEngine(t *testing.T) {
	if os.PathSeparator == '\\' {
		t.Skip("files have no such modes there")
	}
	old := `{"type":"session","id":"5a0b3f6e-old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/home/u/p"}` + "\n" +
		`{"type":"message","timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"x"}}` + "\n"
	for _, mode := range []os.FileMode{0o600, 0o640, 0o644} {
		for name, write := range map[string]func(s *pith.Session) error{
			"Migrate": func(s *pith.Session) error { _, err := s.Migrate(t.Context()); return err },
			"append":  func(s *pith.Session) error { _, err := s.SetName(t.Context(), "x"); return err },
		} {
			path := sessionFile(t, old)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			s := openPith(t, path, pith.Options{})
			if err := write(s); err != nil {
				t.Fatal(err)
			}
			x, err := s.Clone(t.Context(), s.LeafID())
			if err != nil {
				t.Fatal(err)
			}
			x.Close()
			for file, want := range map[string]os.FileMode{path: mode, path + ".old.bak": mode, x.File(): 0o600} {
				if info, err := os.Stat(file); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s of a file of mode %o: %s has mode %o, %v; want %o", name, mode, filepath.Base(file), info.Mode().Perm(), err, want)
				}
			}
		}
	}
}

// A stuckReader is a source of randomness that returns the same bytes for reads
// of the size of an entry ID, a number of times, before it returns good ones.
type stuckReader struct {
	bytes string
	times int
	good  io.Reader
}

func (r *stuckReader) Read(p []byte) (int, error) {
	if r.times > 0 && len(p) == len(r.bytes) {
		r.times--
		return copy(p, r.bytes), nil
	}
	return r.good.Read(p)
}

// A new id is none that is in the file, those included that others have appended
// since it was opened (pitfall 61).
func TestNewIDsAreFree(t *testing.T) {
	good := rand.Reader
	t.Cleanup(func() { rand.Reader = good })
	draw := func(times int) { rand.Reader = &stuckReader{"\xaa\xaa\x00\x01", times, good} }
	one := messageLine("aaaa0001", "null", "one")
	t.Run("in the file", func(t *testing.T) {
		s := open(t, plainHead+one)
		draw(3)
		if id := sayNext(t, s); id == "aaaa0001" || len(id) != 8 {
			t.Errorf("the new id is %q; want eight other digits", id)
		}
	})
	t.Run("on another branch", func(t *testing.T) {
		s := open(t, plainHead+messageLine("bbbb0001", "null", "root")+messageLine("aaaa0001", "bbbb0001", "aside")+messageLine("bbbb0002", "bbbb0001", "leaf"))
		draw(3)
		if id := sayNext(t, s); id == "aaaa0001" {
			t.Errorf("the new id is %q, which is taken", id)
		}
	})
	t.Run("appended by another", func(t *testing.T) {
		path := sessionFile(t, plainHead+messageLine("bbbb0001", "null", "root"))
		s := openPith(t, path, pith.Options{OnConflict: pith.FollowNew})
		appendText(t, path, messageLine("aaaa0001", "bbbb0001", "theirs"))
		draw(3) // the id looks free until the append finds that the file has grown
		id := sayNext(t, s)
		again := reopen(t, path)
		if id == "aaaa0001" || again.View().Len() != 3 || len(again.Findings()) != 0 {
			t.Errorf("the new id is %q, the file has %d entries, findings %v; want a free one, 3 and none", id, again.View().Len(), again.Findings())
		}
	})
	t.Run("nothing is free", func(t *testing.T) {
		s := open(t, plainHead+one)
		draw(100)
		if id := sayNext(t, s); len(id) != 32 {
			t.Errorf("the new id is %q; want a longer one", id)
		}
	})
	t.Run("labels of an extract", func(t *testing.T) {
		label := `{"type":"label",` + inVersion3("cccc0001", "aaaa0001") + `,"targetId":"aaaa0001","label":"x"}` + "\n"
		s := open(t, plainHead+one+label)
		draw(3)
		x, err := s.Clone(t.Context(), s.LeafID())
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if len(x.Findings()) != 0 || x.View().Label("aaaa0001") != "x" {
			t.Errorf("findings %v, label %q; want none and x", x.Findings(), x.View().Label("aaaa0001"))
		}
	})
}

// A generated title is set once, and never replaces a name, whoever set it and
// when (pitfall 141).
func TestAutomaticTitle(t *testing.T) {
	one := messageLine("aaaa0001", "null", "one")
	name := func(name string) string {
		return `{"type":"session_info",` + inVersion3("cccc0001", "aaaa0001") + `,"name":"` + name + `"}` + "\n"
	}
	tests := map[string]struct {
		file, meanwhile string // what others append after it was opened
		want            string
		set             bool
	}{
		"unnamed":             {one, "", "title", true},
		"named":               {one + name("by hand"), "", "by hand", false},
		"named meanwhile":     {one, name("by hand"), "by hand", false},
		"cleared":             {one + name(""), "", "title", true},
		"cleared meanwhile":   {one + name("x"), `{"type":"session_info",` + inVersion3("cccc0002", "cccc0001") + `,"name":""}` + "\n", "title", true},
		"continued meanwhile": {one, messageLine("aaaa0002", "aaaa0001", "theirs"), "title", true},
	}
	for label, tt := range tests {
		t.Run(label, func(t *testing.T) {
			path := sessionFile(t, plainHead+tt.file)
			s := openPith(t, path, pith.Options{})
			appendText(t, path, tt.meanwhile)
			id, set, err := s.SetNameIfUnset(t.Context(), "title")
			if err != nil || set != tt.set || (id != "") != tt.set {
				t.Errorf("SetNameIfUnset = %q, %t, %v; want it set: %t", id, set, err, tt.set)
			}
			again := reopen(t, path)
			if s.Name() != tt.want || again.Name() != tt.want || len(again.Findings()) != 0 {
				t.Errorf("the name is %q, for a new reader %q, findings %v; want %q and none", s.Name(), again.Name(), again.Findings(), tt.want)
			}
			if _, set, err := s.SetNameIfUnset(t.Context(), "again"); set || err != nil {
				t.Errorf("a second SetNameIfUnset = %t, %v; want false, nil", set, err)
			}
		})
	}
	s := openPith(t, sessionFile(t, plainHead+one), pith.Options{ReadOnly: true})
	if _, _, err := s.SetNameIfUnset(t.Context(), "x"); !errors.Is(err, pith.ErrReadOnly) {
		t.Errorf("SetNameIfUnset of a session open for reading = %v; want ErrReadOnly", err)
	}
}

// isStale reports whether an append was refused because others had written.
func isStale(err error) bool {
	_, ok := errors.AsType[*pith.StaleError](err)
	return ok
}
