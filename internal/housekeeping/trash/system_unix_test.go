//go:build unix

package trash_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// fakeTrash puts a command called trash on the PATH. In the script, $1 is the
// file and $BIN a directory for it.
func fakeTrash(t *testing.T, script string) (bin string) {
	t.Helper()
	dir := t.TempDir()
	bin = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "trash"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("BIN", bin)
	return bin
}

func TestSystemTrash(t *testing.T) {
	bin := fakeTrash(t, `test $# = 1 && mv "$1" "$BIN"`)
	t.Chdir(t.TempDir())
	newFile(t, "-rf.jsonl", "content\n")
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash"), Command: "trash"}
	r := put(t, "-rf.jsonl", o)
	if !r.System || r.Size != 8 {
		t.Errorf("Put = %+v; want a receipt of the system's trash", r)
	}
	isGone(t, "-rf.jsonl")
	isAt(t, filepath.Join(bin, "-rf.jsonl"), "content\n")
	if all := lists(t, o, r.ID); len(all) == 1 && all[0] != r {
		t.Errorf("List = %+v; want %+v", all[0], r)
	}
	if _, err := trash.Restore(r.ID, o); !errors.Is(err, trash.ErrSystem) {
		t.Errorf("Restore = %v; want ErrSystem", err)
	}
}

// Whatever a command reports: if the file is still there, pith's trash takes
// it.
func TestSystemTrashThatFails(t *testing.T) {
	for name, script := range map[string]string{
		"fails": "exit 1", "lies": "exit 0", "hangs": "exec sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			fakeTrash(t, script)
			dir := t.TempDir()
			o := trash.Options{Dir: filepath.Join(dir, "trash"), Command: "trash", CommandLimit: 100 * time.Millisecond}
			path := newFile(t, filepath.Join(dir, "log.jsonl"), "content\n")
			r := put(t, path, o)
			isGone(t, path)
			if r.System {
				t.Errorf("Put = %+v; want a receipt of pith's trash", r)
			}
			if _, err := trash.Restore(r.ID, o); err != nil {
				t.Errorf("Restore = %v; want nil", err)
			}
			isAt(t, path, "content\n")
		})
	}
}

func TestNoSystemTrash(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash"), Command: "pith-no-such-command"}
	if r := put(t, newFile(t, filepath.Join(dir, "log.jsonl"), "content\n"), o); r.System {
		t.Errorf("Put = %+v; want a receipt of pith's trash", r)
	}
}

// The receipt of a file that is written while it is moved is correct.
func TestGrowingFile(t *testing.T) {
	fakeTrash(t, `printf more >> "$1"`)
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash"), Command: "trash"}
	r := put(t, newFile(t, filepath.Join(dir, "log.jsonl"), "content\n"), o)
	if r.Size != 12 {
		t.Errorf("Put = %+v; want a size of 12", r)
	}
	if all := lists(t, o, r.ID); len(all) == 1 && all[0] != r {
		t.Errorf("List = %+v; want %+v", all[0], r)
	}
}

func TestPathThatIsNotUTF8(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("no file can have this name here")
	}
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path := newFile(t, filepath.Join(dir, "caf\xe9.jsonl"), "content\n")
	r := put(t, path, o)
	lists(t, o, r.ID)
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")
}

// The system's trash gets the artifacts too; if it rejects them, that is
// reported.
func TestSystemTrashOfArtifacts(t *testing.T) {
	bin := fakeTrash(t, `mv "$1" "$BIN"`)
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash"), Command: "trash"}
	path, artifacts := newSession(t, dir)
	if r := put(t, path, o); !r.System || !r.Artifacts {
		t.Errorf("Put = %+v; want a receipt of the system's trash, with artifacts", r)
	}
	isGone(t, artifacts)
	hasArtifacts(t, filepath.Join(bin, stem))

	fakeTrash(t, `test -f "$1" && mv "$1" "$BIN"`)
	path, artifacts = newSession(t, dir)
	r, err := trash.Put(path, o)
	if err == nil || !strings.Contains(err.Error(), artifacts) || !r.System {
		t.Errorf("Put = %+v, %v; want a receipt, and an error that names the artifacts", r, err)
	}
	isGone(t, path)
	hasArtifacts(t, artifacts)
}
