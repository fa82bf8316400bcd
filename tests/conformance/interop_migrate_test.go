package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

// oldFiles are sessions of versions 1 and 2 by name: the vectors and the two
// real sessions.
func oldFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, c := range vectors[migrateCase](t, "migrate.json") {
		files[c.Name] = c.File
	}
	for name, text := range fixtures(t) {
		files[name] = text
	}
	return files
}

// fixtures are the two real sessions by name, both of version 1.
func fixtures(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{"before-compaction.jsonl", "large-session.jsonl"} {
		files[name] = readFile(t, filepath.Join("testdata", "fixtures", name))
	}
	return files
}

// A file that pith migrated is one that pi opens without rewriting it, and it
// says what pi's own migration of the same file says (pitfalls 34, 98).
func TestMigratedFilesOpenInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		for name, text := range oldFiles(t) {
			t.Run(name, func(t *testing.T) {
				r := r.in(t)
				ours, theirs := filepath.Join(r.dir, "ours.jsonl"), filepath.Join(r.dir, "theirs.jsonl")
				for _, path := range []string{ours, theirs} {
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				before := migrateOurs(t, ours)
				byPith := r.compare(t, ours, atLeaf)
				sameContexts(t, before, byPith.Contexts)

				s, err := r.Open(t.Context(), theirs) // pi rewrites the file
				if err != nil {
					t.Fatal(err)
				}
				byPi := piAccount(t, s, atLeaf)
				sameContexts(t, byPith.Contexts, byPi.Contexts)
				same(t, "lines after migration", normalIDs(fileLines(t, ours), text), normalIDs(fileLines(t, theirs), text))
			})
		}
	})
}

// migrateOurs migrates a file with pith and returns the context that pith showed
// before it did.
func migrateOurs(t *testing.T, path string) []contextAccount {
	t.Helper()
	s := openPith(t, path, pith.Options{})
	before := pithAccount(t, s, atLeaf).Contexts
	if backup, err := s.Migrate(t.Context()); err != nil || backup == "" {
		t.Fatalf("Migrate() = %q, %v; want the name of a backup", backup, err)
	}
	return before
}

// oldLine is a message in a file of version 1.
func oldLine(text string) string {
	return `{"type":"message","timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"` + text + `","timestamp":1763681631000}}` + "\n"
}

const oldHead = `{"type":"session","id":"5a0b3f6e-old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/home/dev/app"}` + "\n"

// Version 1 states by a number from which line on messages are kept. Lines that
// are not entries count in it, as they do for pi, and lines that are not JSON
// do not (pitfalls 16, 98).
func TestKeptLinesAreCountedAsInPi(t *testing.T) {
	const strange, broken, header = `{"no":"type"}` + "\n", "{broken\n", `{"type":"session","id":"another"}` + "\n"
	kept := func(index int) string {
		return fmt.Sprintf(`{"type":"compaction","timestamp":"2025-11-20T23:33:52.000Z","summary":"S","firstKeptEntryIndex":%d,"tokensBefore":9}`+"\n", index)
	}
	eachPi(t, func(t *testing.T, r rig) {
		for name, before := range map[string]string{"nothing": "", "no type": strange, "no JSON": broken, "a second header": header} {
			for index := range 5 {
				if before == strange && index == 2 {
					continue // that line itself, which pi makes an entry of; pith does not, and reports that nothing is kept
				}
				text := oldHead + oldLine("one") + before + oldLine("two") + oldLine("three") + kept(index) + oldLine("four")
				ours, theirs := sessionFile(t, text), sessionFile(t, text)
				migrateOurs(t, ours)
				s, err := r.Open(t.Context(), theirs) // pi rewrites the file
				if err != nil {
					t.Fatal(err)
				}
				t.Run(fmt.Sprintf("%s, from %d", name, index), func(t *testing.T) {
					sameContexts(t, pithAccount(t, reopen(t, ours), atLeaf).Contexts, piAccount(t, s, atLeaf).Contexts)
				})
			}
		}
	})
}

// A byte order mark, with which pi does not open a file, goes with the old version
// (pitfall 7).
func TestMigrationTakesTheMarkAway(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		path := sessionFile(t, "\ufeff"+oldHead+oldLine("one")+oldLine("two"))
		migrateOurs(t, path)
		if text := readFile(t, path); !strings.HasPrefix(text, `{"type":"session"`) {
			t.Errorf("the migrated file begins with %.40q; want its header", text)
		}
		if got := len(r.compare(t, path, atLeaf).Path); got != 2 {
			t.Errorf("pi sees %d entries; want 2", got)
		}
	})
}
