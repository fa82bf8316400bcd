package move_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
)

// moving is the environment variable that makes TestKilledMove the process that
// is killed; it holds the directory of its house.
const moving = "PITH_TEST_MOVING"

// Wherever a move is killed, the same command continues: each session exists
// once, in its new place, complete.
func TestKilledMove(t *testing.T) {
	if dir := os.Getenv(moving); dir != "" {
		h := &house{t: t, dir: dir, root: filepath.Join(dir, "agent", "sessions")}
		if err := h.plan("old", "new").Apply(t.Context(), func(move.Done) { fmt.Println("one") }); err != nil {
			t.Fatal(err)
		}
		return
	}
	const sessions = 6
	for kill := range sessions {
		h := newHouse(t)
		want := map[string]string{}
		for range sessions {
			path := h.session("old", "")
			h.write(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "a.txt"), "made\n")
			want[h.in("new", path)] = strings.Replace(h.content(path), quoted(h.at("old")), quoted(h.at("new")), 1)
		}
		h.killMove(kill)
		for _, d := range h.apply(h.plan("old", "new")) {
			if d.Err != nil {
				t.Errorf("killed after %d sessions, the same command says of %s: %v", kill, d.Session.Path, d.Err)
			}
		}
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), h.options()))
		if err != nil || len(infos) != sessions {
			t.Errorf("killed after %d sessions: there are %d, %v; want %d", kill, len(infos), err, sessions)
		}
		for path, text := range want {
			if got := h.content(path); got != text {
				t.Errorf("killed after %d sessions, %s is\n%s\nwant\n%s", kill, path, got, text)
			}
			h.content(filepath.Join(strings.TrimSuffix(path, ".jsonl"), "a.txt"))
		}
	}
}

// killMove kills a process that moves, at some point after its first n
// sessions.
func (h *house) killMove(n int) {
	h.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledMove$")
	cmd.Env = append(os.Environ(), moving+"="+h.dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range n {
		if !lines.Scan() {
			break
		}
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()         // it was killed
}
