package replica_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A copy holds the whole lines of its file, whatever they are, and a pull gives
// them back.
func TestCopiesAreIdentical(t *testing.T) {
	for name, s := range map[string]replica.Store{"folder": newTeam(t), "database": initTeam(t, pgtest.DSN(t), pgtest.Schema(t))} {
		t.Run(name, func(t *testing.T) { copiesAreIdentical(t, s) })
	}
}

func copiesAreIdentical(t *testing.T, s replica.Store) {
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		a := newSite(t, s, fmt.Sprintf("a%d", n))
		id := fmt.Sprintf("session-%d", n)
		line := rapid.OneOf(
			rapid.Custom(func(rt *rapid.T) string {
				return message(fmt.Sprintf("%08x", rapid.Uint32().Draw(rt, "id")), "", rapid.StringMatching(`[a-z ]{0,300}`).Draw(rt, "text"))
			}),
			rapid.Just("\n"), rapid.Just("{\"type\":\"mess\n"), rapid.Just("\x00\x00\xff\xfe\n"), rapid.Just(`{"type":"x","a":1,"a":2,"b":"\ud800\u0000"}`+"\r\n"),
		)
		whole := header(id)
		a.write(whole)
		for range rapid.IntRange(1, 4).Draw(rt, "pushes") {
			lines := rapid.SliceOf(line).Draw(rt, "lines")
			whole += strings.Join(lines, "")
			a.write(whole)
			if rapid.Bool().Draw(rt, "torn") {
				a.add(`{"type":"message","id":"to`)
			}
			a.push()
		}
		b := newSite(t, s, fmt.Sprintf("b%d", n))
		l, err := b.List(t.Context(), "", id)
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := b.Pull(t.Context(), l.Copies, b.path); err != nil {
			rt.Fatal(err)
		}
		if whole != b.read() {
			rt.Fatalf("pulled %q; pushed %q", b.read(), whole)
		}
		if again := a.push(); again.Bytes != 0 {
			rt.Errorf("a second push added %d bytes", again.Bytes)
		}
	})
}

// T3: a line larger than any limit of a statement or a chunk.
func TestLargeLine(t *testing.T) {
	s := initTeam(t, pgtest.DSN(t), pgtest.Schema(t))
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", strings.Repeat("0123456789abcdef", 1<<20)))
	a.push()
	b.write(header(sessionID))
	b.pull()
	if a.read() != b.read() {
		t.Errorf("pulled %d bytes; want %d", len(b.read()), len(a.read()))
	}
}

// T3: words that are longer than a lexeme can be, more of them than a tsvector has
// positions or room for, and a name longer than a row of a list can be. The rest
// of the session is found all the same.
func TestLimits(t *testing.T) {
	s := initTeam(t, pgtest.DSN(t), pgtest.Schema(t))
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	var many strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&many, "word%d ", i)
	}
	a.write(header(sessionID), message("00000001", "", strings.Repeat("x", 5000)+" turnip"), message("00000002", "00000001", strings.Repeat("again and ", 20_000)+" potato"),
		message("00000003", "00000002", many.String()), nameLine("00000004", "00000003", "2026-03-04T06:00:00.000Z", strings.Repeat("long name ", 20_000)), message("00000005", "00000004", "carrot"))
	a.push()
	for _, word := range []string{"turnip", "potato", "word77", "carrot"} {
		if found, err := s.Search(t.Context(), []string{word}, nil, 10); err != nil || len(found) != 1 {
			t.Errorf("Search(%s) = %d lines, %v; want one", word, len(found), err)
		}
	}
	for x, err := range s.Sessions(t.Context()) {
		if err != nil || !strings.HasPrefix(x.Facts.Name, "long name") {
			t.Errorf("Sessions has %.100q, %v", x.Facts.Name, err)
		}
	}
	if b.pull(); a.read() != b.read() {
		t.Errorf("pulled %d bytes; want %d", len(b.read()), len(a.read()))
	}
}

// T12: a file that went back to an older state is not pushed over what the store has,
// and a pull brings the rest back.
func TestWentBackInTime(t *testing.T) {
	s := newTeam(t)
	for name, tt := range map[string]struct{ then []string }{
		"shorter":          {nil},
		"and then went on": {[]string{message("000000ff", "00000001", "after the restore")}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newSite(t, s, strings.ReplaceAll(name, " ", "-"))
			old := []string{header(sessionID), message("00000001", "", "one")}
			a.write(old...)
			a.push()
			a.add(message("00000002", "00000001", "two"), message("00000003", "00000002", "three"))
			a.push()
			full := entries(a.read())
			a.write(append(old, tt.then...)...)
			_, err := a.Push(t.Context(), a.path, replica.PushOptions{})
			if behind := (*replica.BehindError)(nil); !errors.As(err, &behind) {
				t.Fatalf("Push = %v; want a BehindError", err)
			}
			if _, err := a.Pull(t.Context(), only(a.copies(), a.Machine), a.path); err != nil {
				t.Fatal(err)
			}
			now := entries(a.read())
			for l := range full {
				if !now[l] {
					t.Errorf("%q was lost", l)
				}
			}
			if pushed := a.push(); pushed.Rewritten != (len(tt.then) > 0) {
				t.Errorf("Push after the pull = %+v", pushed)
			}
		})
	}
}

func only(copies []replica.Copy, machine string) (own []replica.Copy) {
	for _, r := range copies {
		if r.Machine == machine {
			own = append(own, r)
		}
	}
	return own
}

