package llm_test

import (
	"errors"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// For any response of a provider: the message can be recorded and read again,
// an error is an *Error, a response without one has a stop reason, and the
// blocks are reported in order.
func FuzzStream(f *testing.F) {
	for _, a := range []llmtest.Answer{
		rich(), llmtest.Text("x").Failing(`{"message":"no"}`), llmtest.Call("c", "f", `{"a":"`).Stopped("length"), rich().Redacted("r"), {},
	} {
		f.Add(a.Anthropic("m"))
		f.Add(a.OpenAI("m"))
	}
	f.Add("event: error\n\n")
	f.Fuzz(func(t *testing.T, stream string) {
		for _, api := range []string{llm.APIAnthropic, llm.APIOpenAI} {
			order := tellsInOrder{t: t, open: map[int]llm.EventKind{}}
			m, err := llm.ReadStream(api, stream, order.observe)
			if err != nil {
				var e *llm.Error
				if !errors.As(err, &e) || m.StopReason != "error" || m.ErrorMessage == "" {
					t.Fatalf("%s: %v with %+v; want an *Error and a message with it", api, err, m)
				}
			} else if m.StopReason != "stop" && m.StopReason != "length" && m.StopReason != "toolUse" {
				t.Fatalf("%s: stop reason %q without an error", api, m.StopReason)
			}
			again, decodeErr := format.DecodeMessage(m.Raw())
			if decodeErr != nil {
				t.Fatalf("%s: the message %s cannot be read: %v", api, m.Raw(), decodeErr)
			}
			if got := len(again.(*format.Assistant).Content.Blocks); got != len(m.Content.Blocks) || got < len(order.open) {
				t.Fatalf("%s: %d blocks when read again; want %d", api, got, len(m.Content.Blocks))
			}
		}
	})
}

// tellsInOrder fails when the events of an answer are out of order.
type tellsInOrder struct {
	t       *testing.T
	started bool
	open    map[int]llm.EventKind // the last event of each block
}

func (o *tellsInOrder) observe(e llm.Event) {
	if !o.started {
		if e.Kind != llm.Start {
			o.t.Fatalf("first event is %d; want the start", e.Kind)
		}
		o.started = true
		return
	}
	last, known := o.open[e.Index]
	switch e.Kind {
	case llm.TextStart, llm.ThinkingStart, llm.ToolCallStart:
		if known {
			o.t.Fatalf("block %d starts twice", e.Index)
		}
	case llm.TextDelta, llm.ThinkingDelta, llm.ToolCallDelta:
		if last != e.Kind && last != e.Kind-1 {
			o.t.Fatalf("block %d: event %d after %d", e.Index, e.Kind, last)
		}
	case llm.TextEnd, llm.ThinkingEnd, llm.ToolCallEnd:
		if last != e.Kind-1 && last != e.Kind-2 || e.Block == nil {
			o.t.Fatalf("block %d: event %d after %d, with block %v", e.Index, e.Kind, last, e.Block)
		}
	default:
		o.t.Fatalf("event %d within an answer", e.Kind)
	}
	o.open[e.Index] = e.Kind
}
