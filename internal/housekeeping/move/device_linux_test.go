package move_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/storetest"
)

// A session moves with its artifacts, and the sessions in them, to a directory
// on another device.
func TestMoveAcrossDevices(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	dir := strings.TrimSuffix(path, ".jsonl")
	inner := filepath.Join(dir, "run-0", "session.jsonl")
	h.write(inner, h.content(path))
	h.write(filepath.Join(dir, "a.txt"), "made\n")
	want := strings.Replace(h.content(path), quoted(h.at("old")), quoted(h.at("new")), 1)
	if err := os.Symlink(storetest.Disk(t, "256k"), filepath.Join(h.root, format.ProjectDir(h.at("new")))); err != nil {
		t.Fatal(err)
	}
	done := h.apply(h.plan("old", "new"))
	if len(done) != 2 {
		t.Errorf("%d sessions moved; want two", len(done))
	}
	for _, d := range done {
		if d.Err != nil {
			t.Errorf("%s: %v", d.Session.Path, d.Err)
		}
	}
	to := h.in("new", path)
	for _, file := range []string{to, filepath.Join(strings.TrimSuffix(to, ".jsonl"), "run-0", "session.jsonl")} {
		if got := h.content(file); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", file, got, want)
		}
	}
	if got := h.content(filepath.Join(strings.TrimSuffix(to, ".jsonl"), "a.txt")); got != "made\n" {
		t.Errorf("the artifact is %q", got)
	}
	for _, old := range []string{path, dir} {
		if _, err := os.Lstat(old); !os.IsNotExist(err) {
			t.Errorf("Lstat(%s) = %v; want that it is gone", old, err)
		}
	}
}
