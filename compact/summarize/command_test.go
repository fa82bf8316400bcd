//go:build unix

package summarize_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
)

func run(t *testing.T, line string, o summarize.CommandOptions, p compact.Prompt) (string, error) {
	t.Helper()
	return summarize.Command(summarize.Shell(line), o).Summarize(t.Context(), p)
}

func TestCommandReadsAndWrites(t *testing.T) {
	dir := t.TempDir()
	p := promptOf(t, compact.LeftBranch, user("héllo"))
	p.Instructions = "mind the tests"
	text, err := run(t, `cat; printf '\n%s' "$PITH_SUMMARY"; pwd -P`, summarize.CommandOptions{Dir: dir}, p)
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"You summarize conversations", "\n\n<conversation>\n[User]: héllo\n</conversation>\n\nSummarize this branch", "\n\nAdditional focus: mind the tests\n\nbranch" + real} {
		if !strings.Contains(text, want) {
			t.Errorf("the command gets\n%s\nwant %q in it", text, want)
		}
	}
	if text, err := run(t, `printf ' \n summary \377\n\n'`, summarize.CommandOptions{}, p); err != nil || text != "summary \uFFFD" {
		t.Errorf("Summarize() = %q, %v; want the output without white space around it, as UTF-8", text, err)
	}
}

// A program that does not read its input is not at fault.
func TestCommandIgnoresInput(t *testing.T) {
	p := promptOf(t, compact.History, user(strings.Repeat("long ", 100_000)))
	if text, err := run(t, "echo done", summarize.CommandOptions{}, p); err != nil || text != "done" {
		t.Errorf("Summarize() = %q, %v; want done", text, err)
	}
}

// pitfall 110
func TestCommandFails(t *testing.T) {
	tests := map[string]struct {
		line string
		o    summarize.CommandOptions
		is   error
		says string
	}{
		"status":      {`echo half; printf '\n \033[31mno key\033[0m\nmore\n' >&2; exit 3`, summarize.CommandOptions{}, nil, `exit status 3: \x1b[31mno key\x1b[0m`},
		"empty":       {`echo reason >&2`, summarize.CommandOptions{}, compact.ErrEmptySummary, "reason"},
		"white space": {`printf '\n \n'`, summarize.CommandOptions{}, compact.ErrEmptySummary, ""},
		"no such":     {`pith-no-such-program`, summarize.CommandOptions{}, nil, "exit status 127"},
		"no folder":   {`echo x`, summarize.CommandOptions{Dir: "/no/such/folder"}, os.ErrNotExist, "the session's directory /no/such/folder is missing"},
		"too long":    {`while :; do echo more; done`, summarize.CommandOptions{MaxBytes: 1000}, nil, "more than 1000 bytes"},
		"too slow":    {`echo half; echo waiting >&2; while :; do sleep 1; done`, summarize.CommandOptions{Limit: 100 * time.Millisecond}, nil, "did not finish within 100ms: waiting"},
		"killed":      {`kill -9 $$`, summarize.CommandOptions{}, nil, "signal: killed"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := run(t, tt.line, tt.o, promptOf(t, compact.History, user("hello")))
			if text != "" || err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("Summarize() = %q, %v; want an error with %q that is harmless to a terminal", text, err, tt.says)
			}
		})
	}
	if _, err := summarize.Command(nil, summarize.CommandOptions{}).Summarize(t.Context(), promptOf(t, compact.History)); err == nil {
		t.Error("Summarize() without a command succeeded")
	}
}

// pitfall 114: to abort means to end the program and what it started.
func TestCommandIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	pids := filepath.Join(t.TempDir(), "pids")
	if err := syscall.Mkfifo(pids, 0o600); err != nil {
		t.Fatal(err)
	}
	started := make(chan int)
	go func() {
		data, _ := os.ReadFile(pids) // waits for the program
		pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		started <- pid
		cancel()
	}()
	// The child does not obey the first signal.
	line := `(trap '' TERM; while :; do sleep 1; done) & echo $! > ` + pids + `; echo half; wait`
	done := make(chan error, 1)
	go func() {
		_, err := summarize.Command(summarize.Shell(line), summarize.CommandOptions{}).Summarize(ctx, promptOf(t, compact.History, user("hello")))
		done <- err
	}()
	pid := <-started
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Summarize() after cancelling: %v, want %v", err, context.Canceled)
	}
	for range 6_000 { // a minute
		if syscall.Kill(pid, 0) != nil || isZombie(pid) {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Errorf("the process %d that the command started is still there", pid)
}

// isZombie reports whether a process has ended and was not waited for.
func isZombie(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(data), ") Z ")
}
