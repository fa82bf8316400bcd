package llm

import (
	"encoding/json"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"github.com/pith-sessions/pith/format"
)

// redactedText is what pi shows for a thought that is encrypted.
const redactedText = "[Reasoning redacted]"

// An anthropicReader reads the events of one answer.
type anthropicReader struct {
	answer  *answer
	model   Model
	tiers   []Tier
	byIndex map[int64]*part // by the provider's index, which counts other blocks too
	broken  string          // why the provider broke off
	ended   bool
}

// read takes events until the message ends. Whatever comes after that is not
// waited for.
func (in *anthropicReader) read(events ssestream.Decoder) error {
	for !in.ended && events.Next() {
		e := events.Event()
		switch e.Type {
		case "error":
			return newStreamError(string(e.Data))
		case "message_start", "message_delta", "message_stop",
			"content_block_start", "content_block_delta", "content_block_stop":
		default:
			continue // a ping, or what later versions send
		}
		var event anthropic.MessageStreamEventUnion
		if err := json.Unmarshal(e.Data, &event); err != nil {
			return fmt.Errorf("%w: %v", errMalformed, err)
		}
		if err := in.event(&event); err != nil {
			return err
		}
	}
	if !in.ended {
		if err := events.Err(); err != nil {
			return fmt.Errorf("%w: %w", errCut, err)
		}
		return errCut
	}
	return in.finish()
}

func (in *anthropicReader) event(e *anthropic.MessageStreamEventUnion) error {
	switch e.Type {
	case "message_start":
		in.start(&e.Message)
	case "content_block_start":
		in.begin(e)
	case "content_block_delta":
		in.add(e)
	case "content_block_stop":
		// Calls are closed when it is known why the answer ended.
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

func (in *anthropicReader) start(m *anthropic.Message) {
	in.answer.start()
	out := &in.answer.message
	out.ResponseID = m.ID
	if model := string(m.Model); model != in.model.ID {
		out.ResponseModel = model
	}
	out.Usage = format.Usage{
		Input: m.Usage.InputTokens, Output: m.Usage.OutputTokens,
		CacheRead: m.Usage.CacheReadInputTokens, CacheWrite: m.Usage.CacheCreationInputTokens,
		CacheWrite1h: m.Usage.CacheCreation.Ephemeral1hInputTokens,
	}
	count(&out.Usage, in.model, in.tiers)
}

func (in *anthropicReader) begin(e *anthropic.MessageStreamEventUnion) {
	a, b := in.answer, &e.ContentBlock
	var p *part // nil for a kind of block that is not known
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
		// Some providers send the arguments at once. Then they are no empty object.
		if raw := b.JSON.Input.Raw(); isSet(raw) && raw != "{}" {
			a.add(p, raw)
		}
	}
	in.byIndex[e.Index] = p
}

func (in *anthropicReader) add(e *anthropic.MessageStreamEventUnion) {
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

// delta takes the stop reason, and the counts that are there: proxies leave out
// those that they sent at the start.
func (in *anthropicReader) delta(e *anthropic.MessageStreamEventUnion) {
	out := &in.answer.message
	if reason := string(e.Delta.StopReason); reason != "" {
		out.StopReason, in.broken = anthropicStop(reason, e.Delta.StopDetails.Explanation)
	}
	u := &e.Usage
	if u.JSON.InputTokens.Valid() {
		out.Usage.Input = u.InputTokens
	}
	if u.JSON.OutputTokens.Valid() {
		out.Usage.Output = u.OutputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		out.Usage.CacheRead = u.CacheReadInputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		out.Usage.CacheWrite = u.CacheCreationInputTokens
	}
	if n := u.OutputTokensDetails.ThinkingTokens; n > 0 {
		out.Usage.Reasoning = n
	}
	count(&out.Usage, in.model, in.tiers)
}

// finish closes what is open and says whether the answer is one.
func (in *anthropicReader) finish() error {
	switch {
	case in.broken != "":
		return &brokenOff{in.broken}
	case in.answer.message.StopReason == "":
		return errCut
	}
	return in.answer.endAll()
}

// anthropicStop translates a stop reason. broken is set when there is no answer.
func anthropicStop(reason, explanation string) (stop, broken string) {
	switch reason {
	case "end_turn", "pause_turn", "stop_sequence":
		return stopStop, ""
	case "max_tokens":
		return stopLength, ""
	case "tool_use":
		return stopToolUse, ""
	case "refusal":
		if explanation == "" {
			explanation = "The model refused to complete the request"
		}
		return stopError, explanation
	case "sensitive":
		return stopError, "Provider stopped with: sensitive"
	}
	// A window that is exceeded comes this way too; the words say so.
	return stopError, "Unhandled stop reason: " + reason
}
