package rpcserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store/storetest"
)

// A session that its agent has open is not moved to the trash.
func TestDeleteSessionThatIsOpen(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Trash: func() (trash.Options, error) { return trash.Options{Dir: filepath.Join(dir, "trash")}, nil }}})
	path := filepath.Join(dir, ".omp", "agent", "sessions", "s.jsonl")
	const text = `{"type":"session","version":3,"id":"held-1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	quit := storetest.HoldOpen(t, path)
	if failed := c.fail("deleteSession", with{"path": path}); failed.Data["kind"] != "busy" || !strings.Contains(failed.Message, "oh-my-pi has it open") {
		t.Errorf("deleteSession = %v; want busy", failed)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != text {
		t.Errorf("the session changed: %v", err)
	}
	quit()
	c.call("deleteSession", with{"path": path})
}
