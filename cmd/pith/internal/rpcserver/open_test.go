package rpcserver_test

import (
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// A client may have 1,000 sessions open. A failed open and a closed session take
// no room.
func TestOpenSessionsAreLimited(t *testing.T) {
	c := dial(t, rpcserver.Options{})
	if _, failed := c.try("open", with{"path": t.TempDir()}); failed == nil {
		t.Fatal("a directory was opened")
	}
	last := ""
	for range 1000 {
		last = c.open("inMemory", nil)
	}
	if _, failed := c.try("inMemory", nil); failed == nil || failed.Data["kind"] != "tooMany" {
		t.Errorf("session 1,001: %v; want a failure of kind tooMany", failed)
	}
	c.call("close", with{"session": last})
	c.open("inMemory", nil)
}
