package filestore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

func TestRelink(t *testing.T) {
	from := newFile(t, "a\n")
	to := filepath.Join(t.TempDir(), "other.jsonl")
	if err := filestore.Relink(from, to); err != nil {
		t.Fatalf("Relink = %v; want no error", err)
	}
	if _, err := os.Lstat(from); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old name is there: %v", err)
	}
	if got, err := os.ReadFile(to); string(got) != "a\n" || err != nil {
		t.Errorf("the file holds %q, %v; want what it held", got, err)
	}
}

// A name that is taken, or that cannot be had, changes nothing.
func TestRelinkChangesNothing(t *testing.T) {
	from, taken := newFile(t, "a\n"), newFile(t, "b\n")
	for to, want := range map[string]error{
		taken: fs.ErrExist, filepath.Join(t.TempDir(), "no", "such", "folder"): errors.ErrUnsupported,
	} {
		if err := filestore.Relink(from, to); !errors.Is(err, want) {
			t.Errorf("Relink(%s) = %v; want %v", to, err, want)
		}
	}
	for path, want := range map[string]string{from: "a\n", taken: "b\n"} {
		if got, err := os.ReadFile(path); string(got) != want || err != nil {
			t.Errorf("%s holds %q, %v; want %q", path, got, err, want)
		}
	}
}
