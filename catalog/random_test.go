package catalog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
)

// manyFolders writes many sessions in several directories, and returns their
// paths.
func manyFolders(t *testing.T, o *catalog.Options) (paths []string) {
	t.Helper()
	for i := range 1100 {
		cwd := fmt.Sprint("/p", i%6)
		name := fmt.Sprintf("%04d.jsonl", i)
		if i%3 == 0 { // as pi names them
			name = fmt.Sprintf("2026-01-02T03-04-05-006Z_s%04d.jsonl", i)
		}
		paths = append(paths, write(t, filepath.Join(piFolder(o.Home, cwd), name), simple(fmt.Sprintf("s%04d", i), cwd, i%50+2)))
	}
	return paths
}

// After random changes of many files, a list with an index equals the list
// without one, as do the ids.
func TestIndexAfterRandomChanges(t *testing.T) {
	o, cache := isolated(t, nil), t.TempDir()
	paths := manyFolders(t, &o)
	random := rand.New(rand.NewPCG(3, 4))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	next := 0
	change := func() {
		i := random.IntN(len(paths))
		path := paths[i]
		next++
		switch random.IntN(9) {
		case 0:
			appendText(t, path, message("user", `"more"`, 60)+"\n")
		case 1:
			must(os.Chtimes(path, minute(-next), minute(-next)))
		case 2: // another file of the same size and time
			stat, err := os.Stat(path)
			must(err)
			text, err := os.ReadFile(path)
			must(err)
			copied := write(t, path+".tmp", string(text))
			must(os.Chtimes(copied, stat.ModTime(), stat.ModTime()))
			must(os.Rename(copied, path))
		case 3:
			paths[i] = filepath.Join(filepath.Dir(path), fmt.Sprintf("moved%d.jsonl", next))
			must(os.Rename(path, paths[i]))
		case 4: // to another directory
			paths[i] = filepath.Join(filepath.Dir(paths[random.IntN(len(paths))]), fmt.Sprintf("moved%d.jsonl", next))
			must(os.Rename(path, paths[i]))
		case 5:
			must(os.Remove(path))
			paths[i] = paths[len(paths)-1]
			paths = paths[:len(paths)-1]
		case 6:
			paths = append(paths, write(t, filepath.Join(filepath.Dir(path), fmt.Sprintf("new%d.jsonl", next)), simple(fmt.Sprint("n", next), "/p1", next%50+2)))
		case 7: // two exchange their names
			j := random.IntN(len(paths))
			must(os.Rename(path, path+".tmp"))
			if i != j {
				must(os.Rename(paths[j], path))
			}
			must(os.Rename(path+".tmp", paths[j]))
		case 8:
			must(os.WriteFile(path, []byte("{}\n"), 0o600)) // not a session
		}
	}
	for _, changes := range []int{0, 0, 1, 3, 90, 20, 500, 2, 0} {
		for range changes {
			change()
		}
		t.Logf("%d changes", changes)
		all := listAll(t, o, cache)
		want, err := catalog.IDs(t.Context(), "", o)
		must(err)
		o.Index = openIndex(t, cache)
		var ids []string
		o.IDs = func(list []string) { ids = list }
		omitted := 0
		o.Omit = func(_ string, _ time.Time) bool { omitted++; return true }
		left, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil || omitted != len(all) || len(left) > 0 {
			t.Fatalf("%d of %d sessions are omitted, %d are left, %v", omitted, len(all), len(left), err)
		}
		slices.Sort(want)
		slices.Sort(ids)
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Fatalf("ids without an index and with one:\n%s", diff)
		}
		o.Index, o.IDs, o.Omit = nil, nil, nil
	}
}
