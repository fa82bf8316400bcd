package compact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// Data that a hook collects from a plan before a compaction is still the same
// after all of it was read: here the arguments of tool calls.
func TestHistoryMayBeKept(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	const calls = 2000
	for i := range calls {
		raw := fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"%s/%d"}}],"stopReason":"toolUse"}`, i, strings.Repeat("d", 600), i)
		m, err := format.DecodeMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		result, err := format.DecodeMessage(fmt.Appendf(nil, `{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":"ok"}]}`, i))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []format.Message{&format.User{Content: format.TextContent("go on")}, m, result} {
			if _, err := s.AppendMessage(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	settings := compact.Defaults()
	settings.KeepRecentTokens = 1000
	plan, err := compact.PrepareAt(s, s.LeafID(), settings)
	if err != nil {
		t.Fatal(err)
	}
	var kept []*format.Assistant
	for m, err := range plan.History() {
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := decoded.(*format.Assistant); ok {
			kept = append(kept, a)
		}
	}
	if len(kept) < calls/2 {
		t.Fatalf("the history has %d answers, want most of %d", len(kept), calls)
	}
	for i, a := range kept {
		if !strings.Contains(string(a.Raw()), fmt.Sprintf(`/%d"`, i)) {
			t.Fatalf("answer %d was %s when all were read", i, a.Raw())
		}
	}
}
