package pith_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
)

// beginWriting starts a program that has the file open for writing, until the test ends.
func beginWriting(t *testing.T, path string) *exec.Cmd {
	t.Helper()
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
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	return program
}

// The holder of a session is checked again every five seconds, and when the
// clock was set back: a program that opens it in between is noticed then.
func TestHeldIsAskedAgain(t *testing.T) {
	path := fileIn(t, ".atomic", head+line("a", "", "user", "hello"))
	now := time.Now().AddDate(0, 0, 2)
	s := open(t, path, pith.Options{Now: func() time.Time { return now }})
	if _, err := s.SetLabel(t.Context(), "a", "one"); err != nil {
		t.Fatal(err)
	}
	beginWriting(t, path)
	asked := now
	for _, tt := range []struct {
		since time.Duration
		held  bool
	}{{0, false}, {5*time.Second - 1, false}, {5 * time.Second, true}, {-1, true}} {
		now = asked.Add(tt.since)
		var held *pith.HeldError
		if _, err := s.SetLabel(t.Context(), "a", "two"); errors.As(err, &held) != tt.held {
			t.Errorf("SetLabel %v after it was asked: %v, want that it is held: %t", tt.since, err, tt.held)
		}
	}
}

// A program that wrote is taken to have the session for a quarter of an hour, and one
// whose clock goes before ours too.
func TestHeldForAWhile(t *testing.T) {
	const most = 15 * time.Minute
	for ago, want := range map[time.Duration]bool{0: true, most - 1: true, most: false, 1 - most: true, -most: false} {
		path := fileIn(t, ".omp", head+line("a", "", "user", "hello"))
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		s := open(t, path, pith.Options{Now: func() time.Time { return info.ModTime().Add(ago) }})
		var held *pith.HeldError
		if err := s.Held(t.Context()); errors.As(err, &held) != want {
			t.Errorf("%v after its program wrote: %v, want that it is held: %t", ago, err, want)
		}
	}
}

// A session that its program has open is held, however long it was silent.
func TestHeldOpen(t *testing.T) {
	text := head + line("a", "", "user", "hello")
	path := fileIn(t, ".atomic", text)
	now := time.Now().AddDate(0, 0, 2)
	program := beginWriting(t, path)
	s := open(t, path, pith.Options{Now: func() time.Time { return now }})
	_, err := s.SetLabel(t.Context(), "a", "here")
	_ = program.Process.Kill()
	_ = program.Wait()
	var held *pith.HeldError
	if !errors.As(err, &held) || held.Process != program.Process.Pid || read(t, path) != text {
		t.Errorf("SetLabel while process %d has the session open: %v; want that it is refused", program.Process.Pid, err)
	}
	if _, err := s.SetLabel(t.Context(), "a", "here"); err != nil {
		t.Errorf("SetLabel when that has ended: %v", err)
	}
}
