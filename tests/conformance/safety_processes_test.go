//go:build unix

package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// sharedHead begins the sessions that several processes write to: an answer of
// the assistant is in them, without which old releases of pi write nothing.
const sharedHead = `{"type":"session","version":3,"id":"5a0b3f6e-shared","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"hello","timestamp":1770159127000}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1770159128000}}
`

// Processes that append to one session concurrently: every acknowledged message
// is there once, on its own line, and on the one path; no history is hidden
// (pitfalls 24, 161, 165, 166).
func TestProcessesOnOneSession(t *testing.T) {
	tests := []struct {
		processes int
		policy    string
		old       bool // the file is of version 1 when they begin
	}{
		{2, "follow", false},
		{4, "follow", false},
		{2, "refuse", false},
		{4, "refuse", false},
		{3, "follow", true},
		{3, "refuse", true},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d %s old=%t", tt.processes, tt.policy, tt.old), func(t *testing.T) {
			const each = 400
			text, before := sharedHead, 2
			if tt.old {
				text, before = oldSession(300), 300
			}
			path := sessionFile(t, text)
			var actors []*actor
			for range tt.processes {
				a := startActor(t, "go on", path, tt.policy, fmt.Sprint(each), "mixed")
				a.next(t)
				actors = append(actors, a)
			}
			for _, a := range actors { // all have the file open
				a.release(t)
			}
			var acknowledged []string
			refused := 0
			for _, a := range actors {
				lines := a.rest(t)
				var n int
				if _, err := fmt.Sscanf(lines[len(lines)-1], "refused %d", &n); err != nil {
					t.Fatalf("the last line is %q: %v", lines[len(lines)-1], err)
				}
				refused += n
				own := firstWords(lines[:len(lines)-1])
				wantInOrder(t, path, own)
				acknowledged = append(acknowledged, own...)
			}
			if tt.policy == "refuse" && refused < tt.processes-1 {
				t.Errorf("%d appends were refused; all but the first process began at an old end", refused)
			}
			wantOneChain(t, path, before, acknowledged)
			t.Logf("%d messages, refused %d times", len(acknowledged), refused)
		})
	}
}

// wantInOrder checks that a process's messages are on the path in the order in
// which it wrote them.
func wantInOrder(t *testing.T, path string, own []string) {
	t.Helper()
	position := map[string]int{}
	for i, id := range leafPath(t, reopen(t, path)) {
		position[id] = i + 1
	}
	at := 0
	for _, id := range own {
		next := position[id]
		if next <= at {
			t.Fatalf("entry %s is number %d of the path, the one that its process wrote before is number %d", id, next, at)
		}
		at = next
	}
}

// wantOneChain checks that a file holds before entries and then the
// acknowledged ones, each on one whole line, all on one path.
func wantOneChain(t *testing.T, path string, before int, acknowledged []string) {
	t.Helper()
	lines := idsByLine(t, path)
	slices.Sort(acknowledged)
	written := slices.Sorted(slices.Values(lines[1+before:]))
	if !slices.Equal(written, acknowledged) {
		t.Errorf("%d lines were added; want the %d acknowledged entries, each once", len(written), len(acknowledged))
	}
	s := reopen(t, path)
	ids := leafPath(t, s)
	if !slices.Equal(ids, lines[1:]) || len(s.Findings()) != 0 {
		t.Errorf("the path has %d of %d entries, findings %v; want all in file order, and none", len(ids), len(lines)-1, s.Findings())
	}
}

// idsByLine returns the id of every line of a session file, the header's
// included. A line that is not one whole record fails the test.
func idsByLine(t *testing.T, path string) []string {
	t.Helper()
	data := readFile(t, path)
	if !strings.HasSuffix(data, "\n") {
		t.Fatalf("the file does not end with a newline")
	}
	var out []string
	for line := range strings.Lines(data) {
		var record struct{ ID string }
		if err := json.Unmarshal([]byte(line), &record); err != nil || record.ID == "" {
			t.Fatalf("line %d is %.100q: %v; want a whole record", len(out)+1, line, err)
		}
		out = append(out, record.ID)
	}
	return out
}

// A process that is stopped between its appends does not block other writers,
// and continues after them when it resumes (pitfalls 162, 164).
func TestStoppedProcess(t *testing.T) {
	path := sessionFile(t, sharedHead)
	a := startActor(t, "go on", path, "follow", "1", "small")
	a.next(t)
	a.signal(t, unix.SIGSTOP)
	s := hurriedSession(t, path)
	first := sayNext(t, s)
	a.signal(t, unix.SIGCONT)
	a.release(t)
	acknowledged := firstWords(a.rest(t))
	wantOneChain(t, path, 2, []string{first, acknowledged[0]})
}

// A process that holds the lock is named to waiters, whether it runs or is
// stopped. When it is killed, the lock is free immediately (pitfalls 161, 162).
// Reading needs no lock.
func TestKilledLockHolder(t *testing.T) {
	path := sessionFile(t, sharedHead)
	holder := startActor(t, "lock", path)
	holder.next(t)
	s := hurriedSession(t, path)
	for _, state := range []os.Signal{unix.SIGCONT, unix.SIGSTOP} {
		holder.signal(t, state)
		_, err := s.AppendMessage(t.Context(), format.NewUser("hello", time.UnixMilli(1_770_000_000_000)))
		if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), path) {
			t.Errorf("AppendMessage beside a holder that got %v = %v; want ErrLocked, and the file", state, err)
		}
		if who := fmt.Sprint("process ", holder.cmd.Process.Pid); err != nil && systemTellsOf(t, holder, path) && !strings.Contains(err.Error(), who+" ") {
			t.Errorf("AppendMessage beside %s = %v; want it named", who, err)
		}
		if s.View().Len() != 2 || s.LeafID() != "aaaaaaa2" || readFile(t, path) != sharedHead {
			t.Errorf("after the refusal: %d entries, leaf %q; want 2, aaaaaaa2, and the file as it was", s.View().Len(), s.LeafID())
		}
	}
	if got := reopen(t, path).View().Len(); got != 2 {
		t.Errorf("a reader beside the holder found %d entries, want 2", got)
	}
	holder.killAfter(t, 0)
	wantOneChain(t, path, 2, []string{sayNext(t, s)})
}

// systemTellsOf reports whether this system says that a process holds the lock of
// a file. Some do not at all, and some call the file's device by another number.
func systemTellsOf(t *testing.T, holder *actor, path string) bool {
	t.Helper()
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return false
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	device := uint64(st.Dev)
	return strings.Contains(string(locks), fmt.Sprintf(" %d %02x:%02x:%d ", holder.cmd.Process.Pid, unix.Major(device), unix.Minor(device), st.Ino))
}

// hurriedSession opens a session whose appends wait for a lock for a moment only.
func hurriedSession(t *testing.T, path string) *pith.Session {
	t.Helper()
	return openPith(t, path, pith.Options{
		OnConflict: pith.FollowNew,
		Store:      filestore.New(filestore.Options{LockWait: 50 * time.Millisecond}),
	})
}
