//go:build !race

package redact_test

import (
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// TestNoAllocations does not count under the race detector, which makes a sync.Pool
// forget things at random.
func TestNoAllocations(t *testing.T) {
	r := newRedactor(t, redact.Options{Secrets: []redact.Secret{{Name: "x", Value: "correct horse battery"}}})
	line := []byte(`{"type":"message","id":"0a1b2c3d","message":{"role":"user","content":[{"type":"text","text":"a \"quoted\" text\nwith a key: value, a C:\\path and 100%25 of it"},{"type":"text","text":"more"}]}}`)
	r.Line(line)
	if n := testing.AllocsPerRun(100, func() { r.Line(line) }); n > 0 {
		t.Errorf("a line without a finding allocates %v times", n)
	}
}
