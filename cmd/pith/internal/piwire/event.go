// Package piwire encodes the events and errors of a conversation as pi's clients
// expect them.
package piwire

import (
	"encoding/json"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// EncodeEvent encodes an event as one line of JSON: an object whose type is the
// event's name, with the members that pi's listeners know. It also encodes
// entry IDs and events that pi does not have.
func EncodeEvent(e agent.Event) json.RawMessage {
	return json.RawMessage(encodeEvent(object(`{}`).set("type", EventName(e)), e))
}

// EventName returns the name of an event, which is pi's name if pi has the
// event.
func EventName(e agent.Event) string {
	switch e := e.(type) {
	case *agent.AgentStart:
		return "agent_start"
	case *agent.AgentEnd:
		return "agent_end"
	case *agent.Settled:
		return "agent_settled"
	case *agent.TurnStart:
		return "turn_start"
	case *agent.TurnEnd:
		return "turn_end"
	case *agent.MessageStart:
		return "message_start"
	case *agent.MessageUpdate:
		return "message_update"
	case *agent.MessageEnd:
		return "message_end"
	case *agent.ToolProgress:
		switch {
		case e.Done:
			return "tool_execution_end"
		case e.Output != nil:
			return "tool_execution_update"
		}
		return "tool_execution_start"
	case *agent.QueueChanged:
		return "queue_update"
	case *agent.RetryStart:
		if e.Summary {
			return "summarization_retry_scheduled"
		}
		return "auto_retry_start"
	case *agent.RetryEnd:
		switch {
		case e.Summary && e.Done:
			return "summarization_retry_finished"
		case e.Summary:
			return "summarization_retry_attempt_start"
		}
		return "auto_retry_end"
	case *agent.CompactionStart:
		return "compaction_start"
	case *agent.CompactionEnd:
		return "compaction_end"
	case *agent.Navigated:
		return "session_tree"
	case *agent.Switched:
		return "session_switched"
	case *agent.NameChanged:
		return "session_info_changed"
	case *agent.ModelChanged:
		return "model_changed"
	case *agent.ThinkingChanged:
		return "thinking_level_changed"
	case *agent.EntryAppended:
		return "entry_appended"
	case *agent.Conflict:
		return "conflict"
	case *agent.Repaired:
		return "context_repaired"
	case *agent.Problem:
		if e.Hook != "" {
			return "extension_error"
		}
	}
	return "problem"
}

func encodeEvent(o object, e agent.Event) object {
	switch e := e.(type) {
	case *agent.AgentEnd:
		return o.set("willRetry", e.WillRetry)
	case *agent.Settled:
		return o.set("aborted", e.Aborted).text("errorMessage", e.Err)
	case *agent.TurnEnd:
		return o.set("entryId", e.EntryID).raw("message", e.Answer.Raw()).raw("toolResults", rawResults(e.Results))
	case *agent.MessageStart:
		if e.Message == nil {
			return o.set("message", map[string]any{"role": e.Role})
		}
		return o.raw("message", e.Message.Raw())
	case *agent.MessageUpdate:
		return o.raw("assistantMessageEvent", encodePiece(e.Piece))
	case *agent.MessageEnd:
		return o.set("entryId", e.EntryID).raw("message", e.Message.Raw())
	case *agent.ToolProgress:
		o = o.call(e.Call)
		switch {
		case e.Done:
			return o.raw("result", encodeOutput(e.Output)).set("isError", e.Output.IsError)
		case e.Output != nil:
			return o.raw("partialResult", encodeOutput(e.Output))
		}
		return o
	case *agent.QueueChanged:
		return o.set("steering", e.Steering).set("followUp", e.FollowUp)
	case *agent.RetryStart:
		o = o.set("attempt", e.Attempt)
		if !e.Summary {
			o = o.set("maxAttempts", e.MaxAttempts)
		}
		return o.set("delayMs", e.Delay.Milliseconds()).text("errorMessage", e.Err)
	case *agent.RetryEnd:
		switch {
		case e.Summary && e.Done:
			return o
		case e.Summary && e.Reason == "":
			return o.set("source", "branchSummary")
		case e.Summary:
			return o.set("source", "compaction").set("reason", e.Reason)
		}
		return o.set("success", e.Err == nil).set("attempt", e.Attempt).text("finalError", e.Err)
	}
	return encodeSessionEvent(o, e)
}

func encodeSessionEvent(o object, e agent.Event) object {
	switch e := e.(type) {
	case *agent.CompactionStart:
		return o.set("reason", e.Reason)
	case *agent.CompactionEnd:
		o = o.set("reason", e.Reason)
		if e.Result != nil {
			o = o.raw("result", encodeCompaction(e.Result))
		}
		o = o.set("aborted", e.Aborted).set("willRetry", e.WillRetry)
		if text := CompactionMessage(e); text != "" {
			o = o.set("errorMessage", text)
		}
		return o
	case *agent.Navigated:
		summary := ""
		if e.Summary != nil {
			summary = e.Summary.ID
		}
		return o.id("oldLeafId", e.OldLeafID).id("newLeafId", e.NewLeafID).id("summaryEntryId", summary)
	case *agent.Switched:
		return o.set("reason", e.Reason).set("sessionId", e.Session.ID()).id("sessionFile", e.Session.File()).id("previousSessionFile", e.PreviousFile)
	case *agent.NameChanged:
		return o.id("name", e.To)
	case *agent.ModelChanged:
		return o.set("provider", e.Model.Provider).set("modelId", e.Model.ID)
	case *agent.ThinkingChanged:
		return o.set("level", e.Level)
	case *agent.EntryAppended:
		return o.raw("entry", format.AppendEntry(nil, e.Entry))
	case *agent.Conflict:
		return o.set("entryIds", e.Entries).id("leafId", e.Leaf).set("followed", e.Followed)
	case *agent.Repaired:
		changes := []map[string]string{}
		for _, c := range e.Changes {
			changes = append(changes, map[string]string{"entryId": c.EntryID, "text": c.Text})
		}
		return o.set("changes", changes)
	case *agent.Problem:
		if e.Hook != "" {
			o = o.set("hook", e.Hook)
		}
		return o.text("error", e.Err)
	}
	return o
}

// pieces are the names of the pieces of a response.
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

func encodeOutput(out *agent.ToolOutput) object {
	o := object(`{}`).raw("content", format.AppendContent(nil, format.BlockContent(out.Content...)))
	if jsonl.Valid(out.Details) {
		o = o.raw("details", out.Details)
	}
	return o
}

func encodeCompaction(c *agent.Compaction) object {
	o := object(`{}`).set("entryId", c.ID).set("summary", c.Summary).set("firstKeptEntryId", c.FirstKeptEntryID).
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

// An object is a JSON object under construction.
type object []byte

func (o object) set(name string, value any) object {
	raw, err := jsonl.Marshal(value)
	if err != nil {
		raw = []byte("null") // the values here cannot fail
	}
	return o.raw(name, raw)
}

// raw adds a member whose value is JSON.
func (o object) raw(name string, value []byte) object {
	o = o[:len(o)-1]
	if len(o) > 1 {
		o = append(o, ',')
	}
	o = append(jsonl.AppendString(o, name), ':')
	return append(jsonl.AppendCompact(o, value), '}')
}

// id adds a string, or null for "".
func (o object) id(name, value string) object {
	if value == "" {
		return o.raw(name, []byte("null"))
	}
	return o.set(name, value)
}

// text adds the text of an error, unless it is nil.
func (o object) text(name string, err error) object {
	if err == nil {
		return o
	}
	return o.set(name, err.Error())
}

func (o object) call(c agent.ToolCall) object {
	o = o.set("toolCallId", c.ID).set("toolName", c.Name)
	if jsonl.Valid(c.Arguments) {
		return o.raw("args", c.Arguments)
	}
	return o.set("args", string(c.Arguments))
}
