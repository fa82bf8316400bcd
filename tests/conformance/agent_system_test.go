package conformance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

func namedTool(name, description string) agent.Tool {
	return agent.Tool{
		Tool: llm.Tool{Name: name, Description: description, Parameters: json.RawMessage(`{"type":"object"}`)},
		Run: func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			return agent.Text("ok"), nil
		},
	}
}

// pi's state of prompt and tools, as its compactions record it, equals pith's:
// in entries that pi recorded, and after those that pith adds. (pitfall 85)
func TestSystemStateInPi(t *testing.T) {
	r := newRig(t, pi.V0_87_1)
	s, path := r.create(t)
	for _, raw := range []string{
		`{"role":"system","content":"","sections":{"preamble":"You are pi.","rules":"short"},"toolsAdded":[{"name":"read","description":"reads","parameters":{"type":"object"}},{"name":"bash","description":"runs","parameters":{"type":"object"}}],"timestamp":1}`,
		`{"role":"user","content":"hello","timestamp":2}`,
		`{"role":"assistant","content":[{"type":"text","text":"hi"}],"api":"anthropic-messages","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":3}`,
		`{"role":"system","content":"From now on in French.","sections":{"rules":null,"cwd":"/a"},"toolsRemoved":[{"name":"bash"}],"timestamp":4}`,
	} {
		if _, err := s.Append(t.Context(), "appendMessage", json.RawMessage(raw)); err != nil {
			t.Fatal(err)
		}
	}
	compareSystem(t, r, path)

	open, err := pith.Open(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(open, agent.Config{
		Client: summarising(t).Anthropic(),
		Tools:  []agent.Tool{namedTool("read", "reads better"), namedTool("bash", "runs"), namedTool("grep", "searches")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.ActiveTools(); !slices.Equal(got, []string{"read", "grep"}) {
		t.Errorf("ActiveTools() = %q; want read and grep, bash was withdrawn", got)
	}
	if _, err := a.Prompt(t.Context(), "go on"); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	compareSystem(t, r, path)
}

// compareSystem has pi fold the state into a compaction and compares it with what
// pith found before that.
func compareSystem(t *testing.T, r rig, path string) {
	t.Helper()
	ours := reopen(t, path)
	c, err := ours.Context()
	if err != nil {
		t.Fatal(err)
	}
	state, ok, err := c.System()
	if err != nil || !ok {
		t.Fatalf("System() = %t, %v", ok, err)
	}
	s := r.open(t, path)
	id, err := s.Append(t.Context(), "appendCompaction", "a summary", ours.LeafID(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var entry struct {
		SystemMessage struct {
			Content    string
			Sections   map[string]string
			ToolsAdded []struct{ Name, Description string }
		}
	}
	if err := s.Call(t.Context(), &entry, "getEntry", id); err != nil {
		t.Fatal(err)
	}
	theirs := entry.SystemMessage
	sections := map[string]string{}
	for _, section := range state.Sections {
		sections[section.Name] = section.Text
	}
	var tools []string
	for _, tool := range state.Tools {
		var said struct{ Description string }
		if err := json.Unmarshal(tool.Raw, &said); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name+": "+said.Description)
	}
	var theirTools []string
	for _, tool := range theirs.ToolsAdded {
		theirTools = append(theirTools, tool.Name+": "+tool.Description)
	}
	if state.Text != theirs.Content || fmt.Sprint(sections) != fmt.Sprint(theirs.Sections) || !slices.Equal(tools, theirTools) {
		t.Errorf("System() = %q, %v, %q; pi records %q, %v, %q", state.Text, sections, tools, theirs.Content, theirs.Sections, theirTools)
	}
}
