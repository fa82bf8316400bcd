package trash_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/storetest"
)

// copyOf copies a file or a directory, as a process that was killed before it
// removed the original did.
func copyOf(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		if err := artifacts.Copy(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
		return
	}
	begunCopy(t, from, to)
	if err := errors.Join(os.Chmod(to, info.Mode()), os.Chtimes(to, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
}

// begunCopy copies a file, without its mode and time.
func begunCopy(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A Restore from another file system that was killed at any step is completed by
// the next one.
func TestRestoreAgainAfterKill(t *testing.T) {
	steps := map[string]func(t *testing.T, folder, path, dir string){
		"half of the artifacts": func(t *testing.T, _, _, dir string) {
			newFile(t, filepath.Join(filepath.Dir(dir), ".pith-tmp-KILLED", "run1", "half"), "x")
		},
		"artifacts": func(t *testing.T, folder, _, dir string) {
			copyOf(t, filepath.Join(folder, stem), dir)
		},
		"artifacts, and half of the originals gone": func(t *testing.T, folder, _, dir string) {
			copyOf(t, filepath.Join(folder, stem), dir)
			if err := os.RemoveAll(filepath.Join(folder, stem, "run1")); err != nil {
				t.Fatal(err)
			}
		},
		"a backup": func(t *testing.T, folder, path, _ string) {
			copyOf(t, store.BackupName(filepath.Join(folder, filepath.Base(path)), 0), store.BackupName(path, 0))
		},
		"the file": func(t *testing.T, folder, path, dir string) {
			copyOf(t, filepath.Join(folder, stem), dir)
			if err := os.RemoveAll(filepath.Join(folder, stem)); err != nil {
				t.Fatal(err)
			}
			begunCopy(t, filepath.Join(folder, filepath.Base(path)), path)
		},
		"all but the receipt": func(t *testing.T, folder, path, dir string) {
			copyOf(t, filepath.Join(folder, stem), dir)
			copyOf(t, store.BackupName(filepath.Join(folder, filepath.Base(path)), 0), store.BackupName(path, 0))
			copyOf(t, filepath.Join(folder, filepath.Base(path)), path)
			for _, name := range []string{stem, filepath.Base(path), filepath.Base(store.BackupName(path, 0))} {
				if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
	for name, killed := range steps {
		t.Run(name, func(t *testing.T) {
			o := trash.Options{Dir: filepath.Join(storetest.Disk(t, "256k"), "trash")}
			path, dir := newSession(t, t.TempDir())
			backup := newFile(t, store.BackupName(path, 0), "before\n")
			r := put(t, path, o)
			killed(t, filepath.Join(o.Dir, r.ID), path, dir)
			if got, err := trash.Restore(r.ID, o); got != path || err != nil {
				t.Fatalf("Restore = %q, %v; want %q", got, err, path)
			}
			isAt(t, path, "content\n")
			isAt(t, backup, "before\n")
			hasArtifacts(t, dir)
			isGone(t, store.BackupName(path, 1))
			lists(t, o)
			if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
				t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
			}
		})
	}
}

// A Put that was killed makes no second item when it is repeated.
func TestPutAgainAfterKill(t *testing.T) {
	for name, killed := range map[string]func(t *testing.T, file, path string){
		"before the file": func(t *testing.T, file, path string) {
			copyOf(t, file, path)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		},
		"between copy and original": func(t *testing.T, file, path string) { copyOf(t, file, path) },
	} {
		t.Run(name, func(t *testing.T) {
			o := trash.Options{Dir: filepath.Join(storetest.Disk(t, "256k"), "trash")}
			path := newFile(t, filepath.Join(t.TempDir(), "log.jsonl"), "content\n")
			r := put(t, path, o)
			killed(t, filepath.Join(o.Dir, r.ID, "log.jsonl"), path)
			again := put(t, path, o)
			if again.ID != r.ID {
				t.Errorf("items %s and %s; want one", r.ID, again.ID)
			}
			lists(t, o, again.ID)
			isGone(t, path)
			isAt(t, filepath.Join(o.Dir, r.ID, "log.jsonl"), "content\n")
		})
	}
}

// Deleting an item permanently deletes what a killed Put left behind.
func TestPurgeAfterKilledPut(t *testing.T) {
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
	path, dir := newSession(t, t.TempDir())
	backup := newFile(t, store.BackupName(path, 0), "before\n")
	r := put(t, path, o)
	folder := filepath.Join(o.Dir, r.ID)
	for from, to := range map[string]string{filepath.Join(folder, stem): dir, filepath.Join(folder, filepath.Base(backup)): backup} {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := trash.Purge(r.ID, o); err != nil {
		t.Fatal(err)
	}
	isGone(t, dir)
	isGone(t, backup)
	lists(t, o)
}
