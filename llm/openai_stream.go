package llm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/pith-sessions/pith/format"
)

// An openAIChunk is a piece of a response, including fields that endpoints add
// to the protocol.
type openAIChunk struct {
	ID, Model string
	Error     json.RawMessage
	Usage     json.RawMessage
	Choices   []struct {
		FinishReason string `json:"finish_reason"`
		Delta        openAIDelta
		Usage        json.RawMessage // Moonshot's place for it
	}
}

type openAIDelta struct {
	Content          string
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage
	ReasoningText    json.RawMessage `json:"reasoning_text"`
	Details          json.RawMessage `json:"reasoning_details"`
	ToolCalls        []openAICall    `json:"tool_calls"`
}

type openAICall struct {
	Index    *int64
	ID       string
	Function struct{ Name, Arguments string }
}

// An openAIReader reads the chunks of one response. A response has one text,
// one thinking block and any number of calls, as pi records them; they end
// together.
type openAIReader struct {
	answer   *answer
	model    Model
	tiers    []Tier
	finishes bool // whether the endpoint sends a finish reason

	text, thinking *part
	byIndex        map[int64]*part // calls
	byID           map[string]*part
	details        details
	broken         string // why the provider stopped early
}

func (in *openAIReader) read(stream *events) error {
	for {
		e, ok := stream.next()
		data := bytes.TrimSpace(e.data)
		if !ok || bytes.HasPrefix(data, []byte("[DONE]")) {
			break
		}
		if len(data) == 0 {
			continue
		}
		var chunk openAIChunk
		if err := decodeEvent(data, &chunk); err != nil {
			return fmt.Errorf("%w: %v", errMalformed, err)
		}
		if isSet(chunk.Error) {
			return newStreamError(string(chunk.Error))
		}
		in.chunk(&chunk)
	}
	if err := stream.err(); err != nil {
		return fmt.Errorf("%w: %w", errCut, err)
	}
	return in.finish()
}

func (in *openAIReader) chunk(c *openAIChunk) {
	in.answer.start()
	out := &in.answer.message
	out.ResponseID = cmp.Or(out.ResponseID, c.ID)
	if c.Model != "" && c.Model != in.model.ID && out.ResponseModel == "" {
		out.ResponseModel = c.Model
	}
	usage := c.Usage
	if len(c.Choices) > 0 {
		choice := &c.Choices[0]
		if !isSet(usage) {
			usage = choice.Usage
		}
		if choice.FinishReason != "" {
			out.StopReason, in.broken = openAIStop(choice.FinishReason)
		}
		in.delta(&choice.Delta)
	}
	if isSet(usage) {
		out.Usage = openAIUsage(usage)
		count(&out.Usage, in.model, in.tiers)
	}
}

func (in *openAIReader) delta(d *openAIDelta) {
	a := in.answer
	for i, raw := range []json.RawMessage{d.ReasoningContent, d.Reasoning, d.ReasoningText} {
		var piece string
		if !isSet(raw) || json.Unmarshal(raw, &piece) != nil || piece == "" {
			continue
		}
		p := in.thought()
		p.signature = cmp.Or(p.signature, reasoningFields[i])
		a.add(p, piece)
		break // some endpoints send the same piece under two names
	}
	if isSet(d.Details) && in.details.add(d.Details) {
		in.thought()
	}
	if d.Content != "" {
		if in.text == nil {
			in.text = a.begin(TextStart, "", "")
		}
		a.add(in.text, d.Content)
	}
	for i := range d.ToolCalls {
		in.call(&d.ToolCalls[i])
	}
}

func (in *openAIReader) thought() *part {
	if in.thinking == nil {
		in.thinking = in.answer.begin(ThinkingStart, "", "")
	}
	return in.thinking
}

// call reads a piece of a call. Calls are distinguished by their index or, if
// an endpoint sends none, by their id.
func (in *openAIReader) call(d *openAICall) {
	var p *part
	indexed := d.Index != nil
	if indexed {
		p = in.byIndex[*d.Index]
	}
	if p == nil && d.ID != "" {
		p = in.byID[d.ID]
	}
	if p == nil && !indexed && d.ID == "" {
		p = in.lastCall()
	}
	if p == nil {
		p = in.answer.begin(ToolCallStart, d.ID, d.Function.Name)
	}
	if indexed {
		in.byIndex[*d.Index] = p
	}
	if d.ID != "" {
		in.byID[d.ID] = p
		p.id = cmp.Or(p.id, d.ID)
	}
	p.name = cmp.Or(p.name, d.Function.Name)
	in.answer.add(p, d.Function.Arguments)
}

func (in *openAIReader) lastCall() *part {
	if n := len(in.answer.parts); n > 0 && in.answer.parts[n-1].kind == ToolCallStart {
		return in.answer.parts[n-1]
	}
	return nil
}

// finish returns an error if the response is incomplete, and closes its blocks.
func (in *openAIReader) finish() error {
	out := &in.answer.message
	if in.details != nil && in.thinking != nil {
		in.thinking.signature = in.details.String()
	}
	calls := false
	for _, p := range in.answer.parts {
		if p.kind == ToolCallStart {
			calls = true
			if p.id == "" {
				p.id = madeID(out, p.index)
			}
		}
	}
	switch {
	case in.broken != "":
		return &brokenOff{in.broken}
	case out.StopReason == "" && (in.finishes || !in.answer.started):
		return errCut
	case calls && (out.StopReason == "" || out.StopReason == stopStop):
		out.StopReason = stopToolUse // some endpoints send stop for a call
	case out.StopReason == "":
		out.StopReason = stopStop
	}
	return in.answer.endAll()
}

// madeID returns an id for a call that came without one. Without an id, it
// could not be answered.
func madeID(m *format.Assistant, index int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", m.ResponseID, m.Timestamp, index))
	return "call_" + hex.EncodeToString(sum[:8])
}

// openAIStop translates a finish reason. broken is set if there is no usable
// response.
func openAIStop(reason string) (stop, broken string) {
	switch reason {
	case "stop", "end":
		return stopStop, ""
	case "length":
		return stopLength, ""
	case "tool_calls", "function_call":
		return stopToolUse, ""
	}
	return stopError, "Provider finish_reason: " + reason
}

// openAIUsage reads the counts, which endpoints place differently. The prompt
// count includes cache reads; the input count of a session does not.
func openAIUsage(raw json.RawMessage) format.Usage {
	var u struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached  *int64 `json:"cached_tokens"`
			Written int64  `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		Hits              *int64 `json:"prompt_cache_hit_tokens"`
		Cached            *int64 `json:"cached_tokens"`
		CompletionDetails struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	// Members of the wrong type stay zero.
	_ = json.Unmarshal(raw, &u)
	read := int64(0)
	for _, n := range []*int64{u.Details.Cached, u.Hits, u.Cached} {
		if n != nil {
			read = *n
			break
		}
	}
	return format.Usage{
		Input: max(0, u.Prompt-read-u.Details.Written), Output: u.Completion,
		CacheRead: read, CacheWrite: u.Details.Written, Reasoning: u.CompletionDetails.Reasoning,
	}
}
