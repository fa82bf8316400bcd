package storetest

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Disk mounts a file system of the given size, such as 64k, for the duration of
// a test and returns its directory. Without the right to mount, the test is
// skipped.
func Disk(t testing.TB, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("mount a tmpfs: %v; needs root", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// MakeReadOnly makes a Disk read-only. Unlike a file's mode, this also applies
// to root.
func MakeReadOnly(t testing.TB, dir string) {
	t.Helper()
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
}
