package cli_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The command line that starts a browser, which other users of the machine can read,
// has no token.
func TestBrowserIsStartedWithoutToken(t *testing.T) {
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	if err := errors.Join(syscall.Mkfifo(seen, 0o600),
		os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$*\" > "+seen+"\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "pith", "serve", "--open")
	cmd.Env = []string{"HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH"), "DISPLAY=:0", "GORACE=" + atOnce}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base, token, ok := strings.Cut(strings.TrimSpace(line), "#")
	if err != nil || !ok {
		t.Fatalf("pith serve prints %q, %v", line, err)
	}
	address, err := os.ReadFile(seen)
	if err != nil || strings.Contains(string(address), token) || !strings.HasPrefix(string(address), base+"#once-") {
		t.Errorf("the browser is started with %q, %v; want %s and no token", address, err, base)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
