package catalog_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/tests/corpus"
)

// openIndex opens an index that is closed at the end of the test.
func openIndex(t testing.TB, dir string) *catalog.Index {
	t.Helper()
	ix, err := catalog.OpenIndex(dir)
	if err != nil {
		t.Fatalf("OpenIndex: %v", err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return ix
}

// listAll lists all sessions, once without an index and once with the one in a
// directory, opened again. Both lists must be the same.
func listAll(t testing.TB, o catalog.Options, dir string) []catalog.Info {
	t.Helper()
	o.Index = nil
	want, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil {
		t.Fatal(err)
	}
	if o.Index, err = catalog.OpenIndex(dir); err != nil {
		t.Fatal(err)
	}
	defer o.Index.Close()
	for _, again := range []string{"first", "second"} {
		got, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil {
			t.Fatal(err)
		}
		if diff := difference(want, got); diff != "" {
			t.Fatalf("%s list with an index (-without, +with):\n%s", again, diff)
		}
		if err := o.Index.Err(); err != nil {
			t.Fatalf("Index.Err = %v", err)
		}
	}
	return want
}

// difference is like cmp.Diff, which takes long to find that thousands of
// sessions are equal.
func difference(want, got []catalog.Info) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// appendText appends to a file and sets its time, so that the test does not
// depend on the clock.
func appendText(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// pitfall 43, pitfall 44: every odd file is listed the same from the index.
func TestIndexOfOddFiles(t *testing.T) {
	o := isolated(t, nil)
	o.Dir = t.TempDir()
	for _, odd := range corpus.Odd() {
		write(t, filepath.Join(o.Dir, strings.ReplaceAll(odd.Name, "/", "_")+".jsonl"), string(odd.Bytes))
	}
	if infos := listAll(t, o, t.TempDir()); len(infos) == 0 {
		t.Fatal("no odd file was listed")
	}
}

// A file that is written byte by byte, with a list at many places, has the facts
// of the whole file at the end, and of its part at every place.
func TestIndexWhileAFileGrows(t *testing.T) {
	text := corpus.Bytes(corpus.Options{Seed: 3, Entries: 60, Branches: 6, Labels: 3, CompactEvery: 20, Name: "grown"})
	o := isolated(t, nil)
	o.Dir = t.TempDir()
	path := write(t, filepath.Join(o.Dir, "1.jsonl"), "")
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < len(text); {
		n := min(1+random.IntN(2000), len(text)-at)
		if lf := bytes.IndexByte(text[at:], '\n'); lf >= 0 && random.IntN(3) == 0 {
			n = lf + 1
		}
		appendText(t, path, string(text[at:at+n]))
		at += n
		listAll(t, o, dir)
	}
}

// slot is oh-my-pi's title slot, which has the same size for every title.
func slot(title string) string {
	text := fmt.Sprintf(`{"type":"title","v":1,"title":%q,"updatedAt":"x","pad":"`, title)
	return text + strings.Repeat(" ", 253-len(text)) + `"}`
}

func slotted(title string) string { return slot(title) + "\n" + simple("slotted", "/p", 9) }

// overwrite replaces the beginning of a file.
func overwrite(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte(text), 0)
	return err
}

// After any change of the files, a list with an index equals the list without.
func TestIndexAfterChanges(t *testing.T) {
	o := isolated(t, nil)
	o.Dir = t.TempDir()
	path := func(n int) string { return filepath.Join(o.Dir, fmt.Sprintf("%d.jsonl", n)) }
	for n := range 8 {
		write(t, path(n), simple(fmt.Sprintf("id%d", n), "/p", n+2))
	}
	past := minute(-1000)
	changes := []struct {
		what   string
		change func() error
	}{
		{"nothing", func() error { return nil }},
		{"a line appended", func() error { appendText(t, path(0), message("user", `"more"`, 60)+"\n"); return nil }},
		{"a torn line appended", func() error { appendText(t, path(1), message("user", `"torn"`, 61)[:40]); return nil }},
		{"the torn line completed", func() error { appendText(t, path(1), message("user", `"torn"`, 61)[40:]+"\n"); return nil }},
		{"a line without its end", func() error { appendText(t, path(1), message("user", `"whole"`, 62)); return nil }},
		{"and its end", func() error { appendText(t, path(1), "\n"+name("named", 63)+"\n"); return nil }},
		{"a torn line appended again", func() error { appendText(t, path(1), `{"type":`); return nil }},
		{"and cut off", func() error {
			info, err := os.Stat(path(1))
			if err != nil {
				return err
			}
			return os.Truncate(path(1), info.Size()-8)
		}},
		{"renamed", func() error { return os.Rename(path(2), path(12)) }},
		{"renamed and appended", func() error {
			appendText(t, path(3), message("user", `"more"`, 64)+"\n")
			return os.Rename(path(3), path(13))
		}},
		{"truncated", func() error { return os.Truncate(path(4), 150) }},
		{"rewritten in place, longer", func() error {
			return os.WriteFile(path(5), []byte(simple("another", "/q", 70)+message("user", `"x"`, 71)+"\n"), 0o600)
		}},
		{"rewritten in place, same size", func() error {
			return os.WriteFile(path(6), []byte(simple("same", "/p", 8)), 0o600)
		}},
		{"replaced, same size and time", func() error {
			if err := os.Chtimes(path(6), past, past); err != nil {
				return err
			}
			listAll(t, o, t.TempDir())
			write(t, path(99)+".tmp", simple("SAME", "/p", 8))
			if err := os.Chtimes(path(99)+".tmp", past, past); err != nil {
				return err
			}
			return os.Rename(path(99)+".tmp", path(6))
		}},
		{"a file with a title slot", func() error { write(t, path(30), slotted("first try")); return nil }},
		{"its slot overwritten", func() error { return overwrite(path(30), slot("second try")) }},
		{"its slot overwritten and a line appended", func() error {
			appendText(t, path(30), message("user", `"more"`, 65)+"\n")
			return overwrite(path(30), slot("third"))
		}},
		{"touched", func() error { return os.Chtimes(path(0), past, past) }},
		{"deleted", func() error { return os.Remove(path(7)) }},
		{"two exchanged", func() error {
			if err := os.Rename(path(0), path(20)); err != nil {
				return err
			}
			if err := os.Rename(path(1), path(0)); err != nil {
				return err
			}
			return os.Rename(path(20), path(1))
		}},
		{"no session any more", func() error { return os.WriteFile(path(5), []byte("{}\n"), 0o600) }},
		{"a session again", func() error { return os.WriteFile(path(5), []byte(simple("back", "/p", 80)), 0o600) }},
	}
	dir := t.TempDir()
	for _, c := range changes {
		if err := c.change(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		t.Log(c.what)
		listAll(t, o, dir)
	}
}

// pitfall 43: what a list costs.
func TestIndexedListReadsWhatChanged(t *testing.T) {
	o := isolated(t, nil)
	folder := piFolder(o.Home, "/p")
	var paths []string
	for n := range 30 {
		text := corpus.Bytes(corpus.Options{Seed: uint64(n), Entries: 40, Cwd: "/p"})
		paths = append(paths, write(t, filepath.Join(folder, fmt.Sprintf("%d.jsonl", n)), string(text)))
	}
	write(t, filepath.Join(folder, "notes.jsonl"), "no session\n{}\n")
	var read atomic.Int64
	catalog.CountReads(&o, &read)
	dir := t.TempDir()
	cost := func(list func(o catalog.Options)) int64 {
		o.Index = openIndex(t, dir)
		read.Store(0)
		list(o)
		return read.Load()
	}
	all := func(o catalog.Options) {
		if infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil || len(infos) != 30 {
			t.Fatalf("ListAll = %d sessions, %v; want 30", len(infos), err)
		}
	}
	if n := cost(all); n == 0 {
		t.Error("the first list read nothing")
	}
	if n := cost(all); n != 0 {
		t.Errorf("an unchanged store: %d bytes read, want 0", n)
	}
	line := message("user", `"one more"`, 5) + "\n"
	appendText(t, paths[3], line)
	if n, most := cost(all), int64(len(line)+4*catalog.TailSize); n < int64(len(line)) || n > most {
		t.Errorf("one line of %d bytes appended: %d bytes read, want at most %d", len(line), n, most)
	}
	if runtime.GOOS != "windows" { // there files are known by their paths alone
		if err := os.Rename(paths[5], paths[5]+".jsonl"); err != nil {
			t.Fatal(err)
		}
		if n := cost(all); n > 4*catalog.TailSize {
			t.Errorf("a file renamed: %d bytes read, want at most %d", n, 4*catalog.TailSize)
		}
	}
	if n := cost(func(o catalog.Options) {
		infos, err := catalog.Sorted(catalog.List(t.Context(), "/p", o))
		if err != nil || len(infos) != 30 {
			t.Fatalf("List = %d, %v", len(infos), err)
		}
		for _, ref := range []string{infos[7].ID, infos[7].Path, "@3"} {
			if _, err := catalog.Resolve(t.Context(), ref, "/p", o); err != nil {
				t.Errorf("Resolve(%q): %v", ref, err)
			}
		}
	}); n != 0 {
		t.Errorf("list and references of an unchanged store: %d bytes read, want 0", n)
	}
}

// The list of one project does not read the others, neither the first time nor
// later, and a list of all does not take the others for empty.
func TestIndexOfOneProject(t *testing.T) {
	o := isolated(t, nil)
	write(t, filepath.Join(piFolder(o.Home, "/p"), "1.jsonl"), simple("here", "/p", 5))
	large := corpus.Bytes(corpus.Options{Seed: 1, Bytes: 300_000, Cwd: "/q"})
	write(t, filepath.Join(piFolder(o.Home, "/q"), "2.jsonl"), string(large))
	dir := t.TempDir()
	var read atomic.Int64
	catalog.CountReads(&o, &read)
	o.Index = openIndex(t, dir)
	for _, most := range []int64{20_000, 0} {
		read.Store(0)
		if got, err := catalog.Sorted(catalog.List(t.Context(), "/p", o)); err != nil || ids(got) != "here" {
			t.Fatalf("List = %q, %v", ids(got), err)
		}
		if n := read.Load(); n > most {
			t.Errorf("List read %d bytes, want at most %d", n, most)
		}
	}
	o.Index = nil
	listAll(t, o, dir)
}

// pitfall 43: an index that is of no use is replaced, with one notice.
func TestDamagedIndex(t *testing.T) {
	o := isolated(t, nil)
	write(t, filepath.Join(piFolder(o.Home, "/p"), "1.jsonl"), simple("one", "/p", 5))
	damage := map[string]func(path string) error{
		"other file": func(path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("not a database\n", 2000)), 0o600)
		},
		"empty": func(path string) error { return os.Truncate(path, 0) },
		"zeros inside": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt(make([]byte, 9000), 100)
			return err
		},
	}
	for what, do := range damage {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			listAll(t, o, dir)
			path := filepath.Join(dir, cache.Name)
			for _, suffix := range []string{"-wal", "-shm"} {
				_ = os.Remove(path + suffix)
			}
			if err := do(path); err != nil {
				t.Fatal(err)
			}
			listAll(t, o, dir)
		})
	}
}

