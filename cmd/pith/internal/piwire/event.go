// Package piwire encodes the events and errors of a conversation as pi's clients
// expect them.
package piwire

import (
	"bytes"
	"encoding/json"
	"slices"

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

func encodeEvent(e agent.Event) Object {
	switch e := e.(type) {
	case *agent.AgentStart:
		return event("agent_start")
	case *agent.AgentEnd:
		return event("agent_end").Flag("willRetry", e.WillRetry)
	case *agent.Settled:
		return event("agent_settled").Flag("aborted", e.Aborted).text("errorMessage", e.Err)
	case *agent.TurnStart:
		return event("turn_start")
	case *agent.TurnEnd:
		var results [][]byte
		for _, r := range e.Results {
			results = append(results, r.Raw())
		}
		return event("turn_end").Text("entryId", e.EntryID).compact("message", e.Answer.Raw()).list("toolResults", results)
	case *agent.MessageStart:
		if e.Message == nil {
			return event("message_start").Raw("message", Object{}.Text("role", string(e.Role)))
		}
		return event("message_start").compact("message", e.Message.Raw())
	case *agent.MessageUpdate:
		return event("message_update").Raw("assistantMessageEvent", encodePiece(e.Piece))
	case *agent.MessageEnd:
		return event("message_end").Text("entryId", e.EntryID).compact("message", e.Message.Raw())
	case *agent.ToolProgress:
		switch {
		case e.Done:
			return event("tool_execution_end").call(e.Call).Raw("result", encodeOutput(e.Output)).Flag("isError", e.Output.IsError)
		case e.Output != nil:
			return event("tool_execution_update").call(e.Call).Raw("partialResult", encodeOutput(e.Output))
		}
		return event("tool_execution_start").call(e.Call)
	case *agent.QueueChanged:
		return event("queue_update").Raw("steering", jsonl.AppendStrings(nil, e.Steering)).Raw("followUp", jsonl.AppendStrings(nil, e.FollowUp))
	case *agent.RetryStart:
		o := event("summarization_retry_scheduled").Number("attempt", int64(e.Attempt))
		if !e.Summary {
			o = event("auto_retry_start").Number("attempt", int64(e.Attempt)).Number("maxAttempts", int64(e.MaxAttempts))
		}
		return o.Number("delayMs", e.Delay.Milliseconds()).text("errorMessage", e.Err)
	case *agent.RetryEnd:
		switch {
		case e.Summary && e.Done:
			return event("summarization_retry_finished")
		case e.Summary && e.Reason == "":
			return event("summarization_retry_attempt_start").Text("source", "branchSummary")
		case e.Summary:
			return event("summarization_retry_attempt_start").Text("source", "compaction").Text("reason", string(e.Reason))
		}
		return event("auto_retry_end").Flag("success", e.Err == nil).Number("attempt", int64(e.Attempt)).text("finalError", e.Err)
	}
	return encodeSessionEvent(e)
}

func encodeSessionEvent(e agent.Event) Object {
	switch e := e.(type) {
	case *agent.CompactionStart:
		return event("compaction_start").Text("reason", string(e.Reason))
	case *agent.CompactionEnd:
		o := event("compaction_end").Text("reason", string(e.Reason))
		if e.Result != nil {
			o = o.Raw("result", encodeCompaction(e.Result))
		}
		return o.Flag("aborted", e.Aborted).Flag("willRetry", e.WillRetry).Known("errorMessage", CompactionMessage(e))
	case *agent.Navigated:
		summary := ""
		if e.Summary != nil {
			summary = e.Summary.ID
		}
		return event("session_tree").TextOrNull("oldLeafId", e.OldLeafID).TextOrNull("newLeafId", e.NewLeafID).TextOrNull("summaryEntryId", summary)
	case *agent.Switched:
		return event("session_switched").Text("reason", string(e.Reason)).Text("sessionId", e.Session.ID()).TextOrNull("sessionFile", e.Session.File()).TextOrNull("previousSessionFile", e.PreviousFile)
	case *agent.NameChanged:
		return event("session_info_changed").TextOrNull("name", e.To)
	case *agent.ModelChanged:
		return event("model_changed").Text("provider", e.Model.Provider).Text("modelId", e.Model.ID)
	case *agent.ThinkingChanged:
		return event("thinking_level_changed").Text("level", e.Level)
	case *agent.EntryAppended:
		return event("entry_appended").compact("entry", format.AppendEntry(nil, e.Entry))
	case *agent.Conflict:
		return event("conflict").Raw("entryIds", jsonl.AppendStrings(nil, e.Entries)).TextOrNull("leafId", e.Leaf).Flag("followed", e.Followed)
	case *agent.Repaired:
		var changes [][]byte
		for _, c := range e.Changes {
			changes = append(changes, Object{}.Text("entryId", c.EntryID).Text("text", c.Text))
		}
		return event("context_repaired").list("changes", changes)
	case *agent.Problem:
		if e.Hook != "" {
			return event("extension_error").Text("hook", e.Hook).text("error", e.Err)
		}
		return event("problem").text("error", e.Err)
	}
	return event("problem")
}

// event returns an object of a type.
func event(name string) Object { return Object{}.Text("type", name) }

// pieces are the names of the pieces of a response.
var pieces = map[llm.EventKind]string{
	llm.Start:     "start",
	llm.TextStart: "text_start", llm.TextDelta: "text_delta", llm.TextEnd: "text_end",
	llm.ThinkingStart: "thinking_start", llm.ThinkingDelta: "thinking_delta", llm.ThinkingEnd: "thinking_end",
	llm.ToolCallStart: "toolcall_start", llm.ToolCallDelta: "toolcall_delta", llm.ToolCallEnd: "toolcall_end",
}

func encodePiece(p llm.Event) Object {
	o := event(pieces[p.Kind])
	if p.Kind == llm.Start {
		return o
	}
	o = o.Number("contentIndex", int64(p.Index))
	switch p.Kind {
	case llm.TextDelta, llm.ThinkingDelta, llm.ToolCallDelta:
		o = o.Text("delta", p.Delta)
	}
	o = o.Known("toolName", p.ToolName)
	if p.Block != nil {
		o = o.compact("content", p.Block.JSON())
	}
	return o
}

func encodeOutput(out *agent.ToolOutput) Object {
	o := Object{}.compact("content", format.AppendContent(nil, format.BlockContent(out.Content...)))
	if jsonl.Valid(out.Details) {
		o = o.compact("details", out.Details)
	}
	return o
}

func encodeCompaction(c *agent.Compaction) Object {
	o := Object{}.Text("entryId", c.ID).Text("summary", c.Summary).Text("firstKeptEntryId", c.FirstKeptEntryID).
		Number("tokensBefore", c.TokensBefore).Number("estimatedTokensAfter", c.EstimatedTokensAfter)
	if jsonl.Valid(c.Details) {
		o = o.compact("details", c.Details)
	}
	return o
}

// list adds a list of JSON values.
func (o Object) list(name string, values [][]byte) Object {
	return o.compact(name, slices.Concat([]byte{'['}, bytes.Join(values, []byte{','}), []byte{']'}))
}

// compact adds a member whose value is JSON, on one line.
func (o Object) compact(name string, value []byte) Object {
	return o.Raw(name, jsonl.AppendCompact(nil, value))
}

// text adds the text of an error, unless it is nil.
func (o Object) text(name string, err error) Object {
	if err == nil {
		return o
	}
	return o.Text(name, err.Error())
}

func (o Object) call(c agent.ToolCall) Object {
	o = o.Text("toolCallId", c.ID).Text("toolName", c.Name)
	if jsonl.Valid(c.Arguments) {
		return o.compact("args", c.Arguments)
	}
	return o.Text("args", string(c.Arguments))
}
