package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/store/storetest"
)

// smallDisk returns a directory that is its own file system, of 256 KB.
func smallDisk(t *testing.T) string {
	t.Helper()
	return storetest.Disk(t, "256k")
}

func unmountLater(t *testing.T, path string) {
	t.Cleanup(func() {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
}

// cannotTest skips a test that needs the right to mount.
func cannotTest(t *testing.T, what string, err error) {
	t.Helper()
	t.Skipf("%s cannot be had: %v; run the tests as root, or in a namespace that may mount", what, err)
}

// fillDisk takes all space of dir but 8 KB, and returns what to remove to get
// it back.
func fillDisk(t *testing.T, dir string) string {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, int64(st.Bavail)*st.Bsize-8192), 0o600); err != nil {
		t.Fatal(err)
	}
	return ballast
}

// protect makes a file or directory read-only: for root, to which permissions
// do not apply, with a read-only mount over itself.
func protect(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		dropPermissions(t, path)
		return
	}
	if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
		cannotTest(t, "a read-only place", err)
	}
	unmountLater(t, path)
	if err := unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		cannotTest(t, "a read-only place", err)
	}
}

// dropPermissions removes write permission from a file, or from a directory and
// all files in it.
func dropPermissions(t *testing.T, path string) {
	t.Helper()
	inside, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(inside, path) {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, info.Mode().Perm()&0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(p, info.Mode().Perm()) })
	}
}
