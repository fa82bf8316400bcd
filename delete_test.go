package pith_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
)

func TestDeleteAndRestore(t *testing.T) {
	text := head + line("a", "", "user", "one")
	path := write(t, text)
	bin := pith.Trash{Dir: filepath.Join(t.TempDir(), "trash")}
	gone, err := bin.Delete(path)
	if err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if list, err := bin.List(); err != nil || len(list) != 1 || list[0].Path != path {
		t.Errorf("List() = %v, %v", list, err)
	}
	back, err := bin.Restore(gone.ID, "")
	if err != nil || back != path || read(t, path) != text {
		t.Errorf("Restore = %q, %v", back, err)
	}
	other := filepath.Join(t.TempDir(), "notes.jsonl")
	if err := os.WriteFile(other, []byte("not a session\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := bin.Delete(other); !errors.Is(err, pith.ErrNotSession) {
		t.Errorf("Delete of something else = %v, want ErrNotSession", err)
	}
}
