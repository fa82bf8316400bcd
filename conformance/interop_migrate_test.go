package conformance_test

import (
	"os"
	"path/filepath"
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
	s, err := pith.Open(path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	before := pithAccount(t, s, atLeaf).Contexts
	if backup, err := s.Migrate(); err != nil || backup == "" {
		t.Fatalf("Migrate() = %q, %v; want the name of a backup", backup, err)
	}
	return before
}
