package transcript

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// System combines all system messages of a context into one, which a compaction
// carries over its boundary (pitfall 95). It returns false if the context has
// none. Other messages are not read.
func (plan *Plan) System(p Path) (json.RawMessage, bool, error) {
	var s SystemState
	for _, step := range plan.Steps {
		if step.From != FromCompaction && p.At(step.Pos).Role != journal.RoleSystem {
			continue
		}
		line, err := p.Line(step.Pos)
		if err != nil {
			return nil, false, err
		}
		for _, raw := range plan.project(p, step, line) {
			s.Add(raw)
		}
	}
	raw, ok := s.Message()
	return raw, ok, nil
}

// A SystemState is the prompt and the tools that result from a sequence of
// system messages. The zero SystemState has seen none.
type SystemState struct {
	seen      bool
	content   []string
	sections  orderedValues
	tools     orderedValues
	timestamp json.RawMessage
}

// Add adds the next message of a context; those of other roles change nothing.
// raw is not retained.
func (s *SystemState) Add(raw json.RawMessage) {
	if format.Role(jsonl.LookupString(raw, "role")) != format.RoleSystem {
		return
	}
	s.seen = true
	if at, ok := jsonl.Lookup(raw, "timestamp"); ok && s.timestamp == nil && !jsonl.IsNull(at) {
		s.timestamp = bytes.Clone(at)
	}
	content, _ := jsonl.Lookup(raw, "content")
	if text := plainText(content); text != "" {
		s.content = append(s.content, text)
	}
	sections, _ := jsonl.Lookup(raw, "sections")
	for key, value := range jsonl.Members(sections) {
		if name, _ := jsonl.String(key); jsonl.IsNull(value) {
			s.sections.remove(name)
		} else {
			s.sections.set(name, value)
		}
	}
	removed, _ := jsonl.Lookup(raw, "toolsRemoved")
	for tool := range jsonl.Elements(removed) {
		s.tools.remove(jsonl.LookupString(tool, "name"))
	}
	added, _ := jsonl.Lookup(raw, "toolsAdded")
	for tool := range jsonl.Elements(added) {
		s.tools.set(jsonl.LookupString(tool, "name"), tool)
	}
}

// Message returns the state as one system message, with the time of the first
// one.
func (s *SystemState) Message() (json.RawMessage, bool) {
	if !s.seen {
		return nil, false
	}
	out := jsonl.AppendString([]byte(`{"role":"system","content":`), strings.Join(s.content, "\n\n"))
	before := ",\"sections\":{"
	for name, value := range s.sections.all {
		out = append(jsonl.AppendString(append(out, before...), name), ':')
		out = append(out, value...)
		before = ","
	}
	if before == "," {
		out = append(out, '}')
	}
	before = ",\"toolsAdded\":["
	for _, tool := range s.tools.all {
		out = append(append(out, before...), tool...)
		before = ","
	}
	if before == "," {
		out = append(out, ']')
	}
	at := s.timestamp
	if at == nil {
		at = json.RawMessage("0")
	}
	return append(append(append(out, `,"timestamp":`...), at...), '}'), true
}

// plainText returns content as text: a string, or the text blocks on separate
// lines.
func plainText(content []byte) string {
	if s, ok := jsonl.String(content); ok {
		return s
	}
	var texts []string
	for block := range jsonl.Elements(content) {
		if jsonl.LookupString(block, "type") == "text" {
			texts = append(texts, jsonl.LookupString(block, "text"))
		}
	}
	return strings.Join(texts, "\n")
}

// orderedValues stores values by name. A name that is set again keeps its
// place; one that was removed before moves to the end.
type orderedValues struct {
	at     map[string]int
	names  []string
	values [][]byte // nil for a removed one
}

func (o *orderedValues) set(name string, value []byte) {
	value = bytes.Clone(value)
	if i, ok := o.at[name]; ok {
		o.values[i] = value
		return
	}
	if o.at == nil {
		o.at = make(map[string]int)
	}
	o.at[name] = len(o.names)
	o.names, o.values = append(o.names, name), append(o.values, value)
}

func (o *orderedValues) remove(name string) {
	if i, ok := o.at[name]; ok {
		o.values[i] = nil
		delete(o.at, name)
	}
}

func (o *orderedValues) all(yield func(string, []byte) bool) {
	for i, value := range o.values {
		if value != nil && !yield(o.names[i], value) {
			return
		}
	}
}
