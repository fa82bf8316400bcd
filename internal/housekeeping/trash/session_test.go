package trash_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

const oneSession = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.000Z","cwd":"/p"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T22:52:06.000Z","message":{"role":"user","content":"one"}}
`

func TestSessionGoesAndComesBack(t *testing.T) {
	path := newFile(t, filepath.Join(t.TempDir(), "s.jsonl"), oneSession)
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
	gone, err := trash.Put(path, o)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if list, err := trash.List(o); err != nil || len(list) != 1 || list[0].Path != path {
		t.Errorf("List() = %v, %v", list, err)
	}
	back, err := trash.Restore(gone.ID, o)
	if err != nil || back != path {
		t.Errorf("Restore = %q, %v", back, err)
	}
	isAt(t, path, oneSession)
}

func TestDefaultIsInTheDataFolder(t *testing.T) {
	data := t.TempDir()
	o, err := trash.Default(sessiondir.Environment{Home: t.TempDir(), Getenv: func(name string) string {
		return map[string]string{"XDG_DATA_HOME": data}[name]
	}})
	if want := filepath.Join(data, "pith", "trash"); err != nil || o.Dir != want || o.Command == "" {
		t.Errorf("Default = %+v, %v; want the folder %s", o, err, want)
	}
}
