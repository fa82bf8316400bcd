package tui_test

import (
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
)

// After a branch, the tree selects the entry that was chosen and treats it as the
// current one, not the entry that records the choice.
func TestTreeAfterABranch(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one", "two", "<answer two")
	s, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ops.Branch(t.Context(), s, s.View().At(1).ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("t")
	d.sees("› tree")
	d.sees("answer one")
	d.press("enter")
	d.sees("already here")
}
