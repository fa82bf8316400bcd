package storetest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Disk is a folder that is a file system of its own, of a size such as 64k, for the
// length of a test. It needs the right to mount, which an automatic run must have:
// with CI=true the test fails without, elsewhere it is skipped.
func Disk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("mount a tmpfs: %v; this run must show disks that fail", err)
		}
		t.Skipf("mount a tmpfs: %v; needs root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// MakeReadOnly makes a Disk read-only. Unlike a file's mode this holds for root too.
func MakeReadOnly(t testing.TB, dir string) {
	t.Helper()
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}
