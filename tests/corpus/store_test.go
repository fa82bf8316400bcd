package corpus_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

func TestStore(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	o := corpus.StoreOptions{Seed: 1, Sessions: 60, Bytes: 12_000_000, Projects: 5}
	if err := corpus.Store(root, o); err != nil {
		t.Fatal(err)
	}
	var size int64
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
			t.Errorf("%s has mode %o, want it private", path, mode)
		}
		count++
		size += info.Size()
		return nil
	})
	if err != nil || count != o.Sessions || size < o.Bytes*9/10 || size > o.Bytes*3/2 {
		t.Errorf("store has %d files of %d bytes, %v; want %d of about %d", count, size, err, o.Sessions, o.Bytes)
	}
	folders, err := os.ReadDir(root)
	if err != nil || len(folders) != o.Projects {
		t.Errorf("store has %d project folders, %v; want %d", len(folders), err, o.Projects)
	}
	h := pi.StartFor(t, pi.Require(t, pi.V0_87_1))
	infos, err := h.ListAll(t.Context(), root)
	if err != nil || len(infos) != o.Sessions {
		t.Fatalf("pi lists %d sessions, %v; want %d", len(infos), err, o.Sessions)
	}
	named, forked := 0, 0
	for _, info := range infos {
		if got, want := filepath.Base(filepath.Dir(info.Path)), corpus.ProjectFolder(info.Cwd); got != want {
			t.Errorf("session of %s lies in %s, want %s", info.Cwd, got, want)
		}
		if !strings.HasSuffix(info.Path, "_"+info.ID+".jsonl") {
			t.Errorf("session %s lies in file %s", info.ID, info.Path)
		}
		if info.Name != "" {
			named++
		}
		if info.ParentSessionPath != "" {
			forked++
		}
	}
	if named < 15 || forked < 4 {
		t.Errorf("%d sessions have a name, %d a parent; want about 20 and 6", named, forked)
	}
}

func TestPiNames(t *testing.T) {
	for cwd, want := range map[string]string{
		"/": "----", "/home/u/p": "--home-u-p--", "/home/u/a:b": "--home-u-a-b--", "/srv/日本": "--srv-日本--", `C:\work\x`: "--C--work-x--",
	} {
		if got := corpus.ProjectFolder(cwd); got != want {
			t.Errorf("ProjectFolder(%q) = %q, want %q", cwd, got, want)
		}
	}
	at := time.Date(2026, 2, 3, 22, 52, 6, 7e6, time.UTC)
	if got, want := corpus.FileName(at, "id"), "2026-02-03T22-52-06-007Z_id.jsonl"; got != want {
		t.Errorf("FileName = %q, want %q", got, want)
	}
}
