package llmtest

import (
	"cmp"
	"fmt"
	"strings"
)

// An object is JSON with sorted names.
type object = map[string]any

// Anthropic returns the stream of an answer in the Messages protocol.
func (a Answer) Anthropic(model string) string {
	if a.Raw != "" {
		return a.Raw
	}
	var s strings.Builder
	event := func(kind string, o object) {
		o["type"] = kind
		fmt.Fprintf(&s, "event: %s\ndata: %s\n\n", kind, marshal(o))
	}
	message := object{"id": a.ID, "type": "message", "role": "assistant", "model": cmp.Or(a.Model, model), "content": []any{}, "stop_reason": nil}
	if !a.Usage.None {
		message["usage"] = object{
			"input_tokens": a.Usage.Input, "output_tokens": 1,
			"cache_read_input_tokens": a.Usage.CacheRead, "cache_creation_input_tokens": a.Usage.CacheWrite,
		}
	}
	event("message_start", object{"message": message})
	event("ping", object{})
	for i, b := range a.Blocks {
		event("content_block_start", object{"index": i, "content_block": b.anthropicStart()})
		for _, delta := range b.anthropicDeltas() {
			event("content_block_delta", object{"index": i, "delta": delta})
		}
		event("content_block_stop", object{"index": i})
	}
	if a.Fault != "" {
		fmt.Fprintf(&s, "event: error\ndata: %s\n\n", a.Fault)
		return s.String()
	}
	last := object{"delta": object{"stop_reason": a.anthropicStop(), "stop_sequence": nil}}
	if !a.Usage.None {
		last["usage"] = object{"output_tokens": a.Usage.Output, "output_tokens_details": object{"thinking_tokens": a.Usage.Reasoning}}
	}
	event("message_delta", last)
	event("message_stop", object{})
	return s.String()
}

func (b Block) anthropicStart() object {
	switch b.kind {
	case thinking:
		return object{"type": "thinking", "thinking": "", "signature": ""}
	case redacted:
		return object{"type": "redacted_thinking", "data": b.Redacted}
	case call:
		return object{"type": "tool_use", "id": b.CallID, "name": b.Tool, "input": object{}}
	}
	return object{"type": "text", "text": ""}
}

func (b Block) anthropicDeltas() []object {
	var out []object
	switch b.kind {
	case text:
		for _, p := range pieces(b.Text) {
			out = append(out, object{"type": "text_delta", "text": p})
		}
	case thinking:
		for _, p := range pieces(b.Thinking) {
			out = append(out, object{"type": "thinking_delta", "thinking": p})
		}
		out = append(out, object{"type": "signature_delta", "signature": b.Signature})
	case call:
		for _, p := range pieces(b.Arguments) {
			out = append(out, object{"type": "input_json_delta", "partial_json": p})
		}
	}
	return out
}

func (a Answer) anthropicStop() string {
	switch stop := a.stop(); stop {
	case "stop":
		return "end_turn"
	case "length":
		return "max_tokens"
	case "toolUse":
		return "tool_use"
	default:
		return stop
	}
}

// OpenAI returns the stream of an answer in the Chat Completions protocol.
func (a Answer) OpenAI(model string) string {
	if a.Raw != "" {
		return a.Raw
	}
	var s strings.Builder
	chunk := func(o object) {
		o["id"], o["object"], o["model"] = a.ID, "chat.completion.chunk", cmp.Or(a.Model, model)
		fmt.Fprintf(&s, "data: %s\n\n", marshal(o))
	}
	delta := func(d object) { chunk(object{"choices": []any{object{"index": 0, "delta": d}}}) }
	delta(object{"role": "assistant", "content": ""})
	calls := 0
	for _, b := range a.Blocks {
		switch b.kind {
		case text:
			for _, p := range pieces(b.Text) {
				delta(object{"content": p})
			}
		case thinking:
			for _, p := range pieces(b.Thinking) {
				delta(object{"reasoning_content": p})
			}
		case call:
			for i, p := range pieces(b.Arguments) {
				c := object{"index": calls, "function": object{"arguments": p}}
				if i == 0 {
					c["id"], c["type"], c["function"] = b.CallID, "function", object{"name": b.Tool, "arguments": p}
				}
				delta(object{"tool_calls": []any{c}})
			}
			calls++
		}
	}
	if a.Fault != "" {
		fmt.Fprintf(&s, "data: {\"error\":%s}\n\n", a.Fault)
		return s.String()
	}
	chunk(object{"choices": []any{object{"index": 0, "delta": object{}, "finish_reason": a.openAIStop()}}})
	if u := a.Usage; !u.None {
		chunk(object{"choices": []any{}, "usage": object{
			"prompt_tokens": u.Input + u.CacheRead + u.CacheWrite, "completion_tokens": u.Output,
			"total_tokens":              u.Input + u.CacheRead + u.CacheWrite + u.Output,
			"prompt_tokens_details":     object{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
			"completion_tokens_details": object{"reasoning_tokens": u.Reasoning},
		}})
	}
	s.WriteString("data: [DONE]\n\n")
	return s.String()
}

func (a Answer) openAIStop() string {
	if stop := a.stop(); stop != "toolUse" {
		return stop
	}
	return "tool_calls"
}
