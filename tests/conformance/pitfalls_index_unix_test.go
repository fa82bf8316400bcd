//go:build unix

package conformance_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// actList lists the sessions of DIR with the index in INDEX again and again until
// it is killed. It says so before each list.
func actList(args []string) error {
	for {
		fmt.Println("listing")
		if _, err := listWith(args[0], args[1]); err != nil {
			return err
		}
	}
}

// listWith returns the list of a directory with an index that is opened for it.
// An index that had to be rebuilt, or that cannot be used, is an error.
func listWith(dir, index string) ([]catalog.Info, error) {
	ix, err := catalog.OpenIndex(index)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	infos, err := catalog.Sorted(catalog.ListAll(context.Background(), catalog.Options{Dir: dir, Index: ix}))
	if err == nil {
		err = ix.Err()
	}
	if notice := ix.Notice(); err == nil && notice != "" {
		err = fmt.Errorf("the index was replaced: %s", notice)
	}
	return infos, err
}

// Processes that share an index are killed while they fill it, and the clock of
// the files goes forth and back. The index stays whole and private, and a list
// with it is the list (pitfall 44).
func TestIndexOfKilledProcesses(t *testing.T) {
	dir, index := t.TempDir(), filepath.Join(t.TempDir(), "index")
	path := func(n int) string { return filepath.Join(dir, fmt.Sprint(n, ".jsonl")) }
	const files = 40
	for n := range files {
		putSession(t, path(n), fmt.Sprint("s", n), "/home/u/p", day(n), day(n))
	}
	for round := range rounds(20) {
		a, b := startActor(t, "list", dir, index), startActor(t, "list", dir, index)
		a.next(t)
		b.next(t)
		changeFiles(t, path, round, files)
		a.killAfter(t, randomUpTo(30*time.Millisecond))
		b.killAfter(t, randomUpTo(30*time.Millisecond))
		want, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir}))
		if err != nil {
			t.Fatal(err)
		}
		got, err := listWith(dir, index)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		same(t, fmt.Sprintf("round %d: list with the index", round), got, want)
	}
	for _, file := range append(catalog.IndexFiles(index), index) {
		info, err := os.Stat(file)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v; want it private", file, info.Mode())
		}
		if err != nil && file == index {
			t.Error(err)
		}
	}
}

// changeFiles changes some files while others list them: one grows and is dated
// back, one grows and is dated ahead, one is replaced by another of its size and time.
func changeFiles(t *testing.T, path func(int) string, round, files int) {
	t.Helper()
	back, ahead, replaced := path(round%files), path((round+1)%files), path((round+2)%files)
	more := messageLine(fmt.Sprintf("bbbb%04d", round), "aaaa0001", fmt.Sprint("round ", round))
	appendText(t, back, more)
	appendText(t, ahead, more)
	text := []byte(readFile(t, replaced))
	copy(text[len(`{"type":"session","version":3,"id":"`):], "x") // another id
	was, err := os.Stat(replaced)
	if err != nil {
		t.Fatal(err)
	}
	temp := replaced + ".new"
	writeFile(t, temp, text, fs.FileMode(0o600))
	for file, at := range map[string]time.Time{back: day(-1000), ahead: day(100_000), temp: was.ModTime()} {
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(temp, replaced); err != nil {
		t.Fatal(err)
	}
}