// A file that an older state of it came back to lacks what was pulled before.
func TestWentBackBehindAPull(t *testing.T) {
	s := newTeam(t)
	a, b := newSite(t, s, "laptop"), newSite(t, s, "tower")
	old := header(sessionID) + message("e1", "", "one")
	a.write(old + message("e2", "e1", "two"))
	a.push()
	b.pull()
	b.add(message("e3", "e2", "three"))
	b.push()
	a.pull()
	whole := a.read()
	a.write(old)
	if done := a.pull(); done.Bytes == 0 || len(entries(a.read())) != len(entries(whole)) {
		t.Errorf("pulled %d bytes; the file is\n%s; want what it was\n%s", done.Bytes, a.read(), whole)
	}
	a.push()
}

// A file that was rewritten starts a generation, and the one before stays until purged.
func TestRewritten(t *testing.T) {
	s := newTeam(t)
	a := newSite(t, s, "a")
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	old := a.read()
	a.write(header(sessionID), nameLine("00000002", "00000001", "2026-03-04T06:00:00.000Z", "x"), message("00000001", "", "one"))
	if done := a.push(); !done.Rewritten || done.Copy.Generation != 2 {
		t.Errorf("Push = %+v; want generation 2", done)
	}
	if l, err := a.List(t.Context(), "", ""); err != nil || len(l.Old) != 1 || len(l.Copies) != 1 {
		t.Fatalf("List = %v, %v; want one old generation", l, err)
	}
	if got := logBytes(t, s, "a", 1); got != old {
		t.Errorf("the old generation holds %q", got)
	}
}

// A session that was purged is neither pushed nor shown, until it is restored.
func TestPurged(t *testing.T) {
	s := initTeam(t, pgtest.DSN(t), pgtest.Schema(t))
	a, b := newSite(t, s, "a"), newSite(t, s, "b")
	a.write(header(sessionID), message("00000001", "", "one"))
	a.push()
	b.pull()
	if copies, bytes, err := s.Purge(t.Context(), sessionID); copies != 1 || bytes != int64(len(a.read())) || err != nil {
		t.Fatalf("Purge = %d, %d, %v", copies, bytes, err)
	}
	if got := b.copies(); got != nil {
		t.Errorf("a purged session shows %v", got)
	}
	if _, err := b.Push(t.Context(), b.path, replica.PushOptions{}); !errors.Is(err, replica.ErrDeleted) {
		t.Errorf("Push = %v; want ErrDeleted", err)
	}
	if was, err := s.Restore(t.Context(), sessionID); !was || err != nil {
		t.Errorf("Restore = %t, %v", was, err)
	}
	if b.push(); len(b.copies()) != 1 {
		t.Errorf("after Restore: %v; want one copy", b.copies())
	}
}

// Names in the store become no paths.
func TestHostileNames(t *testing.T) {
	s := newTeam(t)
	for _, name := range []string{"..", ".", "", "a/b", `a\b`, "a b", "-x", "é", strings.Repeat("x", 101), "a\x00"} {
		if replica.ValidName(name) {
			t.Errorf("ValidName(%q)", name)
		}
		if name == "" {
			continue // who only reads needs none
		}
		for _, o := range []replica.Options{{Person: "p", Machine: name}, {Person: name, Machine: "m"}} {
			if _, err := replica.New(s, o); !errors.Is(err, replica.ErrName) {
				t.Errorf("New(%q, %q) = %v; want ErrName", o.Person, o.Machine, err)
			}
		}
	}
	a := newSite(t, s, "a")
	a.write(header("../../etc"), message("00000001", "", "one"))
	if _, err := a.Push(t.Context(), a.path, replica.PushOptions{}); !errors.Is(err, replica.ErrName) {
		t.Errorf("Push = %v; want ErrName", err)
	}
}

func TestNormalRemote(t *testing.T) {
	for in, want := range map[string]string{
		"git@github.com:ana/thing.git":                "github.com/ana/thing",
		"https://GitHub.com/ana/thing":                "github.com/ana/thing",
		"https://ana:secret@github.com/ana/thing.git": "github.com/ana/thing",
		"ssh://git@github.com:22/ana/thing.git/":      "github.com/ana/thing",
		"/srv/git/thing.git":                          "", `C:\git\thing`: "", "../thing": "",
	} {
		if got := replica.NormalRemote(in); got != want {
			t.Errorf("NormalRemote(%q) = %q; want %q", in, got, want)
		}
	}
	dir := t.TempDir()
	inner := filepath.Join(dir, "cmd", "x")
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[core]\n\tbare = false\n[remote \"up\"]\n\turl = https://x.org/a\n[remote \"origin\"]\n\turl = git@x.org:b.git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := replica.ProjectAt(inner); got != (replica.Project{Remote: "x.org/b", Path: "cmd/x"}) {
		t.Errorf("ProjectAt = %+v", got)
	}
}

// Two commands that save what they did lose nothing of each other.
func TestMemoriesAreMerged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memory.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	one, two := replica.LoadMemory(file), replica.LoadMemory(file)
	one.RecordPush("/a.jsonl", "", info, replica.Copy{Machine: "m", Session: "s", Generation: 1})
	two.RecordPush("/b.jsonl", "", info, replica.Copy{Machine: "m", Session: "t", Generation: 1})
	for _, m := range []*replica.Memory{one, two} {
		if err := m.Save(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	if had := replica.LoadMemory(file).Had(); !had["s"] || !had["t"] {
		t.Errorf("the file tells of %v; want s and t", had)
	}
}
