package transcript

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A compaction of Atomic is a transcript from which lines were removed. The
// messages that it keeps are added to it as lines, so that all of it is one
// message.

// linesPrefix precedes the lines. Atomic sends the same words.
const linesPrefix = "The earlier conversation was compacted. Below is the verbatim transcript of the retained lines; " +
	"elided spans are marked \"(filtered N lines)\".\n\n"

// summaryPrefix precedes a compaction that is a summary instead.
const summaryPrefix = "The following is a summary of the earlier conversation:\n\n"

// isSummary reports whether a compaction of Atomic with these details is a
// summary, after which the kept messages follow as they are.
func isSummary(details []byte) bool { return jsonl.LookupString(details, "backend") == "summary" }

// linesMessage returns the message of such a compaction.
func (plan *Plan) linesMessage(p Path, step Step) (json.RawMessage, error) {
	line, err := p.Line(step.Pos)
	if err != nil {
		return nil, err
	}
	var s lines
	if details, _ := jsonl.Lookup(line, "details"); isSummary(details) {
		s.text.WriteString(summaryPrefix)
	} else {
		s.text.WriteString(linesPrefix)
	}
	summary := jsonl.LookupString(line, "summary")
	s.text.WriteString(summary)
	s.started = summary != ""
	tail := member([]byte(`,"display":true`), line, "details")
	for _, kept := range plan.lines {
		line, err := p.Line(kept.Pos)
		if err != nil {
			return nil, err
		}
		for _, raw := range plan.project(p, kept, line) {
			if m, ok := ForModel(raw); ok {
				s.message(m)
			}
		}
	}
	s.end()
	out := append([]byte(`{"role":"custom","customType":"compaction","content":`), list(s.blocks)...)
	return stamp(append(out, tail...), p.At(step.Pos).Time), nil
}

// lines writes messages as a transcript: text, with images at their places.
type lines struct {
	blocks  [][]byte // completed
	text    strings.Builder
	started bool // a section precedes
}

func (s *lines) section(title string) {
	if s.started {
		s.text.WriteString("\n\n")
	}
	s.started = true
	s.text.WriteString("[" + title + "]: ")
}

// end closes the block of text.
func (s *lines) end() {
	if s.text.Len() == 0 {
		return
	}
	s.blocks = append(s.blocks, appendTextBlock(nil, s.text.String()))
	s.text.Reset()
}

// message writes a message of a role that models know.
func (s *lines) message(raw []byte) {
	switch format.Role(jsonl.LookupString(raw, "role")) {
	case format.RoleUser:
		s.content("User", raw)
	case format.RoleToolResult:
		s.content("Tool result", raw)
	case format.RoleAssistant:
		var text, thoughts, calls []string
		for block := range contentBlocks(raw) {
			switch jsonl.LookupString(block, "type") {
			case "text":
				text = append(text, jsonl.LookupString(block, "text"))
			case "thinking":
				thoughts = append(thoughts, jsonl.LookupString(block, "thinking"))
			case "toolCall":
				calls = append(calls, callText(block))
			}
		}
		s.words("Assistant thinking", strings.Join(thoughts, "\n"))
		s.words("Assistant", strings.Join(text, "\n"))
		s.words("Assistant tool calls", strings.Join(calls, "; "))
	}
}

func (s *lines) words(title, text string) {
	if text != "" {
		s.section(title)
		s.text.WriteString(text)
	}
}

// content writes the content of a user or a tool.
func (s *lines) content(title string, raw []byte) {
	content, _ := jsonl.Lookup(raw, "content")
	if text, ok := jsonl.String(content); ok {
		s.words(title, text)
		return
	}
	given := false
	for block := range contentBlocks(raw) {
		kind, text := jsonl.LookupString(block, "type"), jsonl.LookupString(block, "text")
		if kind != "image" && (kind != "text" || text == "") {
			continue
		}
		if !given {
			s.section(title)
		}
		if kind == "text" {
			s.text.WriteString(text)
		} else {
			if given {
				s.text.WriteString("\n")
			}
			s.end()
			s.blocks = append(s.blocks, bytes.Clone(block))
		}
		given = true
	}
}

// callText returns a call as Atomic writes it: name(key=value, ...).
func callText(block []byte) string {
	var args []string
	raw, _ := jsonl.Lookup(block, "arguments")
	for key, value := range jsonl.Members(raw) {
		name, _ := jsonl.String(key)
		args = append(args, name+"="+string(jsonl.AppendCompact(nil, value)))
	}
	return jsonl.LookupString(block, "name") + "(" + strings.Join(args, ", ") + ")"
}
