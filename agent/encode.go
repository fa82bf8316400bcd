package agent

import (
	"encoding/json"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// EncodeEvent writes an event as one line of JSON, for programs: an object whose
// type is the event's name, with the members that pi's listeners know. Ids of
// entries, and events that pi does not have, come in addition.
func EncodeEvent(e Event) json.RawMessage {
	return json.RawMessage(encodeEvent(object(`{}`).set("type", e.Name()), e))
}

func encodeEvent(o object, e Event) object {
	switch e := e.(type) {
	case *AgentEnd:
		return o.set("willRetry", e.WillRetry)
	case *Settled:
		return o.set("aborted", e.Aborted).text("errorMessage", e.Err)
	case *TurnEnd:
		return o.set("entryId", e.EntryID).raw("message", e.Answer.Raw()).raw("toolResults", rawResults(e.Results))
	case *MessageStart:
		if e.Message == nil {
			return o.set("message", map[string]any{"role": e.Role})
		}
		return o.raw("message", e.Message.Raw())
	case *MessageUpdate:
		return o.raw("assistantMessageEvent", encodePiece(e.Piece))
	case *MessageEnd:
		return o.set("entryId", e.EntryID).raw("message", e.Message.Raw())
	case *ToolStart:
		return o.call(e.Call)
	case *ToolUpdate:
		return o.call(e.Call).raw("partialResult", encodeOutput(e.Partial))
	case *ToolEnd:
		return o.call(e.Call).raw("result", encodeOutput(e.Output)).set("isError", e.Output.IsError)
	case *QueueChanged:
		return o.set("steering", e.Steering).set("followUp", e.FollowUp)
	case *RetryStart:
		return o.set("attempt", e.Attempt).set("maxAttempts", e.MaxAttempts).set("delayMs", e.Delay.Milliseconds()).text("errorMessage", e.Err)
	case *RetryEnd:
		return o.set("success", e.Err == nil).set("attempt", e.Attempt).text("finalError", e.Err)
	}
	return encodeSessionEvent(o, e)
}

func encodeSessionEvent(o object, e Event) object {
	switch e := e.(type) {
	case *CompactionStart:
		return o.set("reason", e.Reason)
	case *CompactionEnd:
		o = o.set("reason", e.Reason)
		if e.Result != nil {
			o = o.raw("result", encodeCompaction(e.Result))
		}
		o = o.set("aborted", e.Aborted).set("willRetry", e.WillRetry)
		if text := e.Message(); text != "" {
			o = o.set("errorMessage", text)
		}
		return o
	case *SummaryRetryScheduled:
		return o.set("attempt", e.Attempt).set("delayMs", e.Delay.Milliseconds()).text("errorMessage", e.Err)
	case *SummaryRetryAttempt:
		o = o.set("source", e.Source)
		if e.Reason != "" {
			o = o.set("reason", e.Reason)
		}
		return o
	case *Navigated:
		return o.id("oldLeafId", e.OldLeafID).id("newLeafId", e.NewLeafID).id("summaryEntryId", e.SummaryID)
	case *Switched:
		return o.set("reason", e.Reason).set("sessionId", e.Session.ID()).id("sessionFile", e.Session.File()).id("previousSessionFile", e.PreviousFile)
	case *NameChanged:
		return o.id("name", e.To)
	case *ModelChanged:
		return o.set("provider", e.Model.Provider).set("modelId", e.Model.ID)
	case *ThinkingChanged:
		return o.set("level", e.Level)
	case *EntryAppended:
		return o.raw("entry", format.AppendEntry(nil, e.Entry))
	case *Conflict:
		return o.set("entryIds", e.Entries).id("leafId", e.Leaf).set("followed", e.Followed)
	case *Repaired:
		changes := []map[string]string{}
		for _, c := range e.Changes {
			changes = append(changes, map[string]string{"entryId": c.EntryID, "text": c.Text})
		}
		return o.set("changes", changes)
	case *HookFailed:
		return o.set("hook", e.Hook).text("error", e.Err)
	case *Problem:
		return o.text("error", e.Err)
	}
	return o
}

// pieces are the names of the pieces of an answer.
var pieces = map[llm.EventKind]string{
	llm.Start:     "start",
	llm.TextStart: "text_start", llm.TextDelta: "text_delta", llm.TextEnd: "text_end",
	llm.ThinkingStart: "thinking_start", llm.ThinkingDelta: "thinking_delta", llm.ThinkingEnd: "thinking_end",
	llm.ToolCallStart: "toolcall_start", llm.ToolCallDelta: "toolcall_delta", llm.ToolCallEnd: "toolcall_end",
}

func encodePiece(p llm.Event) object {
	o := object(`{}`).set("type", pieces[p.Kind])
	if p.Kind == llm.Start {
		return o
	}
	o = o.set("contentIndex", p.Index)
	switch p.Kind {
	case llm.TextDelta, llm.ThinkingDelta, llm.ToolCallDelta:
		o = o.set("delta", p.Delta)
	}
	if p.ToolName != "" {
		o = o.set("toolName", p.ToolName)
	}
	if p.Block != nil {
		o = o.raw("content", p.Block.JSON())
	}
	return o
}

func encodeOutput(out ToolOutput) object {
	o := object(`{}`).raw("content", format.AppendContent(nil, format.BlockContent(out.Content...)))
	if jsonl.Valid(out.Details) {
		o = o.raw("details", out.Details)
	}
	return o
}

func encodeCompaction(c *Compaction) object {
	o := object(`{}`).set("entryId", c.EntryID).set("summary", c.Summary).set("firstKeptEntryId", c.FirstKeptEntryID).
		set("tokensBefore", c.TokensBefore).set("estimatedTokensAfter", c.EstimatedTokensAfter)
	if jsonl.Valid(c.Details) {
		o = o.raw("details", c.Details)
	}
	return o
}

func rawResults(results []*format.ToolResult) json.RawMessage {
	out := []byte{'['}
	for i, r := range results {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, r.Raw()...)
	}
	return append(out, ']')
}

// An object is a JSON object that is being written.
type object []byte

// set adds a member.
func (o object) set(name string, value any) object {
	raw, err := jsonl.Marshal(value)
	if err != nil {
		raw = []byte("null") // none of the values here can fail
	}
	return o.raw(name, raw)
}

// raw adds a member that is JSON.
func (o object) raw(name string, value []byte) object {
	o = o[:len(o)-1]
	if len(o) > 1 {
		o = append(o, ',')
	}
	o = append(jsonl.AppendString(o, name), ':')
	return append(jsonl.AppendCompact(o, value), '}')
}

// id adds a string, null for "".
func (o object) id(name, value string) object {
	if value == "" {
		return o.raw(name, []byte("null"))
	}
	return o.set(name, value)
}

// text adds the text of an error, if there is one.
func (o object) text(name string, err error) object {
	if err == nil {
		return o
	}
	return o.set(name, err.Error())
}

func (o object) call(c ToolCall) object {
	o = o.set("toolCallId", c.ID).set("toolName", c.Name)
	if jsonl.Valid(c.Arguments) {
		return o.raw("args", c.Arguments)
	}
	return o.set("args", string(c.Arguments))
}
