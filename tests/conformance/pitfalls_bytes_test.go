package conformance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

// odd contains everything that a program that decodes and encodes would change:
// numbers, key order, duplicate and unknown members, white space, escapes,
// halves of surrogate pairs, invalid UTF-8 (pitfalls 18, 19, 20).
const odd = `"z":1.50,"big":12345678901234567890123,"a":-0,"e":1E+3,"huge":1e400,"html":"<&>","esc":"\u0041\/\ud83d","sep":"` + "\u2028" +
	`","raw":"` + "\xff" + `","dup":1,"dup":2, "nest" : { "y":[ 1.0 ,null], "x" : {} }`

// oddConversation is a path with labels and names between its entries, each of
// which carries what pith does not know. at, of version 3, places an entry.
func oddConversation(at func(id, parent string) string) []string {
	message := func(id, parent, role, more string) string {
		return `{"type":"message",` + at(id, parent) + `,"message":{"role":"` + role + `",` + odd + `,"content":[{"type":"text","text":"\ud83d é",` + odd + `}]` + more + `},` + odd + `}`
	}
	return []string{
		message("aaaa0001", "null", "user", ""),
		`{"type":"from_the_future",` + at("ffff0001", "aaaa0001") + `,` + odd + `}`,
		`{"type":"label",` + at("bbbb0001", "ffff0001") + `,"targetId":"aaaa0001","label":"first \ud83d"}`,
		message("aaaa0002", "bbbb0001", "assistant", `,"stopReason":"stop"`),
		`{"type":"session_info",` + at("cccc0001", "aaaa0002") + `,"name":"odd one",` + odd + `}`,
		`{"type":"label",` + at("bbbb0002", "cccc0001") + `,"targetId":"aaaa0002","label":"second"}`,
		`{"type":"label",` + at("bbbb0003", "bbbb0002") + `,"targetId":"aaaa0002","label":"third"}`,
		message("aaaa0003", "bbbb0003", "toolResult", `,"toolCallId":"c1"`),
		`{"type":"compaction",` + at("dddd0001", "aaaa0003") + `,"summary":"\ud83d","firstKeptEntryId":"bbbb0002","tokensBefore":9,` + odd + `}`,
		message("aaaa0004", "dddd0001", "extension", ""),
		`{"type":"context_edit",` + at("eeee0001", "aaaa0004") + `,"targetId":"aaaa0001","replacement":{"content":"\ud83d",` + odd + `}}`,
	}
}

// A fork has every entry byte for byte (pitfalls 18, 19, 20).
func TestForkKeepsBytes(t *testing.T) {
	lines := oddConversation(inVersion3)
	path := sessionFile(t, plainHead+joinLines(lines))
	f, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/home/u/q", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sameLists(t, "lines of the fork", linesOf(readFile(t, f.File()))[1:], lines)
	if s := openPith(t, path, pith.Options{}); f.Name() != "odd one" || f.Name() != s.Name() || s.View().Len() != len(lines) {
		t.Errorf("the fork is named %q, its source of %d entries %q; want odd one, and %d", f.Name(), s.View().Len(), s.Name(), len(lines))
	}
}

// An extract has every entry of the path byte for byte, except for parents and
// first kept entries that were labels. Labels are at the end, with their times
// (pitfalls 18, 19, 20, 79, 127).
func TestExtractKeepsBytes(t *testing.T) {
	lines := oddConversation(inVersion3)
	s := open(t, plainHead+joinLines(lines))
	x, err := s.Clone(t.Context(), s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var want []string
	for _, line := range lines {
		if strings.HasPrefix(line, `{"type":"label"`) {
			continue
		}
		line = strings.Replace(line, `"parentId":"bbbb0001"`, `"parentId":"ffff0001"`, 1)
		line = strings.Replace(line, `"parentId":"bbbb0003"`, `"parentId":"cccc0001"`, 1)
		line = strings.Replace(line, `"firstKeptEntryId":"bbbb0002"`, `"firstKeptEntryId":"aaaa0003"`, 1)
		want = append(want, line)
	}
	got := linesOf(readFile(t, x.File()))[1:]
	sameLists(t, "entries of the extract", got[:min(len(want), len(got))], want)
	newID := regexp.MustCompile(`"id":"[0-9a-f]{8}","parentId":"[0-9a-f]{8}"`)
	var labels []string
	for _, line := range got[len(want):] {
		labels = append(labels, newID.ReplaceAllString(line, "<new>"))
	}
	sameLists(t, "labels of the extract", labels, []string{
		`{"type":"label",<new>,"timestamp":"2026-02-03T22:52:07.000Z","targetId":"aaaa0001","label":"first \ud83d"}`,
		`{"type":"label",<new>,"timestamp":"2026-02-03T22:52:07.000Z","targetId":"aaaa0002","label":"third"}`,
	})
	if found := x.Findings(); len(found) != 0 {
		t.Errorf("the extract has the findings %v; want none", found)
	}
}

// Migration changes the version, IDs, parents, the index of a kept entry and
// the role hookMessage, and no other byte. Lines that are not entries stay
// where they are (pitfalls 5, 18, 19, 20).
func TestMigrationKeepsBytes(t *testing.T) {
	inVersion1 := func(string, string) string { return `"timestamp":"2026-02-03T22:52:07.000Z"` }
	damage := []string{"{broken", "", "42", `{"no":"type"}`}
	tests := map[string]struct {
		head  string
		lines []string
		undo  func(string) string // takes what migration added out of a line
	}{
		"version 1": {
			head:  `{"type":"session","id":"5a0b3f6e-old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/home/u/p",` + odd + `}`,
			lines: append(oddConversation(inVersion1), damage...),
			undo: func(line string) string {
				return regexp.MustCompile(`,"id":"[0-9a-f]{8}","parentId":(null|"[0-9a-f]{8}")\}$`).ReplaceAllString(line, "}")
			},
		},
		"version 2": {
			head: `{"type":"session","version":2,"id":"5a0b3f6e-old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/home/u/p",` + odd + `}`,
			lines: append(append(oddConversation(inVersion3), damage...),
				`{"type":"message",`+inVersion3("aaaa0009", "aaaa0004")+`,"message":{"customType":"lint",`+odd+`,"role":"hookMessage","content":"x"},`+odd+`}`),
			undo: func(line string) string { return strings.Replace(line, `"role":"custom"`, `"role":"hookMessage"`, 1) },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := sessionFile(t, tt.head+"\n"+joinLines(tt.lines))
			s := openPith(t, path, pith.Options{})
			backup, err := s.Migrate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, backup); got != tt.head+"\n"+joinLines(tt.lines) {
				t.Errorf("the backup is not the old file")
			}
			is := linesOf(readFile(t, path))
			head, got := is[0], is[1:]
			for i := range got {
				got[i] = tt.undo(got[i])
			}
			sameLists(t, "lines without what migration is about", got, tt.lines)
			if !strings.Contains(head, odd) || !strings.Contains(head, `"version":3`) {
				t.Errorf("the header is %s; want version 3 and the rest as it was", head)
			}
			sameLists(t, "entries before and after", rawEntries(t, reopen(t, path)), rawEntries(t, s))
		})
	}
}

