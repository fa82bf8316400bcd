//go:build unix

package filestore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/tests/plainuser"
)

func TestReadOnlyModes(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	file := newFile(t, "a\n")
	dir := filepath.Dir(file)
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	s := filestore.New(filestore.Options{})
	l := open(t, s, file)
	if _, err := l.Append(t.Context(), 2, []byte("b\n")); !errors.Is(err, store.ErrReadOnly) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Append to a read-only file = %v; want ErrReadOnly, because of the permissions", err)
	}
	if _, err := s.Replace(t.Context(), l, 2, store.Bytes([]byte("c\n")), ""); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Replace of a read-only file = %v; want ErrReadOnly", err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if _, err := s.Create(t.Context(), filepath.Join(dir, "new.jsonl"), store.Bytes([]byte("d\n"))); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Create in a read-only folder = %v; want ErrReadOnly", err)
	}
	if got := read(t, file); got != "a\n" {
		t.Errorf("the file holds %q; want it as it was", got)
	}
}
