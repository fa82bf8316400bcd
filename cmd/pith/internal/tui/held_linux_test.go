package tui_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/store/storetest"
)

// A session that its agent has open is not moved to the trash, from the list or from
// the conversation, and a line says why.
func TestDeleteOfAnOpenSession(t *testing.T) {
	for _, from := range []string{"list", "conversation"} {
		t.Run(from, func(t *testing.T) {
			d := newDesk(t)
			path := filepath.Join(d.home, ".omp/agent/sessions/-p/2026-02-03T22-52-06-410Z_0190aaaa-0000-7000-8000-000000000009.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(d.session("Parser", "one", "<answer one"), path); err != nil {
				t.Fatal(err)
			}
			quit := storetest.HoldOpen(t, path)
			d.start(func(c *tui.Config) {
				if from == "conversation" {
					c.Open = path
				}
			})
			ask := func() {
				d.sees("Parser")
				d.press("ctrl+d y")
			}
			if from == "conversation" {
				d.sees("answer one")
				d.press("i")
				ask = func() {
					d.types("/delete")
					d.sees("Move this session to the trash?")
					d.press("y")
				}
			}
			ask()
			d.sees("oh-my-pi has this session open (process ")
			if _, err := os.Stat(path); err != nil {
				t.Error(err)
			}
			quit()
			ask()
			d.sees("Moved to the trash")
			if _, err := os.Stat(path); err == nil {
				t.Error("the file is still there")
			}
		})
	}
}
