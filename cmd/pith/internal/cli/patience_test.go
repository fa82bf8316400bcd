package cli

import (
	"testing"
	"time"
)

// Every command ends within 200 ms after Ctrl+C. Some clean up first and still end as
// fast: they close sessions, or finish a request.
func TestPatience(t *testing.T) {
	seen := 0
	for _, cmd := range Root().Commands() {
		seen++
		switch cmd.Name() {
		case "prompt", "rpc", "serve", "mcp":
			continue
		}
		for _, args := range [][]string{{cmd.Name()}, {"--session-dir", "serve", cmd.Name(), "x"}} {
			if got := patienceOf(args); got > 200*time.Millisecond {
				t.Errorf("pith %q may take %v to end", args, got)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d commands; this test tests nothing", seen)
	}
	for _, args := range [][]string{nil, {"@"}, {"019d8c38"}, {"rpc"}, {"serve"}} {
		if got := patienceOf(args); got < time.Second {
			t.Errorf("pith %q has %v to close its sessions", args, got)
		}
	}
}
