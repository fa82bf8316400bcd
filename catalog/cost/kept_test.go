package cost_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The ledger is the same whether Count reads the files, a list has collected the
// responses, or an index remembers them, also when a file has grown since. An
// unchanged file is not read again.
func TestKept(t *testing.T) {
	home := t.TempDir()
	root := filepath.Join(home, ".pi", "agent", "sessions")
	if err := corpus.Store(root, corpus.StoreOptions{Sessions: 10, Bytes: 400_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	ix, err := catalog.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var path string
	count := func(o catalog.Options) cost.Ledger {
		t.Helper()
		o.Home, o.Getenv = home, func(string) string { return "" }
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil || len(infos) != 10 || (infos[0].Responses != nil) != o.Responses {
			t.Fatalf("%d sessions, %v", len(infos), err)
		}
		path = infos[0].Path
		l, err := cost.Count(t.Context(), infos, cost.Options{})
		if err != nil || len(l.Responses) == 0 {
			t.Fatalf("Count = %+v, %v", l, err)
		}
		l.Sessions = nil
		return *l
	}
	same := func(when string) {
		t.Helper()
		want := count(catalog.Options{})
		for _, o := range []catalog.Options{{Responses: true}, {Index: ix}, {Index: ix, Responses: true}, {Index: ix, Responses: true}} {
			if diff := cmp.Diff(want, count(o)); diff != "" {
				t.Errorf("%s, index %t, collected %t: (-read +kept)\n%s", when, o.Index != nil, o.Responses, diff)
			}
		}
	}
	same("at first")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, text...), 0o600); err != nil {
		t.Fatal(err)
	}
	same("one has grown")

	want := count(catalog.Options{Index: ix, Responses: true})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, info.Size()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, count(catalog.Options{Index: ix, Responses: true})); diff != "" {
		t.Errorf("a file was read again that seems not to have changed:\n%s", diff)
	}
}
