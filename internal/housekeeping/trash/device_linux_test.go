package trash_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store/storetest"
)

func TestAcrossDevices(t *testing.T) {
	o := trash.Options{Dir: filepath.Join(storetest.Disk(t, "64k"), "trash")}
	path := newFile(t, filepath.Join(t.TempDir(), "log.jsonl"), "content\n")
	r := put(t, path, o)
	isGone(t, path)
	isAt(t, filepath.Join(o.Dir, r.ID, "log.jsonl"), "content\n")
	newFile(t, path, "in the way\n")
	if _, err := trash.Restore(r.ID, o); !errors.Is(err, os.ErrExist) {
		t.Errorf("Restore where something is = %v; want ErrExist", err)
	}
	isAt(t, path, "in the way\n")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")
	lists(t, o)
}

// A trash directory without enough space: the file stays where it is.
func TestFullTrash(t *testing.T) {
	dir := storetest.Disk(t, "64k")
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	content := string(make([]byte, 100_000))
	path := newFile(t, filepath.Join(t.TempDir(), "log.jsonl"), content)
	if r, err := trash.Put(path, o); !errors.Is(err, unix.ENOSPC) || r != (trash.Receipt{}) {
		t.Errorf("Put = %+v, %v; want ENOSPC", r, err)
	}
	isAt(t, path, content)
	lists(t, o)
	if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
		t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
	}
}

// A file that cannot be removed from where it is does not appear at a second
// place.
func TestFileThatCannotLeave(t *testing.T) {
	source := storetest.Disk(t, "64k")
	path := newFile(t, filepath.Join(source, "log.jsonl"), "content\n")
	storetest.MakeReadOnly(t, source)
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
	if r, err := trash.Put(path, o); !errors.Is(err, unix.EROFS) || r != (trash.Receipt{}) {
		t.Errorf("Put = %+v, %v; want EROFS", r, err)
	}
	isAt(t, path, "content\n")
	if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
		t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
	}
}

func TestArtifactsAcrossDevices(t *testing.T) {
	o := trash.Options{Dir: filepath.Join(storetest.Disk(t, "64k"), "trash")}
	path, artifacts := newSession(t, t.TempDir())
	r := put(t, path, o)
	isGone(t, path)
	isGone(t, artifacts)
	hasArtifacts(t, filepath.Join(o.Dir, r.ID, stem))
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")
	hasArtifacts(t, artifacts)
	lists(t, o)
}

// Artifacts that cannot follow keep the session where it is.
func TestArtifactsThatCannotFollow(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"too large": func(t *testing.T, dir string) {
			newFile(t, filepath.Join(dir, "large.log"), string(make([]byte, 100_000)))
		},
		"no file": func(t *testing.T, dir string) {
			if err := unix.Mkfifo(filepath.Join(dir, "zz"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			o := trash.Options{Dir: filepath.Join(storetest.Disk(t, "64k"), "trash")}
			path, artifacts := newSession(t, t.TempDir())
			spoil(t, artifacts)
			if r, err := trash.Put(path, o); err == nil || r != (trash.Receipt{}) {
				t.Errorf("Put = %+v, %v; want an error", r, err)
			}
			isAt(t, path, "content\n")
			hasArtifacts(t, artifacts)
			lists(t, o)
			if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
				t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
			}
		})
	}
}
