package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A server that receives a signal closes its sessions, which records a moved
// leaf (pitfall 38).
func TestSignalEndsInGoodOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent to a process there")
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			file := filepath.Join(sessionsCopy(t), "talk.jsonl")
			cmd := exec.CommandContext(t.Context(), "pith", "rpc")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			cmd.Stderr = &told
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			replies := bufio.NewScanner(out)
			ask := func(request string) {
				if _, err := in.Write([]byte(request + "\n")); err != nil {
					t.Fatal(err)
				}
				if !replies.Scan() || strings.Contains(replies.Text(), `"error"`) {
					t.Fatalf("%s was answered with %q", request, replies.Text())
				}
			}
			ask(`{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"` + file + `"}}`)
			ask(`{"jsonrpc":"2.0","id":2,"method":"branch","params":{"session":"s1","entryId":"aa000006"}}`)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 128+int(sig) || told.Len() > 0 {
				t.Errorf("pith rpc after %v: %v, %q; want exit code %d and no words", sig, err, told.String(), 128+int(sig))
			}
			data, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(data), `"pith/leaf"`) {
				t.Errorf("the moved position was not recorded (%v)", err)
			}
		})
	}
}

// Many processes that append concurrently lose nothing, and by default none
// hides entries of another: the conversation stays one chain (pitfall 165).
func TestManyAppend(t *testing.T) {
	const writers, each = 4, 8
	file := filepath.Join(sessionsCopy(t), "compacted.jsonl")
	var d desk
	before := showFacts(t, &d, file)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				out, err := exec.CommandContext(t.Context(), "pith", "append", file, fmt.Sprintf("from %d, number %d", w, i)).CombinedOutput()
				if err != nil {
					t.Errorf("pith append = %v, %s", err, out)
				}
			}
		})
	}
	all.Wait()
	after := showFacts(t, &d, file)
	if after.Entries != before.Entries+writers*each || after.Branches != before.Branches || len(after.Lines) != after.Entries {
		t.Errorf("after %d appends by %d processes: %d entries, %d branches, %d on the path; before: %d, %d",
			writers*each, writers, after.Entries, after.Branches, len(after.Lines), before.Entries, before.Branches)
	}
}

type shown struct {
	Entries  int
	Branches int
	Lines    []any
}

func showFacts(t *testing.T, d *desk, file string) (s shown) {
	t.Helper()
	_, stdout, stderr := d.run(t, "show", file, "--json")
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatalf("pith show --json: %v, %s", err, stderr)
	}
	return s
}

// Output that cannot be written is an error, reported in one line.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("this system has no /dev/full: %v", err)
	}
	defer full.Close()
	for _, args := range [][]string{{"show"}, {"tree"}, {"show", "--json", "--all-branches"}, {"context"}} {
		args = append(args, filepath.Join(sessionsCopy(t), "talk.jsonl"))
		cmd := exec.CommandContext(t.Context(), "pith", args...)
		var told strings.Builder
		cmd.Stdout, cmd.Stderr = full, &told
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("pith %q to a full disk: %v, want exit code 1", args, err)
		}
		if got := told.String(); !strings.HasPrefix(got, "pith: write output: ") || strings.Count(got, "\n") != 1 {
			t.Errorf("pith %q to a full disk told %q", args, got)
		}
	}
}
