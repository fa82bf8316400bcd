package llm

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/pith-sessions/pith/format"
)

// redactedText is the text that pi shows for encrypted thinking.
const redactedText = "[Reasoning redacted]"

// An anthropicEvent is any event of a response; its type determines which
// members it has.
type anthropicEvent struct {
	Type    string
	Index   int64
	Message struct {
		ID, Model string
		Usage     anthropicUsage
	}
	ContentBlock struct {
		Type, Text, Thinking, Signature, Data, ID, Name string
		Input                                           json.RawMessage
	} `json:"content_block"`
	Delta struct {
		Type, Text, Thinking, Signature string
		PartialJSON                     string                       `json:"partial_json"`
		StopReason                      string                       `json:"stop_reason"`
		StopDetails                     struct{ Explanation string } `json:"stop_details"`
	}
	Usage anthropicUsage
}

// An anthropicUsage holds the counts of an event; missing ones are nil.
type anthropicUsage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Creation   struct {
		OneHour int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Details struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// update sets only the counts that are present: proxies omit those that they
// sent at the start.
func (u *anthropicUsage) update(out *format.Usage) {
	set(&out.Input, u.Input)
	set(&out.Output, u.Output)
	set(&out.CacheRead, u.CacheRead)
	set(&out.CacheWrite, u.CacheWrite)
}

// An anthropicReader reads the events of one response.
type anthropicReader struct {
	answer  *answer
	model   Model
	tiers   []Tier
	byIndex map[int64]*part // by the provider's index, which also counts other blocks
	broken  string          // why the provider stopped early
	ended   bool
}

// read reads events until the message ends. It does not wait for anything after
// that.
func (in *anthropicReader) read(stream *events) error {
	for !in.ended {
		e, ok := stream.next()
		if !ok {
			break
		}
		switch e.kind {
		case "error":
			return newStreamError(string(e.data))
		case "message_start", "message_delta", "message_stop",
			"content_block_start", "content_block_delta", "content_block_stop":
		default:
			continue // a ping, or an event of a later version
		}
		var event anthropicEvent
		if err := decodeEvent(e.data, &event); err != nil {
			return fmt.Errorf("%w: %v", errMalformed, err)
		}
		if err := in.event(&event); err != nil {
			return err
		}
	}
	if !in.ended {
		if err := stream.err(); err != nil {
			return fmt.Errorf("%w: %w", errCut, err)
		}
		return errCut
	}
	return in.finish()
}

func (in *anthropicReader) event(e *anthropicEvent) error {
	switch e.Type {
	case "message_start":
		in.start(e)
	case "content_block_start":
		in.begin(e)
	case "content_block_delta":
		in.add(e)
	case "content_block_stop":
		// Calls are closed once the stop reason is known.
		if p := in.byIndex[e.Index]; p != nil && p.kind != ToolCallStart {
			return in.answer.end(p, false)
		}
	case "message_delta":
		in.delta(e)
	case "message_stop":
		in.ended = true
	}
	return nil
}

func (in *anthropicReader) start(e *anthropicEvent) {
	in.answer.start()
	m, out := &e.Message, &in.answer.message
	out.ResponseID = m.ID
	if m.Model != in.model.ID {
		out.ResponseModel = m.Model
	}
	out.Usage = format.Usage{CacheWrite1h: m.Usage.Creation.OneHour}
	m.Usage.update(&out.Usage)
	count(&out.Usage, in.model, in.tiers)
}

func (in *anthropicReader) begin(e *anthropicEvent) {
	a, b := in.answer, &e.ContentBlock
	var p *part // nil for an unknown kind of block
	switch b.Type {
	case "text":
		p = a.begin(TextStart, "", "")
		a.add(p, b.Text)
	case "thinking":
		p = a.begin(ThinkingStart, "", "")
		p.signature = b.Signature
		a.add(p, b.Thinking)
	case "redacted_thinking":
		p = a.begin(ThinkingStart, "", "")
		p.redacted, p.signature = true, b.Data
		a.add(p, redactedText)
	case "tool_use":
		p = a.begin(ToolCallStart, b.ID, b.Name)
		// Some providers send the arguments here instead of an empty object.
		if isSet(b.Input) && string(b.Input) != "{}" {
			a.add(p, string(b.Input))
		}
	}
	in.byIndex[e.Index] = p
}

func (in *anthropicReader) add(e *anthropicEvent) {
	p := in.byIndex[e.Index]
	if p == nil {
		return
	}
	switch d := &e.Delta; {
	case d.Type == "text_delta" && p.kind == TextStart:
		in.answer.add(p, d.Text)
	case d.Type == "thinking_delta" && p.kind == ThinkingStart:
		in.answer.add(p, d.Thinking)
	case d.Type == "signature_delta" && p.kind == ThinkingStart:
		p.signature += d.Signature
	case d.Type == "input_json_delta" && p.kind == ToolCallStart:
		in.answer.add(p, d.PartialJSON)
	}
}

// delta reads the stop reason and the counts.
func (in *anthropicReader) delta(e *anthropicEvent) {
	out := &in.answer.message
	if reason := e.Delta.StopReason; reason != "" {
		out.StopReason, in.broken = anthropicStop(reason, e.Delta.StopDetails.Explanation)
	}
	e.Usage.update(&out.Usage)
	if n := e.Usage.Details.Thinking; n > 0 {
		out.Usage.Reasoning = n
	}
	count(&out.Usage, in.model, in.tiers)
}

// finish closes open blocks and returns an error if the response is incomplete.
func (in *anthropicReader) finish() error {
	switch {
	case in.broken != "":
		return &brokenOff{in.broken}
	case in.answer.message.StopReason == "":
		return errCut
	}
	return in.answer.endAll()
}

// anthropicStop translates a stop reason. broken is set if there is no usable
// response.
func anthropicStop(reason, explanation string) (stop, broken string) {
	switch reason {
	case "end_turn", "pause_turn", "stop_sequence":
		return stopStop, ""
	case "max_tokens":
		return stopLength, ""
	case "tool_use":
		return stopToolUse, ""
	case "refusal":
		explanation = cmp.Or(explanation, "The model refused to complete the request")
		return stopError, explanation
	case "sensitive":
		return stopError, "Provider stopped with: sensitive"
	}
	// This includes an exceeded context window; the text says so.
	return stopError, "Unhandled stop reason: " + reason
}
