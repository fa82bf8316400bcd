package pith_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A session that its program has open is held, however long it was silent.
func TestHeldOpen(t *testing.T) {
	text := string(format.AppendTitleSlot(nil, format.TitleSlot{Title: "T"})) + head + line("a", "", "user", "hello")
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now().AddDate(0, 0, 2)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	program := exec.Command("sleep", "600")
	program.Stdout = file
	if err := program.Start(); err != nil {
		t.Skip(err)
	}
	s := open(t, path, pith.Options{Now: func() time.Time { return now }})
	_, err = s.SetLabel("a", "here")
	_ = program.Process.Kill()
	_ = program.Wait()
	var held *pith.HeldError
	if !errors.As(err, &held) || held.Process != program.Process.Pid || read(t, path) != text {
		t.Errorf("SetLabel while process %d has the session open: %v; want that it is refused", program.Process.Pid, err)
	}
	if _, err := s.SetLabel("a", "here"); err != nil {
		t.Errorf("SetLabel when that has ended: %v", err)
	}
}
