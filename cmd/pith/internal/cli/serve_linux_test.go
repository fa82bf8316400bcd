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

	"github.com/pith-sessions/pith/store/storetest"
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

// A session that its agent has open is not moved to the trash: the agent would continue
// to write to the file there.
func TestRmOpenSession(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".omp", "agent", "sessions", "s.jsonl")
	text := `{"type":"session","version":3,"id":"held-1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n" +
		`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	storetest.HoldOpen(t, path)
	t.Setenv("PATH", "")
	d := desk{env: map[string]string{"XDG_DATA_HOME": filepath.Join(dir, "data")}}
	if code, _, stderr := d.run(t, "rm", "--yes", path); code != 5 || !strings.Contains(stderr, "oh-my-pi has it open") || !strings.HasSuffix(stderr, "; quit oh-my-pi first, or pass --ignore-open\n") {
		t.Errorf("pith rm = %d, %q; want 5", code, stderr)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("the session changed: %v", err)
	}
	if code, _, stderr := d.run(t, "rm", "--yes", "--ignore-open", path); code != 0 {
		t.Errorf("pith rm --ignore-open = %d, %q; want 0", code, stderr)
	}
}
