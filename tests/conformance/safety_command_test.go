//go:build unix

package conformance_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// builtCommand returns the directory with the built pith command.
var builtCommand = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pith-command-")
	if err != nil {
		return "", err
	}
	const most = 5 * time.Minute
	ctx, stop := context.WithTimeoutCause(context.Background(), most, fmt.Errorf("not built in %v", most))
	defer stop()
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "pith"), "../../cmd/pith")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released, and compiled already
	out, err := build.CombinedOutput()
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("build the pith command: %w: %s", cmp.Or(context.Cause(ctx), err), out)
	}
	commandFolder = dir
	return dir, nil
})

var commandFolder string

// removePithCommand removes what builtCommand made, when the tests are over.
func removePithCommand() {
	if commandFolder != "" {
		os.RemoveAll(commandFolder)
	}
}

// A commandResult is how a run of pith ended.
type commandResult struct {
	stdout, stderr string
	code           int
}

// runPith runs the pith command as a process, with its own home directory.
func runPith(t *testing.T, args ...string) commandResult {
	t.Helper()
	return pithReading(t, "", args...)
}

// pithReading is runPith with something to read on its standard input.
func pithReading(t *testing.T, input string, args ...string) commandResult {
	t.Helper()
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "pith"), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	err = cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("pith %q: %v", args, err)
	}
	return commandResult{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// wantOneLineError checks that pith failed with one line that says why.
func wantOneLineError(t *testing.T, r commandResult, says string) {
	t.Helper()
	if r.code == 0 || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, says) {
		t.Errorf("pith: exit code %d, stdout %q, stderr %q; want a failure, nothing, and one line that says %q", r.code, r.stdout, r.stderr, says)
	}
}