func TestDamagedIndexIsTold(t *testing.T) {
	if n := openIndex(t, t.TempDir()).Notice(); n != "" {
		t.Errorf("Notice of a new index = %q", n)
	}
	dir := t.TempDir()
	path := write(t, filepath.Join(dir, cache.Name), strings.Repeat("not a database\n", 2000))
	ix := openIndex(t, dir)
	if ix.Notice() == "" || ix.Notice() != "" {
		t.Error("a replaced index must be told once")
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("Stat = %v, %v; want mode 0600", info.Mode(), err)
	}
}

func TestNoPlaceForAnIndex(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "file"), "")
	if _, err := catalog.OpenIndex(filepath.Join(file, "below")); err == nil {
		t.Error("OpenIndex below a file succeeded")
	}
}

// Several concurrent users of one index all get the right list.
func TestIndexIsShared(t *testing.T) {
	o := isolated(t, nil)
	folder := piFolder(o.Home, "/p")
	for n := range 20 {
		write(t, filepath.Join(folder, fmt.Sprintf("%d.jsonl", n)), simple(fmt.Sprintf("id%02d", n), "/p", n+2))
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for n := range 6 {
		ix := openIndex(t, dir)
		wg.Go(func() {
			o := o
			o.Index = ix
			for range 5 {
				if infos, err := catalog.Sorted(catalog.ListAll(ctx, o)); err != nil || len(infos) != 20 {
					t.Errorf("ListAll = %d, %v; want 20", len(infos), err)
				}
				appendText(t, filepath.Join(folder, fmt.Sprintf("%d.jsonl", n)), name("again", 90)+"\n")
			}
		})
	}
	wg.Wait()
	listAll(t, o, dir)
}

// If no directory for an index is known, none is made in the working directory.
func TestNoIndexWithoutAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := catalog.OpenIndex(""); err == nil {
		t.Error(`OpenIndex("") = nil, want an error`)
	}
	if _, err := search.OpenIndex(""); err == nil {
		t.Error(`search.OpenIndex("") = nil, want an error`)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("the working directory holds %v, %v; want nothing", left, err)
	}
}

