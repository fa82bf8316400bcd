package format

import (
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A SystemState is what the system messages of a context add up to: the prompt
// and the tools in force there. Versions of pi before 0.86 record none.
type SystemState struct {
	// Text is what was said outside of sections.
	Text string
	// Sections are the named parts of the prompt, in their order.
	Sections []SystemSection
	// Tools are those that the model may call, in their order.
	Tools []SystemTool
	// Withdrawn are the names of tools that the path has declared at some time and
	// that are no longer in force. Compactions do not make them forgotten.
	Withdrawn []string
}

// A SystemSection is a named part of a prompt.
type SystemSection struct{ Name, Text string }

// A SystemTool is a tool as a session records it.
type SystemTool struct {
	Name string
	Raw  json.RawMessage // the declaration: name, description, parameters
}

// Prompt is the text of the prompt: Text and the sections, with an empty line
// between each, as pi sends it.
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

// DecodeSystemState reads what one system message says, which holds all that is in
// force. It cannot know what was withdrawn. raw must be valid JSON.
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
