package cli_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Ctrl+C ends pith backup --watch between two runs.
func TestInterruptedWatch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent to a process there")
	}
	home := t.TempDir()
	file := filepath.Join(home, ".claude", "projects", "-p", "a.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "pith", "backup", "--watch", "--interval", "100h")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "CLAUDE_CONFIG_DIR=")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "1 file copied") {
		t.Errorf("first run: %q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != 130 {
		t.Errorf("ended with %v, want exit code 130", err)
	}
}

// A data directory that cannot be written to is an error in one line, and the
// originals are not touched.
func TestBackupWithoutRoom(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, ".claude", "projects", "-p", "a.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "pith"), nil, 0o600); err != nil { // where the directory would be
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "pith", "backup")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "CLAUDE_CONFIG_DIR=")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "not a directory") {
		t.Errorf("%v: %q", err, out)
	}
}
