//go:build unix

package conformance_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

// Continuing skips anything else with a session's name without blocking
// (pitfall 48), and so does the search for an ID in use.
func TestContinuingBesideBadFiles(t *testing.T) {
	dir := t.TempDir()
	putSession(t, filepath.Join(dir, "good.jsonl"), "good", "/home/u/p", day(1), day(1))
	putSession(t, filepath.Join(dir, "secret.jsonl"), "secret", "/home/u/q", day(2), day(2))
	err := errors.Join(
		unix.Mkfifo(filepath.Join(dir, "pipe.jsonl"), 0o600),
		unix.Mkfifo(filepath.Join(dir, "x_taken.jsonl"), 0o600),
		os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.jsonl")),
		os.Symlink(filepath.Join(dir, "circle.jsonl"), filepath.Join(dir, "circle.jsonl")),
		os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700),
		os.WriteFile(filepath.Join(dir, "empty.jsonl"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "log.jsonl"), []byte(`{"level":"info"}`+"\n"), 0o600),
		os.Chmod(filepath.Join(dir, "secret.jsonl"), 0))
	if err != nil {
		t.Fatal(err)
	}
	s, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: "/home/u/p", Dir: dir})
	if err != nil || s.ID() != "good" {
		t.Fatalf("ContinueRecent = %v, %v; want the one good session", s, err)
	}
	s.Close()
	taken := createPith(t, "/home/u/p", pith.Options{Dir: dir, ID: "taken"})
	if _, err := taken.AppendMessage(t.Context(), format.NewUser("x", day(1))); !errors.Is(err, pith.ErrExists) {
		t.Errorf("an id whose file is a pipe = %v; want ErrExists, at once", err)
	}
}

// Processes that are given one id make one session of it (pitfall 67).
func TestProcessesWithOneID(t *testing.T) {
	dir := t.TempDir()
	const processes = 6
	results := make([]commandResult, processes)
	if _, err := builtCommand(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			results[i] = runPith(t, "--session-dir", dir, "new", "--cwd", os.TempDir(), "--id", "one", "--message", fmt.Sprint(i))
		})
	}
	wg.Wait()
	won := 0
	for _, r := range results {
		switch r.code {
		case 0:
			won++
		case 5:
			wantOneLineError(t, r, "exists")
		default:
			t.Errorf("exit code %d, stderr %q; want 0 or 5", r.code, r.stderr)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if won != 1 || len(files) != 1 || err != nil {
		t.Errorf("%d processes won and made %q, %v; want one and one file", won, files, err)
	}
}

// When a process that holds the lock dies, all waiters continue one after the
// other: there is no stale lock that two could break at the same time (pitfalls
// 162, 163).
func TestWaitersOfADeadHolder(t *testing.T) {
	path := sessionFile(t, sharedHead)
	holder := startActor(t, "lock", path)
	holder.next(t)
	const waiters, each = 4, 10
	said := make(chan string, waiters*each)
	var wg, waiting sync.WaitGroup
	for range waiters {
		s := openPith(t, path, pith.Options{OnConflict: pith.FollowNew, Store: filestore.New(filestore.Options{LockWait: time.Minute})})
		waiting.Add(1)
		wg.Go(func() {
			waiting.Done()
			for range each {
				id, err := s.AppendMessage(t.Context(), format.NewUser("waited", day(1)))
				if err != nil {
					t.Errorf("AppendMessage = %v; want nil", err)
				}
				said <- id
			}
		})
	}
	waiting.Wait()
	if len(said) != 0 || readFile(t, path) != sharedHead {
		t.Errorf("somebody wrote beside the holder of the lock")
	}
	holder.killAfter(t, 0)
	wg.Wait()
	close(said)
	var ids []string
	for id := range said {
		ids = append(ids, id)
	}
	wantOneChain(t, path, 2, ids)
}

// A server whose session cannot be closed well says so and ends nonetheless
// (pitfall 38).
func TestFailedFlushDoesNotPreventTheEnd(t *testing.T) {
	dir, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"end of input", "SIGTERM"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			path := sessionFile(t, sharedHead)
			cmd := exec.CommandContext(ctx, filepath.Join(dir, "pith"), "rpc")
			cmd.Env = []string{"HOME=" + t.TempDir()}
			var told strings.Builder
			cmd.Stderr = &told
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			replies := bufio.NewScanner(out)
			for _, request := range []string{
				`{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":"` + path + `"}}`,
				`{"jsonrpc":"2.0","id":2,"method":"branch","params":{"session":"s1","entryId":"aaaaaaa1"}}`,
			} {
				if _, err := fmt.Fprintln(in, request); err != nil {
					t.Fatal(err)
				}
				if !replies.Scan() || strings.Contains(replies.Text(), `"error"`) {
					t.Fatalf("%s was answered with %q", request, replies.Text())
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if how == "SIGTERM" {
				err = cmd.Process.Signal(unix.SIGTERM)
			} else {
				err = in.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			err = cmd.Wait()
			if ctx.Err() != nil || err == nil || !strings.Contains(told.String(), path) {
				t.Errorf("pith rpc ended with %v and said %q; want a failure that names the file, at once", err, told.String())
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("a file without a header was made (pitfall 31): %v", err)
			}
		})
	}
}