// Omit is called for every indexed session, with its id and time, and leaves out
// those for which it returns true.
func TestOmit(t *testing.T) {
	o := isolated(t, nil)
	if err := corpus.Store(filepath.Join(o.Home, ".pi", "agent", "sessions"), corpus.StoreOptions{Sessions: 12, Bytes: 30_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	ix, err := catalog.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	o.Index = ix
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil || len(infos) != 12 {
		t.Fatalf("%d sessions, %v", len(infos), err)
	}
	if err := os.Rename(infos[0].Path, filepath.Join(filepath.Dir(infos[0].Path), "renamed.jsonl")); err != nil { // its ID is in the file only
		t.Fatal(err)
	}
	if infos, err = catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil || len(infos) != 12 {
		t.Fatalf("%d sessions, %v", len(infos), err)
	}
	seen := map[string]time.Time{}
	o.Omit = func(id string, used time.Time) bool {
		if _, twice := seen[id]; twice {
			t.Errorf("Omit is called twice with %s", id)
		}
		seen[id] = used
		return id != infos[3].ID
	}
	o.IDs = func(ids []string) {
		if len(ids) != 12 {
			t.Errorf("%d IDs; want 12", len(ids))
		}
	}
	left, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil || len(left) != 1 || left[0].ID != infos[3].ID || len(seen) != 12 {
		t.Fatalf("%d sessions are left of %d, %v", len(left), len(seen), err)
	}
	for i := range infos {
		if after := seen[infos[i].ID].Sub(infos[i].Modified); after < 0 || after > time.Millisecond {
			t.Errorf("Omit has a time %v after %v", after, infos[i].Modified)
		}
	}
}
