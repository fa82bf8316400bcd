package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// interrupted is the text for a call without a result.
const interrupted = "The call was interrupted before it finished. There is no result."

func (r *repair) render(s slot) Message {
	if s.item < 0 {
		return r.madeUpResult(s)
	}
	it := &r.items[s.item]
	switch {
	case it.fate == demoted:
		return Message{it.Pos, it.asUser()}
	case it.fate == answers && it.answered.newID != "":
		return Message{it.Pos, jsonl.Set(it.Raw, "toolCallId", jsonl.AppendString(nil, it.answered.newID))}
	case it.callsChanged():
		return Message{it.Pos, jsonl.Set(it.Raw, "content", it.content())}
	}
	return it.Message
}

func (r *repair) madeUpResult(s slot) Message {
	owner := &r.items[s.owner]
	b := &owner.blocks[s.call.block]
	id := b.id
	if s.call.newID != "" {
		id = s.call.newID
	}
	out := jsonl.AppendString([]byte(`{"role":"toolResult","toolCallId":`), id)
	out = jsonl.AppendString(append(out, `,"toolName":`...), b.name)
	out = appendTextBlock(append(out, `,"content":[`...), interrupted)
	out = append(out, `],"isError":true`...)
	if owner.time == nil { // read once: a response can make thousands of calls
		owner.time = member([]byte{}, owner.Raw, "timestamp")
	}
	return Message{owner.Pos, append(append(out, owner.time...), '}')}
}

func (it *item) callsChanged() bool {
	return slices.ContainsFunc(it.calls, func(c call) bool { return c.why != 0 || c.newID != "" })
}

// content returns the list of a response without the dropped calls. With the
// calls of a truncated response the thinking that led to them is dropped too,
// because providers reject a message that ends in thinking.
func (it *item) content() []byte {
	var blocks [][]byte
	spoken := 0 // blocks up to the last one that is not thinking
	next := 0   // index of the calls
	for i := range it.blocks {
		b := &it.blocks[i]
		raw := b.raw
		if b.kind == blockCall {
			c := &it.calls[next]
			next++
			if c.why != 0 {
				continue
			}
			if c.newID != "" {
				raw = jsonl.Set(raw, "id", jsonl.AppendString(nil, c.newID))
			}
		}
		blocks = append(blocks, raw)
		if b.kind != blockThinking {
			spoken = len(blocks)
		}
	}
	if it.truncated() {
		blocks = blocks[:spoken]
	}
	return list(blocks)
}

// asUser returns a tool result as a user message: the tool, then the content.
// Results contain only text and images.
func (it *item) asUser() json.RawMessage {
	intro := fmt.Sprintf("Result of the tool %q (call %q), whose call is no longer part of this conversation:", it.tool, it.callID)
	if flag(it.Raw, "isError") {
		intro = fmt.Sprintf("Error of the tool %q (call %q), whose call is no longer part of this conversation:", it.tool, it.callID)
	}
	blocks := [][]byte{appendTextBlock(nil, intro)}
	content, _ := jsonl.Lookup(it.Raw, "content")
	for b := range jsonl.Elements(asBlocks(content)) {
		if kind := jsonl.LookupString(b, "type"); kind == "text" || kind == "image" {
			blocks = append(blocks, b)
		}
	}
	return userMessage(it.Raw, list(blocks))
}

// list returns a list of raw values.
func list(values [][]byte) []byte {
	return slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'})
}
