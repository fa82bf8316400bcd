package format_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// Every line of every session file in the vectors and in testdata is preserved
// byte for byte (F10; pitfalls 18, 19, 20), and encoding the decoded fields of
// a line that pi wrote gives the same value.
func TestRoundTrip(t *testing.T) {
	lines := append(vectorLines(t), sampleLines(t)...)
	decoded := 0
	for _, line := range lines {
		e, err := format.DecodeEntry(line)
		if err != nil {
			if json.Valid(line) && line[0] == '{' {
				t.Errorf("DecodeEntry(%s): %v", line, err)
			}
			continue
		}
		decoded++
		if got := format.AppendEntry(nil, e); string(got) != string(line) {
			t.Errorf("AppendEntry = %s\nwant %s", got, line)
		}
		if m, ok := e.(*format.MessageEntry); ok {
			checkMessageBytes(t, line, m)
		}
	}
	if decoded < 3000 {
		t.Errorf("%d lines decoded, want thousands: are the vectors there?", decoded)
	}
}

func checkMessageBytes(t *testing.T, line []byte, e *format.MessageEntry) {
	t.Helper()
	var envelope struct{ Message json.RawMessage }
	if err := json.Unmarshal(line, &envelope); err != nil {
		t.Fatalf("reference decoder on %s: %v", line, err)
	}
	if got := e.Message.Raw(); string(got) != string(envelope.Message) {
		t.Errorf("Message.Raw() = %s\nwant %s", got, envelope.Message)
	}
}

// The order of keys in api.json is pi's own: entries made in memory are written in
// that order.
func TestKeyOrderVectors(t *testing.T) {
	type vector struct {
		Name   string
		Expect struct {
			Lines    []json.RawMessage
			KeyOrder [][]string
		}
	}
	checked := 0
	for _, c := range readVectors[vector](t, "api.json") {
		for i, line := range c.Expect.Lines {
			var got []byte
			if i == 0 {
				h, err := format.DecodeHeader(line)
				if err != nil {
					t.Fatalf("DecodeHeader(%s): %v", line, err)
				}
				got = format.AppendHeader(nil, h)
			} else {
				got = format.AppendEntry(nil, rebuilt(t, line))
			}
			if !reflect.DeepEqual(parse(t, got), parse(t, line)) {
				t.Errorf("%s: encoded anew: %s\nwant %s", c.Name, got, line)
			}
			if order := keyOrder(t, got); !reflect.DeepEqual(order, c.Expect.KeyOrder[i]) {
				t.Errorf("%s: keys %v, want %v", c.Name, order, c.Expect.KeyOrder[i])
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("api.json holds no lines")
	}
}

// Messages of the vectors, encoded again from their fields, are the same
// values. This finds fields that the decoder ignores.
func TestMessagesEncodedAnew(t *testing.T) {
	checked := 0
	for _, line := range vectorLines(t) {
		e, err := format.DecodeEntry(line)
		if err != nil {
			continue
		}
		entry, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		fresh := fromFields(entry.Message)
		if fresh == nil {
			continue
		}
		got, want := parse(t, fresh.Raw()), parse(t, entry.Message.Raw())
		fillMissing(want.(map[string]any), got.(map[string]any))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("encoded anew: %s\nwant %s", fresh.Raw(), entry.Message.Raw())
		}
		checked++
	}
	if checked < 1000 {
		t.Errorf("%d messages checked, want thousands", checked)
	}
}

// fillMissing adds what older files leave out and the encoder writes.
func fillMissing(want, got map[string]any) {
	if usage, ok := want["usage"].(map[string]any); ok && usage["totalTokens"] == nil {
		usage["totalTokens"] = json.Number("0")
	}
	if content, ok := got["content"]; ok && want["content"] == nil {
		want["content"] = content
	}
}

// fromFields copies the exported fields of a message into one without bytes. It is
// nil for kinds that are not copied.
func fromFields(m format.Message) format.Message {
	switch m := m.(type) {
	case *format.User:
		return &format.User{Content: contentFromFields(m.Content), Timestamp: m.Timestamp}
	case *format.Assistant:
		return &format.Assistant{Content: contentFromFields(m.Content), API: m.API, Provider: m.Provider, Model: m.Model,
			ResponseModel: m.ResponseModel, ResponseID: m.ResponseID, Usage: m.Usage, StopReason: m.StopReason,
			ErrorMessage: m.ErrorMessage, ThinkingLevel: m.ThinkingLevel, Timestamp: m.Timestamp}
	case *format.ToolResult:
		return &format.ToolResult{ToolCallID: m.ToolCallID, ToolName: m.ToolName, Content: contentFromFields(m.Content),
			Details: m.Details, IsError: m.IsError, Usage: m.Usage, DurationMs: m.DurationMs, Timestamp: m.Timestamp}
	case *format.BashExecution:
		return &format.BashExecution{Command: m.Command, Output: m.Output, ExitCode: m.ExitCode, Cancelled: m.Cancelled,
			Truncated: m.Truncated, FullOutputPath: m.FullOutputPath, ExcludeFromContext: m.ExcludeFromContext, Timestamp: m.Timestamp}
	case *format.System:
		return &format.System{Content: contentFromFields(m.Content), Sections: m.Sections, ToolsAdded: m.ToolsAdded,
			ToolsRemoved: m.ToolsRemoved, Timestamp: m.Timestamp}
	}
	return nil
}

func contentFromFields(c format.Content) format.Content {
	fresh := format.Content{Text: c.Text, IsText: c.IsText}
	for _, b := range c.Blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			fresh.Blocks = append(fresh.Blocks, &format.TextBlock{Text: b.Text, TextSignature: b.TextSignature})
		case *format.ThinkingBlock:
			fresh.Blocks = append(fresh.Blocks, &format.ThinkingBlock{Thinking: b.Thinking, ThinkingSignature: b.ThinkingSignature, Redacted: b.Redacted})
		case *format.ImageBlock:
			fresh.Blocks = append(fresh.Blocks, &format.ImageBlock{Data: b.Data, MimeType: b.MimeType})
		case *format.ToolCallBlock:
			fresh.Blocks = append(fresh.Blocks, &format.ToolCallBlock{ID: b.ID, Name: b.Name, Arguments: b.Arguments,
				ThoughtSignature: b.ThoughtSignature, Namespace: b.Namespace})
		default:
			fresh.Blocks = append(fresh.Blocks, b)
		}
	}
	return fresh
}
