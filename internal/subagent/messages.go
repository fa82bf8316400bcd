package subagent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Messages yields the conversation of a run, from any source: a session (its
// active path), a transcript, a stream of events, messages in the result, or a
// single answer, which is one assistant message. Damaged and unrelated lines
// are skipped. An error is yielded once and ends the sequence. The sequence can
// be ranged over again, which reads again.
func (s Source) Messages(ctx context.Context) iter.Seq2[format.Message, error] {
	return s.messages(opening(ctx))
}

// An opener opens a session for reading.
type opener func(path string) (*pith.Session, error)

func opening(ctx context.Context) opener {
	return func(path string) (*pith.Session, error) { return pith.Open(ctx, path, pith.Options{ReadOnly: true}) }
}

func (s Source) messages(open opener) iter.Seq2[format.Message, error] {
	return func(yield func(format.Message, error) bool) {
		var err error
		switch s.Kind {
		case "":
		case FromSession, FromDerived, FromForks:
			err = sessionMessages(open, s.Path, yield)
		case FromInline:
			decodedMessages(s.inline, yield)
		case FromResult:
			yield(answer(s.text), nil)
		default:
			err = fileMessages(s, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// sessionMessages returns nil if the caller stopped.
func sessionMessages(open opener, path string, yield func(format.Message, error) bool) error {
	s, err := open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	v := s.View()
	row, err := v.Path("")
	if err != nil {
		return err
	}
	for _, pos := range row {
		e, err := v.Entry(pos)
		if err != nil {
			return err
		}
		if m, ok := e.(*format.MessageEntry); ok && !yield(m.Message, nil) {
			return nil
		}
	}
	return nil
}

func decodedMessages(list []json.RawMessage, yield func(format.Message, error) bool) {
	for _, raw := range list {
		if m, err := format.DecodeMessage(raw); err == nil && !yield(m, nil) {
			return
		}
	}
}

func fileMessages(s Source, yield func(format.Message, error) bool) error {
	text, err := read(s.Path)
	if err != nil {
		return fmt.Errorf("the %s of a run: %w", s.Kind, err)
	}
	switch s.Kind {
	case FromTranscript:
		transcriptMessages(text, yield)
	case FromEvents:
		eventMessages(text, yield)
	default:
		yield(answer(string(text)), nil)
	}
	return nil
}

func answer(text string) format.Message {
	return &format.Assistant{Content: format.BlockContent(&format.TextBlock{Text: text}), StopReason: "stop"}
}

// transcriptMessages reads the records of a transcript. One without the message
// itself still has role and text.
func transcriptMessages(text []byte, yield func(format.Message, error) bool) {
	lines(text, func(line []byte) bool {
		if !jsonl.Valid(line) {
			return true
		}
		record := decode(line)
		switch record.text("recordType") {
		case "message":
		case "truncated":
			return false
		default:
			return true
		}
		m := recordMessage(record)
		return m == nil || yield(m, nil)
	})
}

func recordMessage(record object) format.Message {
	if raw := record["message"]; jsonl.KindOf(raw) == '{' {
		if m, err := format.DecodeMessage(raw); err == nil {
			return m
		}
	}
	text := format.BlockContent(&format.TextBlock{Text: record.text("text")})
	switch format.Role(record.text("role")) {
	case format.RoleUser:
		return &format.User{Content: text}
	case format.RoleAssistant:
		return &format.Assistant{Content: text, Model: record.text("model"), StopReason: record.text("stopReason")}
	case format.RoleToolResult:
		return &format.ToolResult{ToolCallID: record.text("toolCallId"), ToolName: record.text("toolName"), Content: text, IsError: record.is("isError")}
	}
	return nil
}

// eventMessages reads a stream of events. Messages are taken at their end; a
// tool result may occur twice, in its own event and as a message. A stream
// without single messages may end with all of them.
func eventMessages(text []byte, yield func(format.Message, error) bool) {
	found := false
	results := map[string]bool{}
	var atEnd object
	more := true
	lines(text, func(line []byte) bool {
		if !jsonl.Valid(line) {
			return true
		}
		event := decode(line)
		switch event.text("type") {
		case "message_end", "tool_result_end", "message":
		case "agent_end":
			atEnd = event
			return true
		default:
			return true
		}
		m, err := format.DecodeMessage(event["message"])
		if err != nil {
			return true
		}
		if r, ok := m.(*format.ToolResult); ok && r.ToolCallID != "" {
			if results[r.ToolCallID] {
				return true
			}
			results[r.ToolCallID] = true
		}
		found = true
		more = yield(m, nil)
		return more
	})
	if !found && more {
		decodedMessages(atEnd.raws("messages"), yield)
	}
}
