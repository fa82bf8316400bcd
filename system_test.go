package pith_test

import (
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// systemMessage is a message as pi 0.87 records it.
func systemMessage(t *testing.T, raw string) format.Message {
	t.Helper()
	m, err := format.DecodeMessage([]byte(raw))
	if err != nil {
		t.Fatalf("DecodeMessage(%s): %v", raw, err)
	}
	return m
}

// A fixed session: prompts, tools and a compaction, as pi records them.
func TestSystemState(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	say := func(raw string) string {
		t.Helper()
		id, err := s.AppendMessage(t.Context(), systemMessage(t, raw))
		if err != nil {
			t.Fatalf("AppendMessage(%s): %v", raw, err)
		}
		return id
	}
	user := say(`{"role":"user","content":"hello","timestamp":1}`)
	first := say(`{"role":"system","content":"Base.","sections":{"preamble":"You are.","cwd":"<cwd>/a</cwd>"},"toolsAdded":[{"name":"read","description":"r","parameters":{}},{"name":"bash","description":"b","parameters":{}}],"timestamp":2}`)
	second := say(`{"role":"system","content":[{"type":"text","text":"More."}],"sections":{"preamble":null,"rules":"Be short."},"toolsRemoved":[{"name":"bash"}],"toolsAdded":[{"name":"grep","description":"g","parameters":{}}],"timestamp":3}`)
	say(`{"role":"user","content":"go on","timestamp":4}`)
	compacted, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "S"})
	if err != nil {
		t.Fatal(err)
	}

	tests := map[string]struct {
		at        string
		ok        bool
		prompt    string
		tools     []string
		withdrawn []string
	}{
		"before any":       {at: user},
		"the first":        {at: first, ok: true, prompt: "Base.\n\nYou are.\n\n<cwd>/a</cwd>", tools: []string{"read", "bash"}},
		"patched":          {at: second, ok: true, prompt: "Base.\n\nMore.\n\n<cwd>/a</cwd>\n\nBe short.", tools: []string{"read", "grep"}, withdrawn: []string{"bash"}},
		"over compactions": {at: compacted, ok: true, prompt: "Base.\n\nMore.\n\n<cwd>/a</cwd>\n\nBe short.", tools: []string{"read", "grep"}, withdrawn: []string{"bash"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := s.View().Context(tt.at)
			if err != nil {
				t.Fatalf("ContextAt: %v", err)
			}
			got, ok, err := c.System()
			var tools []string
			for _, tool := range got.Tools {
				tools = append(tools, tool.Name)
			}
			if err != nil || ok != tt.ok || got.Prompt() != tt.prompt || !slices.Equal(tools, tt.tools) || !slices.Equal(got.Withdrawn, tt.withdrawn) {
				t.Errorf("System() = prompt %q, tools %q, withdrawn %q, %t, %v; want %q, %q, %q, %t", got.Prompt(), tools, got.Withdrawn, ok, err, tt.prompt, tt.tools, tt.withdrawn, tt.ok)
			}
		})
	}
}