// The context of an extract is that of its source at the entry, byte for byte,
// at every entry of any session; every reference of it leads somewhere that it
// led before (pitfalls 97, 128, 129).
func TestExtractedContextIsTheSame(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			s := createPith(t, "/home/u/p", pith.Options{Dir: t.TempDir()})
			ids := perform(t, pithSide{s}, newAuthor(8000+seed, true).script(calls), nil)
			for _, id := range ids {
				x, err := s.Clone(t.Context(), id)
				if err != nil {
					t.Fatalf("Clone(%s): %v", id, err)
				}
				c, err := s.View().Context(id)
				want := pithContext(t, "leaf", c, err)
				c, err = x.Context()
				sameContexts(t, []contextAccount{pithContext(t, "leaf", c, err)}, []contextAccount{want})
				if found := x.Findings(); len(found) != 0 {
					t.Errorf("the extract at %s has the findings %v; want none", id, found)
				}
				if x.Name() != s.Name() {
					t.Errorf("the extract at %s is named %q, want %q", id, x.Name(), s.Name())
				}
				x.Close()
			}
		})
	}
}

// The name of an extract is that of its source, wherever it was given; one that
// was cleared does not come back, and a fork can take its name away without
// touching its source (pitfall 130).
func TestNameOfAFork(t *testing.T) {
	name := func(id, parent, name string) string {
		return `{"type":"session_info",` + inVersion3(id, parent) + `,"name":"` + name + `"}` + "\n"
	}
	one, two := messageLine("aaaa0001", "null", "one"), messageLine("aaaa0002", "aaaa0001", "two")
	tests := map[string]struct{ text, want string }{
		"none":                   {one + two, ""},
		"on the path":            {one + name("cccc0001", "aaaa0001", "here") + messageLine("aaaa0002", "cccc0001", "two"), "here"},
		"on another branch":      {one + two + name("cccc0001", "aaaa0001", "there"), "there"},
		"given anew elsewhere":   {one + name("cccc0001", "aaaa0001", "old") + messageLine("aaaa0002", "cccc0001", "two") + name("cccc0002", "aaaa0001", "new"), "new"},
		"cleared elsewhere":      {one + name("cccc0001", "aaaa0001", "old") + messageLine("aaaa0002", "cccc0001", "two") + name("cccc0002", "aaaa0001", ""), ""},
		"cleared and on no path": {one + two + name("cccc0001", "aaaa0001", "x") + name("cccc0002", "cccc0001", ""), ""},
	}
	for label, tt := range tests {
		t.Run(label, func(t *testing.T) {
			path := sessionFile(t, plainHead+tt.text)
			s := openPith(t, path, pith.Options{})
			for what, fork := range map[string]func() (*pith.Session, error){
				"Clone": func() (*pith.Session, error) { return s.Clone(t.Context(), "aaaa0002") },
				"ForkFrom": func() (*pith.Session, error) {
					return pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/home/u/q", Dir: t.TempDir()})
				},
			} {
				f, err := fork()
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if f.Name() != tt.want || s.Name() != tt.want {
					t.Errorf("%s: the name is %q, that of the source %q; want %q", what, f.Name(), s.Name(), tt.want)
				}
				if _, err := f.SetName(t.Context(), ""); err != nil || f.Name() != "" || s.Name() != tt.want {
					t.Errorf("%s: SetName of nothing: %v; names are %q and %q, want none and %q", what, err, f.Name(), s.Name(), tt.want)
				}
				f.Close()
			}
			if got := readFile(t, path); got != plainHead+tt.text {
				t.Errorf("forking changed the source")
			}
		})
	}
}
