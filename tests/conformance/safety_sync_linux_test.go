package conformance_test

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
)

// With Options.Sync nothing of a session file waits in memory to be written to
// the disk when an append returns. The system itself is asked (pitfall 42).
func TestSyncReachesTheDisk(t *testing.T) {
	dir := t.TempDir()
	careless := createPith(t, "/home/u/p", pith.Options{Dir: dir})
	sayNext(t, careless)
	sayNext(t, careless)
	before := waitingPages(t, careless.File())
	syncFile(t, careless.File())
	if after := waitingPages(t, careless.File()); before == 0 || after > 0 {
		t.Skipf("the file system of the temporary folder does not tell: %d pages wait before a sync, %d after it", before, after)
	}
	careful := createPith(t, "/home/u/p", pith.Options{Dir: dir, Sync: true})
	for range 10 {
		sayNext(t, careful)
		if waiting := waitingPages(t, careful.File()); waiting > 0 {
			t.Fatalf("after an append with Sync %d pages wait to be written; want none", waiting)
		}
	}
}

func syncFile(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
}

// waitingPages is how many pages of a file are not on the disk yet.
func waitingPages(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var st unix.Cachestat_t
	if err := unix.Cachestat(uint(f.Fd()), &unix.CachestatRange{}, &st, 0); err != nil {
		t.Skipf("the system does not tell what waits to be written: %v", err)
	}
	return st.Dirty + st.Writeback
}
