package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/storetest"
)

// fillDisk takes all space of dir but free bytes, and returns what to remove to
// get it back.
func fillDisk(t *testing.T, dir string, free int64) string {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, int64(st.Bavail)*int64(st.Bsize)-free), 0o600); err != nil {
		t.Fatal(err)
	}
	return ballast
}

// pitfalls 25, 26, 27: on a full disk an append fails clearly, leaves the file
// as it was, and works again when there is space.
func TestFullDiskAppend(t *testing.T) {
	dir := storetest.Disk(t, "64k")
	file := filepath.Join(dir, "log.jsonl")
	before := strings.Repeat("x", 5000) + "\n"
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	ballast := fillDisk(t, dir, 8192)
	l := open(t, filestore.New(filestore.Options{}), file)
	long := []byte(strings.Repeat("y", 20_000) + "\n") // more than fits, so a part is written
	for range 3 {
		_, err := l.Append(t.Context(), int64(len(before)), long)
		if !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("Append on a full disk = %v; want ENOSPC and %q", err, "disk full")
		}
		if got := read(t, file); got != before {
			t.Errorf("the file has %d bytes and is changed: %t; want it as it was", len(got), got != before)
		}
	}
	if _, err := l.Append(t.Context(), int64(len(before)), []byte("short\n")); err != nil {
		t.Errorf("Append of what fits = %v; want nil", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), int64(len(before))+6, long); err != nil {
		t.Errorf("Append after space was freed = %v; want nil", err)
	}
	if got := read(t, file); got != before+"short\n"+string(long) {
		t.Errorf("the file has %d bytes; want all three lines", len(got))
	}
}

// pitfalls 30, 33, 132: on a full disk nothing new appears and nothing old goes.
func TestFullDiskCreateAndReplace(t *testing.T) {
	dir := storetest.Disk(t, "64k")
	s := filestore.New(filestore.Options{})
	file, other := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "other.jsonl")
	l, err := s.Create(t.Context(), file, store.Bytes([]byte("old\n")))
	if err != nil {
		t.Fatalf("Create = %v; want a log", err)
	}
	defer l.Close()
	ballast := fillDisk(t, dir, 8192)
	big := store.Bytes(make([]byte, 20_000))
	if _, err := s.Create(t.Context(), other, big); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Create on a full disk = %v; want ENOSPC", err)
	}
	if _, err := s.Replace(t.Context(), l, 4, big, file+".bak"); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Replace on a full disk = %v; want ENOSPC", err)
	}
	if got := read(t, file); got != "old\n" {
		t.Errorf("the file holds %q; want %q", got, "old\n")
	}
	if all, err := os.ReadDir(dir); len(all) != 2 || err != nil {
		t.Errorf("ReadDir = %v, %v; want the log and the ballast", all, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	again, err := s.Create(t.Context(), other, big)
	if err != nil {
		t.Fatalf("Create after space was freed = %v; want a log", err)
	}
	again.Close()
}

// A read-only disk, which also stops root, simulates read-only files and
// directories.
func TestReadOnlyDisk(t *testing.T) {
	dir := storetest.Disk(t, "64k")
	file, empty := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "empty.jsonl")
	if err := errors.Join(os.WriteFile(file, []byte("a\n"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	storetest.MakeReadOnly(t, dir)
	s := filestore.New(filestore.Options{})
	l := open(t, s, file)
	if size, err := l.Size(t.Context()); size != 2 || err != nil {
		t.Errorf("Size = %d, %v; want 2, nil", size, err)
	}
	if _, err := l.Append(t.Context(), 2, []byte("b\n")); !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, unix.EROFS) {
		t.Errorf("Append = %v; want ErrReadOnly, because of EROFS", err)
	}
	if _, err := s.Replace(t.Context(), l, 2, store.Bytes([]byte("c\n")), ""); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Replace = %v; want ErrReadOnly", err)
	}
	for _, path := range []string{filepath.Join(dir, "new.jsonl"), filepath.Join(dir, "sub", "new.jsonl"), empty} {
		if _, err := s.Create(t.Context(), path, store.Bytes([]byte("d\n"))); !errors.Is(err, store.ErrReadOnly) {
			t.Errorf("Create(%s) = %v; want ErrReadOnly", path, err)
		}
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Errorf("Sync = %v; want nil: there is nothing to sync", err)
	}
	if got := read(t, file); got != "a\n" {
		t.Errorf("the file holds %q; want it as it was", got)
	}
}
