package diskusage

import (
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// line measures a line. The parts that are not records count as damaged.
func (s *scale) line(line *envelope.Line) {
	s.whole, s.rest = line, line.Size
	s.record.Each(line.Data, s.take)
	if s.rest > 0 {
		s.put(Damaged, s.rest)
	}
}

// entry measures a record.
func (s *scale) entry(r *envelope.Record) {
	if r.Type() == nil {
		return
	}
	record := r.Line()
	size := s.whole.SizeOf(record)
	if &record[len(record)-1] == &s.whole.Data[len(s.whole.Data)-1] && s.whole.Ended {
		size++ // the last one on its line
	}
	s.rest -= size
	switch r.Kind() {
	case envelope.KindMessage:
		before := s.Total()
		if m := r.Message(); m != nil {
			s.message(m)
		}
		s.put(Structure, size-(s.Total()-before))
	case envelope.KindCompaction, envelope.KindBranchSummary:
		s.put(Summaries, size)
	case envelope.KindCustom, envelope.KindCustomMessage:
		s.put(Custom, size)
	default:
		s.put(Structure, size)
	}
}

// message measures the content of a message. The rest is structure.
func (s *scale) message(m *envelope.Message) {
	kind := Text
	var also []byte // output of a tool outside its content
	switch m.Speaker() {
	case envelope.RoleToolResult:
		kind, also = ToolOutput, m.Details
	case envelope.RoleBashExecution:
		also = m.Output
	}
	if also != nil {
		s.put(ToolOutput, s.whole.SizeOf(also))
	}
	content := m.Content
	if jsonl.KindOf(content) == '"' {
		s.put(kind, s.whole.SizeOf(content))
	}
	for raw, b := range envelope.Blocks(content) {
		s.block(string(envelope.TextOf(b.Type)), s.whole.SizeOf(raw), kind)
	}
}

// block measures a block of a message; textKind is the kind of its text.
func (s *scale) block(kind string, size int64, textKind Kind) {
	switch kind {
	case "text":
		s.put(textKind, size)
	case "image":
		s.put(Images, size)
	case "thinking", "redactedThinking":
		s.put(Thinking, size)
	case "toolCall":
		s.put(ToolCalls, size)
	}
}
