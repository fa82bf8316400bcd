package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Reading a real session changes neither its bytes nor its time (pitfalls 3,
// 34, 36).
func TestFixturesAreOnlyRead(t *testing.T) {
	for name, text := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			path := sessionFile(t, text)
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			s := openPith(t, path, pith.Options{})
			pithAccount(t, s, atLeaf)
			if found := s.Findings(); len(found) != 0 {
				t.Errorf("Findings() = %v, want none", found)
			}
			closePith(t, s)
			after, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if readFile(t, path) != text || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("reading changed the file: %d bytes of %v; want %d of %v", after.Size(), after.ModTime(), before.Size(), before.ModTime())
			}
			if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
				t.Errorf("reading left %v beside the file, %v", names, err)
			}
		})
	}
}

// Every line of a real session decodes, and encodes to the same bytes
// (pitfall 20).
func TestFixtureLinesRoundTrip(t *testing.T) {
	for name, text := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			lines := linesOf(text)
			h, err := format.DecodeHeader([]byte(lines[0]))
			if err != nil || string(h.Raw) != lines[0] {
				t.Errorf("DecodeHeader(%s) = %s, %v; want the same bytes", lines[0], h.Raw, err)
			}
			for i, line := range lines[1:] {
				e, err := format.DecodeEntry([]byte(line))
				if err != nil {
					t.Fatalf("line %d: DecodeEntry(%.200s): %v", i+2, line, err)
				}
				if got := format.AppendEntry(nil, e); string(got) != line {
					t.Errorf("line %d: AppendEntry(DecodeEntry(%.200s)) = %.200s; want the same bytes", i+2, line, got)
				}
				if _, unknown := e.(*format.UnknownEntry); unknown {
					t.Errorf("line %d: type %q is not known", i+2, e.Head().Type)
				}
				if m, ok := e.(*format.MessageEntry); ok {
					raw, _ := jsonl.Lookup([]byte(line), "message")
					if !bytes.Equal(m.Message.Raw(), raw) {
						t.Errorf("line %d: message %.200s; want %.200s", i+2, m.Message.Raw(), raw)
					}
				}
			}
		})
	}
}

// Migration adds ids, parents and the version, names the first kept entry by its
// id, and changes nothing else.
func TestFixturesMigrateWithoutLoss(t *testing.T) {
	for name, text := range fixtures(t) {
		t.Run(name, func(t *testing.T) {
			path := sessionFile(t, text)
			migrateOurs(t, path)
			was, is := linesOf(text), linesOf(readFile(t, path))
			if len(was) != len(is) {
				t.Fatalf("migration made %d lines of %d", len(is), len(was))
			}
			sameLists(t, "header", []string{without(is[0], "version")}, was[:1])
			for i := range was {
				if i > 0 {
					is[i] = without(is[i], "id", "parentId", "firstKeptEntryId")
					was[i] = without(was[i], "firstKeptEntryIndex")
				}
			}
			sameLists(t, "lines without what migration is about", is[1:], was[1:])
		})
	}
}

// without is a line without some of its members, the rest byte for byte.
func without(line string, members ...string) string {
	out := []byte(line)
	for _, name := range members {
		out = jsonl.Delete(out, name)
	}
	return string(out)
}

// A fork of a real session has every entry of it, in pi's eyes too (pitfall 99).
func TestFixturesFork(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for name, text := range fixtures(t) {
			t.Run(name, func(t *testing.T) {
				source := sessionFile(t, text)
				f, err := pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/home/dev/elsewhere", Dir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if readFile(t, source) != text {
					t.Error("forking changed the source")
				}
				r.compare(t, f.File(), atLeaf)
				migrated := reopen(t, source)
				sameLists(t, "entries of the fork", pithAccount(t, f, atLeaf).Entries, pithAccount(t, migrated, atLeaf).Entries)
				if want := strings.Count(text, "\n") - 1; f.View().Len() != want {
					t.Errorf("the fork has %d entries, want %d", f.View().Len(), want)
				}
			})
		}
	})
}
