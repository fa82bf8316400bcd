package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/sessiondir"
)

// Continuing reads the session that was written last, and of others only the
// heads (pitfall 47). Bytes are counted, not seconds.
func TestContinuingReadsLittle(t *testing.T) {
	dir := t.TempDir()
	const files, size = 20, 4 << 20
	for i := range files {
		path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
		line := messageLine("bbbb0001", "aaaa0001", strings.Repeat("x", 4000))
		putSession(t, path, fmt.Sprint("s", i), "/home/u/p", day(i), day(i))
		appendText(t, path, strings.Repeat(line, size/len(line)))
		if err := os.Chtimes(path, day(i), day(i)); err != nil {
			t.Fatal(err)
		}
	}
	before := charactersRead(t)
	path, err := sessiondir.MostRecent(t.Context(), "/home/u/p", dir)
	got := charactersRead(t) - before
	if most := int64(size * 3 / 2); err != nil || path == "" || got > most {
		t.Errorf("MostRecent = %q, %v and read %d bytes of %d MB; want at most %d", path, err, got, files*size>>20, most)
	}
	before = charactersRead(t)
	path, err = sessiondir.MostRecent(t.Context(), "/home/u/other", dir)
	got = charactersRead(t) - before
	if most := int64(files) * (10 << 10); err != nil || path != "" || got > most {
		t.Errorf("MostRecent of another project = %q, %v and read %d bytes; want none, and at most %d", path, err, got, most)
	}
}

// charactersRead is how many bytes this process has read so far, cache or not.
func charactersRead(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// A directory with two names that are not links of each other, as on a volume
// that ignores letter case or Unicode forms, is one project for lists,
// references and continuing (pitfalls 173, 178). A bind mount is such a
// directory on a case-sensitive volume.
func TestOneDirectoryOfTwoNames(t *testing.T) {
	sessions := ownHome(t)
	base := t.TempDir()
	composed, decomposed := filepath.Join(base, "caf\u00e9"), filepath.Join(base, "CAFE\u0301")
	for _, dir := range []string{composed, decomposed} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if sessiondir.SameProject(composed, decomposed) {
		t.Fatal("two directories are taken for one")
	}
	if err := unix.Mount(composed, decomposed, "", unix.MS_BIND, ""); err != nil {
		cannotTest(t, "a directory of two names", err)
	}
	unmountLater(t, decomposed)
	s := createPith(t, composed, pith.Options{Dir: sessions})
	sayNext(t, s)
	for _, cwd := range []string{composed, decomposed} {
		again, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: cwd, Dir: sessions})
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
		o := catalog.Options{Dir: sessions}
		infos, err := catalog.Sorted(catalog.List(t.Context(), cwd, o))
		if err != nil || len(infos) != 1 || again.File() != s.File() {
			t.Errorf("in %s: continued %s, listed %d sessions, %v; want the one session", cwd, again.File(), len(infos), err)
		}
		if at, err := catalog.Resolve(t.Context(), "@", cwd, o); err != nil || at.Path != s.File() {
			t.Errorf("in %s: @ is %s, %v; want %s", cwd, at.Path, err, s.File())
		}
	}
}
