package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

// The recent sessions are the first of the list, with the facts of the list,
// whatever became of them since; directories are not read for them.
func TestRecent(t *testing.T) {
	o, cache := isolated(t, nil), t.TempDir()
	const many = 1200
	path := func(i int) string {
		return filepath.Join(piFolder(o.Home, fmt.Sprint("/p", i%3)), fmt.Sprintf("%04d.jsonl", i))
	}
	for i := range many {
		write(t, path(i), simple(fmt.Sprintf("s%04d", i), fmt.Sprint("/p", i%3), i%50+2))
	}
	old := filepath.Join(piFolder(o.Home, "/rare"), "old.jsonl")
	write(t, old, simple("old", "/rare", 1))
	o.Index = openIndex(t, cache)
	if got, any := catalog.Recent(t.Context(), "", nil, o); len(got) > 0 || !any {
		t.Fatalf("%d recent sessions, %v, before the first list", len(got), any)
	}
	list := func(o catalog.Options) []catalog.Info {
		t.Helper()
		all, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	list(o)

	check := func(cwd string, also []string, want []catalog.Info) {
		t.Helper()
		again := o
		again.Index = openIndex(t, cache)
		got, any := catalog.Recent(t.Context(), cwd, also, again)
		if !any || len(got) < len(want) || !reflect.DeepEqual(got[:len(want)], want) {
			t.Errorf("Recent(%q) = %d sessions, %v: %.60q; want %.60q", cwd, len(got), any, ids(got), ids(want))
		}
	}
	o.Index = nil
	all := list(o)
	check("", nil, all[:200])
	check("/rare", nil, all[len(all)-1:])
	check("", []string{old}, all[:200])
	again := o
	again.Index = openIndex(t, cache)
	if got, _ := catalog.Recent(t.Context(), "", []string{old}, again); got[len(got)-1].ID != "old" {
		t.Errorf("a file that was asked for is missing; the last is %s", got[len(got)-1].ID)
	}
	if got, any := catalog.Recent(t.Context(), "/elsewhere", nil, again); len(got) > 0 || any {
		t.Errorf("%d sessions, %v, of a project without any", len(got), any)
	}

	// One is used, one is removed, and one that no list has seen is new.
	appendText(t, all[7].Path, message("user", `"more"`, 59)+"\n")
	if err := os.Remove(all[3].Path); err != nil {
		t.Fatal(err)
	}
	all = list(o)
	write(t, filepath.Join(piFolder(o.Home, "/new"), "new.jsonl"), simple("new", "/new", 90))
	check("", nil, all[:199])
	if _, any := catalog.Recent(t.Context(), "/new", nil, again); !any {
		t.Error("a project with a directory of its own is said to have no sessions")
	}
}

// A session whose parent or fork is recent is too, so that threads are whole.
func TestRecentThreads(t *testing.T) {
	o := isolated(t, nil)
	dir := piFolder(o.Home, "/p")
	parent := filepath.Join(dir, "parent.jsonl")
	write(t, parent, simple("parent", "/p", 1))
	for i := range 1200 {
		write(t, filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)), simple(fmt.Sprint("s", i), "/p", 5))
	}
	fork := func(id string, at int) {
		write(t, filepath.Join(dir, id+".jsonl"), session(header(id, "/p", fmt.Sprintf(`,"parentSession":%q`, parent)), message("user", `"more"`, at)))
	}
	fork("new-fork", 50)
	fork("old-fork", 1)
	o.Index = openIndex(t, t.TempDir())
	if _, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil {
		t.Fatal(err)
	}
	got, _ := catalog.Recent(t.Context(), "", nil, o)
	found := map[string]bool{}
	for _, info := range got {
		found[info.ID] = true
	}
	if !found["new-fork"] || !found["parent"] || !found["old-fork"] {
		t.Errorf("recent: %.80q; want new-fork, parent and old-fork among them", ids(got))
	}
}
