package live_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
)

const parallelCall = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}
{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"look into both","timestamp":1}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":{"tasks":[{"agent":"scout","task":"a"},{"agent":"worker","task":"b"}]}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":2}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-02-03T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"subagent","isError":false,"content":[{"type":"text","text":"Parallel: 1/2 succeeded"}],"details":{"mode":"parallel","results":[{"agent":"scout","task":"a","exitCode":0,"messages":[]},{"agent":"worker","task":"b","exitCode":1,"stderr":"no such model","messages":[]}]},"timestamp":3}}
`

// A call whose result is fine as a whole is a failed one where a run of it failed.
func TestFailedRunsAreSeen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(parallelCall), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	conv, err := agent.New(s, agent.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conv.Close() })
	all, err := (&live.Session{Agent: conv}).Turns("")
	if err != nil {
		t.Fatal(err)
	}
	x, err := all.Turn(t.Context(), all.Len()-1)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range x.Items {
		if it.Tool != nil && it.Tool.Result != nil {
			if !it.Tool.Result.IsError || !strings.HasPrefix(string(it.Tool.Result.Text), "1 of 2 runs failed: worker") {
				t.Errorf("the call is told as %+v; want a failed one that names worker", it.Tool.Result)
			}
			return
		}
	}
	t.Errorf("no call found in %+v", x.Items)
}
