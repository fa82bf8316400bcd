// Package piwire encodes the events and errors of a conversation as pi's clients
// expect them.
package piwire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// EncodeEvent encodes an event as one line of JSON: an object whose type is the
// event's name, which is pi's name if pi has the event, with the members that
// pi's listeners know. It also encodes entry IDs and events that pi does not
// have.
func EncodeEvent(e agent.Event) json.RawMessage { return json.RawMessage(encodeEvent(e)) }

func encodeEvent(e agent.Event) object {
	switch e := e.(type) {
	case *agent.AgentStart:
		return event("agent_start")
	case *agent.AgentEnd:
		return event("agent_end").flag("willRetry", e.WillRetry)
	case *agent.Settled:
		return event("agent_settled").flag("aborted", e.Aborted).text("errorMessage", e.Err)
	case *agent.TurnStart:
		return event("turn_start")
	case *agent.TurnEnd:
		var results [][]byte
		for _, r := range e.Results {
			results = append(results, r.Raw())
		}
		return event("turn_end").set("entryId", e.EntryID).raw("message", e.Answer.Raw()).list("toolResults", results)
	case *agent.MessageStart:
		if e.Message == nil {
			return event("message_start").raw("message", object(`{}`).set("role", string(e.Role)))
		}
		return event("message_start").raw("message", e.Message.Raw())
	case *agent.MessageUpdate:
		return event("message_update").raw("assistantMessageEvent", encodePiece(e.Piece))
	case *agent.MessageEnd:
		return event("message_end").set("entryId", e.EntryID).raw("message", e.Message.Raw())
	case *agent.ToolProgress:
		switch {
		case e.Done:
			return event("tool_execution_end").call(e.Call).raw("result", encodeOutput(e.Output)).flag("isError", e.Output.IsError)
		case e.Output != nil:
			return event("tool_execution_update").call(e.Call).raw("partialResult", encodeOutput(e.Output))
		}
		return event("tool_execution_start").call(e.Call)
	case *agent.QueueChanged:
		return event("queue_update").raw("steering", jsonl.AppendStrings(nil, e.Steering)).raw("followUp", jsonl.AppendStrings(nil, e.FollowUp))
	case *agent.RetryStart:
		o := event("summarization_retry_scheduled").number("attempt", int64(e.Attempt))
		if !e.Summary {
			o = event("auto_retry_start").number("attempt", int64(e.Attempt)).number("maxAttempts", int64(e.MaxAttempts))
		}
		return o.number("delayMs", e.Delay.Milliseconds()).text("errorMessage", e.Err)
	case *agent.RetryEnd:
		switch {
		case e.Summary && e.Done:
			return event("summarization_retry_finished")
		case e.Summary && e.Reason == "":
			return event("summarization_retry_attempt_start").set("source", "branchSummary")
		case e.Summary:
			return event("summarization_retry_attempt_start").set("source", "compaction").set("reason", string(e.Reason))
		}
		return event("auto_retry_end").flag("success", e.Err == nil).number("attempt", int64(e.Attempt)).text("finalError", e.Err)
	}
	return encodeSessionEvent(e)
}

func encodeSessionEvent(e agent.Event) object {
	switch e := e.(type) {
	case *agent.CompactionStart:
		return event("compaction_start").set("reason", string(e.Reason))
	case *agent.CompactionEnd:
		o := event("compaction_end").set("reason", string(e.Reason))
		if e.Result != nil {
			o = o.raw("result", encodeCompaction(e.Result))
		}
		o = o.flag("aborted", e.Aborted).flag("willRetry", e.WillRetry)
		if text := CompactionMessage(e); text != "" {
			o = o.set("errorMessage", text)
		}
		return o
	case *agent.Navigated:
		summary := ""
		if e.Summary != nil {
			summary = e.Summary.ID
		}
		return event("session_tree").id("oldLeafId", e.OldLeafID).id("newLeafId", e.NewLeafID).id("summaryEntryId", summary)
	case *agent.Switched:
		return event("session_switched").set("reason", string(e.Reason)).set("sessionId", e.Session.ID()).id("sessionFile", e.Session.File()).id("previousSessionFile", e.PreviousFile)
	case *agent.NameChanged:
		return event("session_info_changed").id("name", e.To)
	case *agent.ModelChanged:
		return event("model_changed").set("provider", e.Model.Provider).set("modelId", e.Model.ID)
	case *agent.ThinkingChanged:
		return event("thinking_level_changed").set("level", e.Level)
	case *agent.EntryAppended:
		return event("entry_appended").raw("entry", format.AppendEntry(nil, e.Entry))
	case *agent.Conflict:
		return event("conflict").raw("entryIds", jsonl.AppendStrings(nil, e.Entries)).id("leafId", e.Leaf).flag("followed", e.Followed)
	case *agent.Repaired:
		var changes [][]byte
		for _, c := range e.Changes {
			changes = append(changes, object(`{}`).set("entryId", c.EntryID).set("text", c.Text))
		}
		return event("context_repaired").list("changes", changes)
	case *agent.Problem:
		if e.Hook != "" {
			return event("extension_error").set("hook", e.Hook).text("error", e.Err)
		}
		return event("problem").text("error", e.Err)
	}
	return event("problem")
}

// event returns an object of a type.
func event(name string) object { return object(`{}`).set("type", name) }

// pieces are the names of the pieces of a response.
var pieces = map[llm.EventKind]string{
	llm.Start:     "start",
	llm.TextStart: "text_start", llm.TextDelta: "text_delta", llm.TextEnd: "text_end",
	llm.ThinkingStart: "thinking_start", llm.ThinkingDelta: "thinking_delta", llm.ThinkingEnd: "thinking_end",
	llm.ToolCallStart: "toolcall_start", llm.ToolCallDelta: "toolcall_delta", llm.ToolCallEnd: "toolcall_end",
}

func encodePiece(p llm.Event) object {
	o := event(pieces[p.Kind])
	if p.Kind == llm.Start {
		return o
	}
	o = o.number("contentIndex", int64(p.Index))
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
		number("tokensBefore", c.TokensBefore).number("estimatedTokensAfter", c.EstimatedTokensAfter)
	if jsonl.Valid(c.Details) {
		o = o.raw("details", c.Details)
	}
	return o
}

// An object is a JSON object under construction.
type object []byte

func (o object) set(name, value string) object { return o.raw(name, jsonl.AppendString(nil, value)) }

func (o object) flag(name string, value bool) object {
	return o.raw(name, strconv.AppendBool(nil, value))
}

func (o object) number(name string, n int64) object {
	return o.raw(name, strconv.AppendInt(nil, n, 10))
}

// list adds a list of JSON values.
func (o object) list(name string, values [][]byte) object {
	return o.raw(name, slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'}))
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
