package pith

import (
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/internal/envelope"
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

// System is the prompt and the tools in force at the context's entry. ok is false
// when the context has no system message; nothing is known then.
func (c *Context) System() (_ SystemState, ok bool, err error) {
	if c.plan == nil {
		return SystemState{}, false, nil
	}
	raw, ok, err := c.plan.System(c.view.anew())
	if err != nil || !ok {
		return SystemState{}, false, err
	}
	var s SystemState
	s.Text = jsonl.LookupString(raw, "content")
	sections, _ := jsonl.Lookup(raw, "sections")
	for key, value := range jsonl.Members(sections) {
		name, _ := jsonl.String(key)
		text, _ := jsonl.String(value)
		s.Sections = append(s.Sections, SystemSection{name, text})
	}
	inForce := map[string]bool{}
	tools, _ := jsonl.Lookup(raw, "toolsAdded")
	for tool := range jsonl.Elements(tools) {
		name := jsonl.LookupString(tool, "name")
		inForce[name] = true
		s.Tools = append(s.Tools, SystemTool{name, append(json.RawMessage(nil), tool...)})
	}
	s.Withdrawn, err = c.withdrawnTools(inForce)
	return s, true, err
}

// withdrawnTools are the tools that any system message of the path names, except
// those in force. The whole path counts, because a compaction records only what
// is in force.
func (c *Context) withdrawnTools(inForce map[string]bool) ([]string, error) {
	var names []string
	own := c.view.anew()
	seen := map[string]bool{}
	for pos := range own.Len() {
		if e := own.At(pos); e.Kind != envelope.KindMessage || e.Role != envelope.RoleSystem {
			continue
		}
		line, err := own.Line(pos)
		if err != nil {
			return nil, err
		}
		message, _ := jsonl.Lookup(line, "message")
		for _, field := range []string{"toolsRemoved", "toolsAdded"} {
			tools, _ := jsonl.Lookup(message, field)
			for tool := range jsonl.Elements(tools) {
				if name := jsonl.LookupString(tool, "name"); !inForce[name] && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names, nil
}
