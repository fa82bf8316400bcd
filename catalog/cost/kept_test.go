package cost_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The cache changes no sum: the ledger is the same without it, while it is
// built, with it, and when a file has grown since. An unchanged file is not
// read again.
func TestKept(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	root := filepath.Join(home, ".pi", "agent", "sessions")
	if err := corpus.Store(root, corpus.StoreOptions{Sessions: 10, Bytes: 400_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Home: home, Getenv: func(string) string { return "" }}))
	if err != nil || len(infos) != 10 {
		t.Fatalf("%d sessions, %v", len(infos), err)
	}
	count := func(cache string) *cost.Ledger {
		t.Helper()
		l, err := cost.Count(t.Context(), infos, cost.Options{CacheDir: cache})
		if err != nil || len(l.Responses) == 0 {
			t.Fatalf("Count = %+v, %v", l, err)
		}
		return l
	}
	// A list that collects the responses spares the reading, and no more: a file
	// that changed since is read.
	listed := func() *cost.Ledger {
		t.Helper()
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Home: home, Getenv: func(string) string { return "" }, Responses: true}))
		if err != nil || len(infos) != 10 || infos[0].Responses == nil {
			t.Fatalf("%d sessions, %v; the first has responses %v", len(infos), err, infos[0].Responses)
		}
		changed := slices.IndexFunc(infos, func(i catalog.Info) bool { return i.Path != infos[0].Path && i.Size != infos[0].Size })
		infos[0].Responses = infos[changed].Responses
		infos[0].Size++
		l, err := cost.Count(t.Context(), infos, cost.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if got, want := listed(), count(""); !slices.Equal(got.Responses, want.Responses) || !slices.Equal(got.Copied, want.Copied) {
		t.Errorf("Count of listed responses: %d of %+v; want %d of %+v", len(got.Responses), got.Total(), len(want.Responses), want.Total())
	}
	same := func(when string) {
		t.Helper()
		if diff := cmp.Diff(count(""), count(cache)); diff != "" {
			t.Errorf("%s: (-read +kept)\n%s", when, diff)
		}
	}
	same("nothing is kept")
	same("all is kept")
	text, err := os.ReadFile(infos[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(infos[0].Path, append(text, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	same("one has grown")

	want := count(cache)
	gone := infos[1].Path
	info, err := os.Stat(gone)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gone, make([]byte, info.Size()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(gone, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, count(cache)); diff != "" {
		t.Errorf("a file was read again that seems not to have changed:\n%s", diff)
	}
	// SQLite does not notice that a value changed.
	if err := os.Chtimes(gone, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{
		"UPDATE response SET cost = cost + 1 WHERE n = 0", "UPDATE response SET model = model || 'x'", "UPDATE response SET at = 'x'",
		"DELETE FROM response WHERE n = 1", "UPDATE scanned SET size = size + 1", "UPDATE response SET key_low = 0", "DELETE FROM scanned WHERE id = 1",
		"UPDATE response SET file = file + 1000",
	} {
		count(cache) // everything is stored again
		if _, err := db.Exec(damage); err != nil {
			t.Fatal(err)
		}
		same(damage)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, file := range catalog.IndexFiles(cache) {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	same("what was kept is gone")
}
