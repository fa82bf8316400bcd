package cache_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pith-sessions/pith/internal/cache"
)

func TestExposedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	for name, tt := range map[string]struct {
		dir, above os.FileMode
		ok         bool
	}{
		"private":                  {0o700, 0o755, true},
		"readable":                 {0o755, 0o755, true},
		"group":                    {0o770, 0o755, false},
		"all":                      {0o707, 0o755, false},
		"sticky":                   {0o777 | os.ModeSticky, 0o755, false},
		"above, all":               {0o700, 0o777, false},
		"above, all may add files": {0o700, 0o777 | os.ModeSticky, true},
	} {
		above := filepath.Join(t.TempDir(), "above")
		dir := filepath.Join(above, "cache")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for path, mode := range map[string]os.FileMode{dir: tt.dir, above: tt.above} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		x, err := cache.Open(dir)
		if err == nil {
			x.Close()
		}
		var e *cache.ExposedError
		if errors.As(err, &e) == tt.ok || tt.ok != (err == nil) {
			t.Errorf("%s: Open = %v; want it to be used: %v", name, err, tt.ok)
		}
		if err := cache.CheckPrivate(dir); (err == nil) != tt.ok {
			t.Errorf("%s: CheckPrivate = %v; want it to be used: %v", name, err, tt.ok)
		}
		if _, err := os.Stat(filepath.Join(dir, cache.Name)); (err == nil) != tt.ok {
			t.Errorf("%s: there is a database: %v; want %v", name, err == nil, tt.ok)
		}
	}
	above := t.TempDir()
	for mode, ok := range map[os.FileMode]bool{0o755: true, 0o777: false} {
		if err := os.Chmod(above, mode); err != nil {
			t.Fatal(err)
		}
		if err := cache.CheckPrivate(filepath.Join(above, "not", "there")); (err == nil) != ok {
			t.Errorf("CheckPrivate of a folder that is not there, below one of mode %o = %v", mode, err)
		}
	}
}

// A directory behind a link is as private as the directories on both paths.
func TestLinkedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "real", "cache"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(base, "links"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "links", "link")
	if err := os.Symlink(filepath.Join(base, "real"), link); err != nil {
		t.Fatal(err)
	}
	if err := cache.CheckPrivate(filepath.Join(link, "cache")); err != nil {
		t.Errorf("CheckPrivate = %v behind a private link", err)
	}
	if err := os.Chmod(filepath.Join(base, "links"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := cache.CheckPrivate(filepath.Join(link, "cache")); err == nil {
		t.Error("CheckPrivate = nil; want an error: others can put another link in its place")
	}
}
