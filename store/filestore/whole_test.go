package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

func TestWriteFile(t *testing.T) {
	for name, before := range map[string]*string{
		"new": nil, "over an empty file": new(""), "over a shorter one": new("a"), "over a longer one": new("a long text\nof lines\n"),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a", "b", "small.json")
			if before != nil {
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(*before), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for _, content := range []string{"{}\n", "other\n", "other\n", "", "again\n"} {
				if err := filestore.WriteFile(file, []byte(content)); err != nil {
					t.Fatalf("WriteFile(%q) = %v; want no error", content, err)
				}
				if got, err := os.ReadFile(file); string(got) != content || err != nil {
					t.Errorf("after WriteFile(%q) the file holds %q, %v", content, got, err)
				}
			}
			if all, err := os.ReadDir(filepath.Dir(file)); len(all) != 1 || err != nil {
				t.Errorf("the folder holds %v, %v; want the file alone", all, err)
			}
			if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
				t.Errorf("the file's mode is %v, %v; want 0600", info.Mode(), err)
			}
		})
	}
}

// Anything but a regular file stays, and a handle on the old content keeps it:
// the file is replaced, not overwritten.
func TestWriteFileReplaces(t *testing.T) {
	dir := t.TempDir()
	if err := filestore.WriteFile(dir, []byte("x")); err == nil {
		t.Errorf("WriteFile(a folder) = nil; want an error")
	}
	if err := filestore.WriteFile("small.json", []byte("x")); err == nil {
		t.Errorf("WriteFile(a relative name) = nil; want an error")
	}
	file := filepath.Join(dir, "small.json")
	if err := filestore.WriteFile(file, []byte("first")); err != nil {
		t.Fatal(err)
	}
	old, err := filestore.New(filestore.Options{}).Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := filestore.WriteFile(file, []byte("second")); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len("first"))
	if _, err := old.ReadAt(got, 0); string(got) != "first" || err != nil {
		t.Errorf("the old handle reads %q, %v; want first", got, err)
	}
}
