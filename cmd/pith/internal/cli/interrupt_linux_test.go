//go:build !race

package cli_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Ctrl+C ends a command in the middle of its writing. Nothing half-written is
// left where it would be used: sessions keep their bytes, there is no output
// file, and the next run of the command succeeds.
func TestInterruptEndsWriting(t *testing.T) {
	const session = "2026-02-03T10-00-00-000Z_hostile.jsonl"
	line := `{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"` + strings.Repeat("plain words and nothing else ", 100) + `"}}` + "\n"
	var text strings.Builder
	text.WriteString(strings.ReplaceAll(hostileHead, `"a1"`, `"00000000"`))
	for i := range 30_000 {
		fmt.Fprintf(&text, line, i+1, i)
	}
	text.WriteString(`{"type":"message","id":"torn`) // what doctor repairs
	claude := strings.NewReplacer(`"type":"message","id":`, `"type":"user","sessionId":"c1","cwd":"/p","uuid":`, `"parentId"`, `"parentUuid"`).Replace(text.String())
	tests := map[string]struct {
		args   []string
		before int64  // bytes that it reads before the signal
		output string // that must not exist
		again  []string
	}{
		"export":       {args: []string{"export", "DIR/" + session, "-o", "DIR/out.html", "--yes"}, before: int64(text.Len()) + 16<<20, output: "out.html"},
		"doctor --fix": {args: []string{"doctor", "--fix", "DIR/" + session}, before: 16 << 20, output: session + ".old.bak"},
		"index":        {args: []string{"doctor", "--reindex", "--session-dir", "DIR"}, before: int64(text.Len()) + 16<<20, again: []string{"search", "plain", "--session-dir", "DIR"}},
		"fork":         {args: []string{"fork", "DIR/" + session, "--into", "DIR"}, before: 16 << 20},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir, home := t.TempDir(), t.TempDir()
			file := filepath.Join(dir, session)
			original := filepath.Join(home, ".claude", "projects", "-p", "c1.jsonl")
			if err := os.MkdirAll(filepath.Dir(original), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.WriteFile(file, []byte(text.String()), 0o600), os.WriteFile(original, []byte(claude), 0o600)); err != nil {
				t.Fatal(err)
			}
			cmd := pithIn(t, home, dir, tt.args)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for readBy(t, cmd.Process.Pid) < tt.before {
			}
			wantInterrupted(t, cmd)
			if got, err := os.ReadFile(file); err != nil || sha256.Sum256(got) != sha256.Sum256([]byte(text.String())) {
				t.Errorf("the session was changed (%v)", err)
			}
			if _, err := os.Stat(filepath.Join(dir, tt.output)); tt.output != "" && err == nil {
				t.Errorf("%s exists", tt.output)
			}
			if sessions, err := filepath.Glob(filepath.Join(home, ".pi", "agent", "sessions", "*", "*.jsonl")); err != nil || len(sessions) > 0 {
				t.Errorf("there are %q, %v; want no half session", sessions, err)
			}
			if tt.again != nil {
				if out, err := pithIn(t, home, dir, tt.again).CombinedOutput(); err != nil {
					t.Errorf("afterwards, pith %q: %v, %s", tt.again, err, out)
				}
			}
		})
	}
}

// Ctrl+C ends an append that waits for a program that holds the lock.
func TestInterruptEndsWaiting(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "held.jsonl")
	if err := os.WriteFile(path, []byte(hostileHead), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"append", "DIR/held.jsonl", "more"}, {"name", "DIR/held.jsonl", "other"}, {"label", "DIR/held.jsonl", "a1", "x"}} {
		cmd := pithIn(t, t.TempDir(), dir, args)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for !hasOpen(cmd.Process.Pid, path) {
		}
		wantInterrupted(t, cmd)
		if got, err := os.ReadFile(path); err != nil || string(got) != hostileHead {
			t.Errorf("pith %q, interrupted: the file is %q, %v", args, got, err)
		}
	}
}

// pithIn returns a command that is killed if it takes far too long. DIR in the
// arguments is dir.
func pithIn(t *testing.T, home, dir string, args []string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	args = append([]string{}, args...)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "DIR", dir)
	}
	cmd := exec.CommandContext(ctx, "pith", args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home, "PITH_SESSION_DIR=", "PI_CODING_AGENT_DIR=")
	cmd.Dir = dir
	return cmd
}

// wantInterrupted sends Ctrl+C to a running command and checks that it ends
// because of it.
func wantInterrupted(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Errorf("pith %q, interrupted: %v; want exit code 130", cmd.Args[1:], err)
	}
}

// hasOpen reports whether a process has a file open.
func hasOpen(pid int, path string) bool {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return false
	}
	for _, fd := range open {
		if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); err == nil && target == path {
			return true
		}
	}
	return false
}
