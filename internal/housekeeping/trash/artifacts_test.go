package trash_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

const (
	stem  = "2026-02-03T22-52-06-410Z_019c0000-0000-7000-8000-00000000a001"
	child = "9f3a/run-0/session.jsonl"
)

// newSession makes a file with artifacts in a directory and returns both paths.
func newSession(t *testing.T, dir string) (path, artifacts string) {
	t.Helper()
	artifacts = filepath.Join(dir, stem)
	newFile(t, filepath.Join(artifacts, filepath.FromSlash(child)), "child\n")
	newFile(t, filepath.Join(artifacts, "Explore.md"), "output\n")
	if err := os.Symlink("Explore.md", filepath.Join(artifacts, "latest")); err != nil {
		t.Fatal(err)
	}
	return newFile(t, artifacts+".jsonl", "content\n"), artifacts
}

// hasArtifacts checks that the artifacts of newSession are in a directory,
// complete.
func hasArtifacts(t *testing.T, dir string) {
	t.Helper()
	isAt(t, filepath.Join(dir, filepath.FromSlash(child)), "child\n")
	isAt(t, filepath.Join(dir, "Explore.md"), "output\n")
	if to, err := os.Readlink(filepath.Join(dir, "latest")); to != "Explore.md" || err != nil {
		t.Errorf("Readlink(latest) = %q, %v; want Explore.md", to, err)
	}
}

func TestArtifactsGoAlong(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path, artifacts := newSession(t, filepath.Join(dir, "sessions"))
	r := put(t, path, o)
	isGone(t, path)
	isGone(t, artifacts)
	if all := lists(t, o, r.ID); !r.Artifacts || len(all) == 1 && all[0] != r {
		t.Errorf("Put = %+v, List = %+v; want the same receipt, with artifacts", r, all)
	}

	// Nothing is overwritten, and nothing is restored partially.
	if err := os.Mkdir(artifacts, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Restore(r.ID, o); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), artifacts) {
		t.Errorf("Restore where the folder is taken = %v; want ErrExist and the folder", err)
	}
	isGone(t, path)
	if err := os.Remove(artifacts); err != nil {
		t.Fatal(err)
	}
	newFile(t, path, "in the way\n")
	if _, err := trash.Restore(r.ID, o); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Restore where the file is taken = %v; want ErrExist", err)
	}
	isGone(t, artifacts)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}

	// They follow the file to another place too.
	o.To = filepath.Join(dir, "back")
	if _, err := trash.Restore(r.ID, o); err == nil || !strings.Contains(err.Error(), "ends in .jsonl") {
		t.Errorf("Restore to a name without an extension = %v; want an error that says what to do", err)
	}
	o.To = filepath.Join(dir, "back.jsonl")
	if got, err := trash.Restore(r.ID, o); got != o.To || err != nil {
		t.Errorf("Restore = %q, %v; want %q", got, err, o.To)
	}
	isAt(t, o.To, "content\n")
	hasArtifacts(t, filepath.Join(dir, "back"))
	lists(t, o)
	if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
		t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
	}
}

// A directory next to a file is moved with it only if it can only belong to it.
func TestArtifactsName(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]bool{
		stem + ".jsonl": true, "2026-02-03T22-52-06-410Z_s1.jsonl": true,
		"project.jsonl": false, "my_project.jsonl": false, stem: false, stem + ".txt": false,
		"2026-02-03T22-52-06-410Z_.jsonl": false, "2026-02-33T22-52-06-410Z_s1.jsonl": false, "2026_s1.jsonl": false,
	} {
		path := filepath.Join(dir, name)
		folder := strings.TrimSuffix(path, filepath.Ext(path))
		if got, ok := trash.Artifacts(path); ok {
			t.Errorf("Artifacts(%s) = %q, true; want false while there is no folder", name, got)
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if got, ok := trash.Artifacts(path); ok != want || ok && got != folder {
			t.Errorf("Artifacts(%s) = %q, %t; want %q, %t", name, got, ok, folder, want)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
}

// A crash between the steps: the session is restored, and with it what there is.
func TestArtifactsBrokenOff(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path, artifacts := newSession(t, dir)
	r := put(t, path, o)
	if err := os.Rename(filepath.Join(o.Dir, r.ID, stem), artifacts); err != nil {
		t.Fatal(err)
	}
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")
	hasArtifacts(t, artifacts)
	lists(t, o)
}
