//go:build linux || darwin

package export_test

import (
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// An error is about the requested page, not about a temporary file, of which
// nothing is left (E18).
func TestErrorNamesThePage(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	plan, err := export.Review(t.Context(), session(t, branched), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	free, forbidden := t.TempDir(), filepath.Join(t.TempDir(), "forbidden")
	if err := os.Mkdir(forbidden, 0o500); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		dir  string
		most uint64 // bytes that a file may have; 0 means any
		want error
	}{
		{"no such folder", filepath.Join(free, "nowhere"), 0, fs.ErrNotExist},
		{"no right to write there", forbidden, 0, fs.ErrPermission},
		{"no room for all of it", free, 30_000, syscall.EFBIG},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.most > 0 {
				limitFiles(t, test.most)
			}
			name := filepath.Join(test.dir, "page.html")
			_, err := plan.WriteFile(t.Context(), name, false)
			at, ok := errors.AsType[*fs.PathError](err)
			if !errors.Is(err, test.want) || !ok || at.Path != name || at.Op != "write" {
				t.Errorf("WriteFile = %v; want that %s could not be written", err, name)
			}
			if left, _ := os.ReadDir(test.dir); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// limitFiles makes files that grow longer fail as on a full disk, until the test ends.
func limitFiles(t *testing.T, bytes uint64) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ) // which would end the process
	t.Cleanup(func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	})
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
}
