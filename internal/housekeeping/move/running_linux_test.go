package move_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
)

// A pi that is idle has no file open. Its working directory shows that it may
// continue at the old place of a session.
func TestSilentProgram(t *testing.T) {
	h := newHouse(t)
	path := h.session("old", "")
	kid := h.session("other", `,"parentSession":`+quoted(path))
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep to stand for pi")
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.at("pi"), program, 0o700); err != nil {
		t.Fatal(err)
	}
	h.folder("old/deep")
	pi := exec.Command(h.at("pi"), "600")
	pi.Dir = h.at("old/deep")
	if err := pi.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pi.Process.Kill()
		pi.Wait()
	})
	var running *move.RunningError
	p := h.plan("old", "new")
	if len(p.Steps) != 0 || len(p.Refused) != 1 || !errors.As(p.Refused[0].Err, &running) || running.Process != pi.Process.Pid {
		t.Errorf("steps %+v, refused %v; want it refused because of process %d", p.Steps, p.Refused, pi.Process.Pid)
	}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), h.options()))
	if err != nil {
		t.Fatal(err)
	}
	forced, err := move.NewPlan(infos, h.at("old"), h.at("new"), move.Options{Catalog: h.options(), Force: true})
	if err != nil || len(forced.Steps) != 2 {
		t.Errorf("forced: %+v, %v; want the session and %s", forced, err, kid)
	}
	if err := pi.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	pi.Wait()
	if p := h.plan("old", "new"); len(p.Steps) != 2 {
		t.Errorf("after the program ended: steps %+v, refused %v", p.Steps, p.Refused)
	}
}
