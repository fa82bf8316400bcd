package filestore_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store/filestore"
)

// A program that exits while it appends, after Freeze, leaves whole lines: the append
// in progress ends, and no other one begins. It runs in a process of its own, because
// nothing is written after Freeze.
func TestFreeze(t *testing.T) {
	path := os.Getenv("PITH_TEST_FREEZE")
	if path != "" {
		freezeAndExit(t, path)
	}
	path = filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestFreeze$")
	cmd.Env = append(os.Environ(), "PITH_TEST_FREEZE="+path)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(path)
	if want := strings.Repeat("x", 1<<10) + "\n"; err != nil || string(got) != want {
		t.Errorf("the file has %d bytes, %v; want the %d of the first append", len(got), err, len(want))
	}
}

// freezeAndExit appends lines, the first one in two writes, and freezes between these.
func freezeAndExit(t *testing.T, path string) {
	line := []byte(strings.Repeat("x", 1<<10) + "\n")
	begun := make(chan struct{})
	halves := script{func(f *os.File, p []byte) (int, error) {
		n, err := half(f, p)
		close(begun)
		for !filestore.Freezing() {
			runtime.Gosched()
		}
		return n, err
	}}
	log, err := filestore.New(filestore.Options{}).WithWrite(halves.write).Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for at := int64(0); ; at += int64(len(line)) {
			if _, err := log.Append(t.Context(), at, line); err != nil {
				t.Error(err)
			}
		}
	}()
	<-begun
	filestore.Freeze()
	os.Exit(130)
}
