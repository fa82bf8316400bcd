package diskusage

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

var entryKeys = jsonl.NewKeys("type", "message")

// line weighs a line with its end.
func (s *scale) line(line []byte) {
	var spans [2]jsonl.Span
	switch shape, _ := entryKeys.Scan(line, spans[:]); {
	case shape == jsonl.Object && spans[0].Present():
		s.entry(line, &spans)
	case shape == jsonl.Invalid:
		s.several(line)
	default:
		s.put(Damaged, len(line))
	}
}

// several weighs a line that is not one record: the whole ones on it count as
// what they are (pitfall 4).
func (s *scale) several(line []byte) {
	rest := len(line)
	var spans [2]jsonl.Span
	for _, span := range envelope.Records(line) {
		record := span.Of(line)
		if shape, _ := entryKeys.Scan(record, spans[:]); shape == jsonl.Object && spans[0].Present() {
			s.entry(record, &spans)
			rest -= len(record)
		}
	}
	if rest > 0 {
		s.put(Damaged, rest)
	}
}

func (s *scale) entry(line []byte, spans *[2]jsonl.Span) {
	kind, _ := envelope.Text(spans[0].Of(line))
	switch format.Type(kind) {
	case format.TypeMessage:
		before := s.Total()
		s.message(spans[1].Of(line))
		s.put(Structure, len(line)-int(s.Total()-before))
	case format.TypeCompaction, format.TypeBranchSummary:
		s.put(Summaries, len(line))
	case format.TypeCustom, format.TypeCustomMessage:
		s.put(Custom, len(line))
	default:
		s.put(Structure, len(line))
	}
}

var messageKeys = jsonl.NewKeys("role", "content", "details", "output")

// message weighs what a message holds. What it leaves is structure.
func (s *scale) message(msg []byte) {
	var spans [4]jsonl.Span
	if shape, _ := messageKeys.Scan(msg, spans[:]); shape != jsonl.Object {
		return
	}
	role, _ := envelope.Text(spans[0].Of(msg))
	said := Text
	switch format.Role(role) {
	case format.RoleToolResult:
		said = ToolOutput
		if spans[2].Present() {
			s.put(ToolOutput, len(spans[2].Of(msg)))
		}
	case format.RoleBashExecution:
		if spans[3].Present() {
			s.put(ToolOutput, len(spans[3].Of(msg)))
		}
	}
	content := spans[1].Of(msg)
	switch jsonl.KindOf(content) {
	case '"':
		s.put(said, len(content))
	case '[':
		for block := range jsonl.Elements(content) {
			s.block(block, said)
		}
	}
}

var blockKeys = jsonl.NewKeys("type")

// block weighs a block of a message; said is what text in it is.
func (s *scale) block(block []byte, said Kind) {
	var spans [1]jsonl.Span
	if shape, _ := blockKeys.Scan(block, spans[:]); shape != jsonl.Object {
		return
	}
	kind, _ := envelope.Text(spans[0].Of(block))
	switch string(kind) {
	case "text":
		s.put(said, len(block))
	case "image":
		s.put(Images, len(block))
	case "thinking", "redactedThinking":
		s.put(Thinking, len(block))
	case "toolCall":
		s.put(ToolCalls, len(block))
	}
}
