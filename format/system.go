package format

import (
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A SystemState is the combined effect of the system messages of a context: the
// prompt and the tools in force. Versions of pi before 0.86 record none.
type SystemState struct {
	// Text is the text outside of sections.
	Text string
	// Sections are the named parts of the prompt, in order.
	Sections []SystemSection
	// Tools are the tools that the model may call, in order.
	Tools []SystemTool
	// Withdrawn are the names of tools that were declared on the path and are
	// no longer in force. They survive compactions.
	Withdrawn []string
}

// A SystemSection is a named part of a prompt.
type SystemSection struct{ Name, Text string }

// A SystemTool is a tool as a session records it.
type SystemTool struct {
	Name string
	Raw  json.RawMessage // the declaration: name, description, parameters
}

// Prompt returns the text of the prompt: Text and the sections, separated by
// empty lines, as pi sends it.
func (s SystemState) Prompt() string {
	parts := make([]string, 0, 1+len(s.Sections))
	if s.Text != "" {
		parts = append(parts, s.Text)
	}
	for _, section := range s.Sections {
		if section.Text != "" {
			parts = append(parts, section.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// DecodeSystemState decodes one system message that holds the complete state.
// It cannot know which tools were withdrawn. raw must be valid JSON.
func DecodeSystemState(raw []byte) SystemState {
	s := SystemState{Text: jsonl.LookupString(raw, "content")}
	sections, _ := jsonl.Lookup(raw, "sections")
	for key, value := range jsonl.Members(sections) {
		name, _ := jsonl.String(key)
		text, _ := jsonl.String(value)
		s.Sections = append(s.Sections, SystemSection{name, text})
	}
	tools, _ := jsonl.Lookup(raw, "toolsAdded")
	for tool := range jsonl.Elements(tools) {
		s.Tools = append(s.Tools, SystemTool{jsonl.LookupString(tool, "name"), append(json.RawMessage(nil), tool...)})
	}
	return s
}
