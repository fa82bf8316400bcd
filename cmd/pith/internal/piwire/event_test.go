package piwire_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func TestEncodeEvent(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: t.TempDir(), ID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	call := agent.ToolCall{ID: "c1", Name: "read", Arguments: json.RawMessage(`{ "a": 1 }`)}
	boom, output := errors.New("boom"), agent.Text("x")
	tests := []struct {
		event agent.Event
		want  string
	}{
		{&agent.AgentStart{}, `{"type":"agent_start"}`},
		{&agent.AgentEnd{WillRetry: true}, `{"type":"agent_end","willRetry":true}`},
		{&agent.Settled{Err: boom}, `{"type":"agent_settled","aborted":false,"errorMessage":"boom"}`},
		{&agent.MessageStart{Role: format.RoleAssistant}, `{"type":"message_start","message":{"role":"assistant"}}`},
		{&agent.MessageEnd{EntryID: "e1", Message: &format.User{Content: format.TextContent("hi"), Timestamp: 5}},
			`{"type":"message_end","entryId":"e1","message":{"role":"user","content":"hi","timestamp":5}}`},
		{&agent.MessageUpdate{Piece: llm.Event{Kind: llm.Start}}, `{"type":"message_update","assistantMessageEvent":{"type":"start"}}`},
		{&agent.MessageUpdate{Piece: llm.Event{Kind: llm.TextDelta, Index: 1, Delta: "<a>"}},
			`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"<a>"}}`},
		{&agent.MessageUpdate{Piece: llm.Event{Kind: llm.TextEnd, Block: &format.TextBlock{Text: "x"}}},
			`{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":{"type":"text","text":"x"}}}`},
		{&agent.ToolProgress{Call: call}, `{"type":"tool_execution_start","toolCallId":"c1","toolName":"read","args":{"a":1}}`},
		{&agent.ToolProgress{Call: call, Output: &output, Done: true},
			`{"type":"tool_execution_end","toolCallId":"c1","toolName":"read","args":{"a":1},"result":{"content":[{"type":"text","text":"x"}]},"isError":false}`},
		{&agent.QueueChanged{Steering: []string{"s"}, FollowUp: []string{}}, `{"type":"queue_update","steering":["s"],"followUp":[]}`},
		{&agent.RetryStart{Attempt: 1, MaxAttempts: 3, Delay: 2 * time.Second, Err: boom},
			`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"boom"}`},
		{&agent.RetryEnd{Attempt: 1}, `{"type":"auto_retry_end","success":true,"attempt":1}`},
		{&agent.CompactionEnd{Reason: agent.ReasonThreshold, Err: boom},
			`{"type":"compaction_end","reason":"threshold","aborted":false,"willRetry":false,"errorMessage":"Auto-compaction failed: boom"}`},
		{&agent.CompactionEnd{Reason: agent.ReasonManual, Result: &agent.Compaction{Compaction: &format.Compaction{Base: format.Base{ID: "e"}, Summary: "S", FirstKeptEntryID: "f", TokensBefore: 9}, EstimatedTokensAfter: 4}},
			`{"type":"compaction_end","reason":"manual","result":{"entryId":"e","summary":"S","firstKeptEntryId":"f","tokensBefore":9,"estimatedTokensAfter":4},"aborted":false,"willRetry":false}`},
		{&agent.Navigated{OldLeafID: "a"}, `{"type":"session_tree","oldLeafId":"a","newLeafId":null,"summaryEntryId":null}`},
		{&agent.Switched{Reason: agent.ReasonNew, Session: s}, `{"type":"session_switched","reason":"new","sessionId":"s1","sessionFile":null,"previousSessionFile":null}`},
		{&agent.RetryStart{Summary: true, Attempt: 1, Delay: time.Second, Err: boom}, `{"type":"summarization_retry_scheduled","attempt":1,"delayMs":1000,"errorMessage":"boom"}`},
		{&agent.RetryEnd{Summary: true, Reason: agent.ReasonManual}, `{"type":"summarization_retry_attempt_start","source":"compaction","reason":"manual"}`},
		{&agent.RetryEnd{Summary: true}, `{"type":"summarization_retry_attempt_start","source":"branchSummary"}`},
		{&agent.RetryEnd{Summary: true, Done: true}, `{"type":"summarization_retry_finished"}`},
		{&agent.ToolProgress{Call: call, Output: &output},
			`{"type":"tool_execution_update","toolCallId":"c1","toolName":"read","args":{"a":1},"partialResult":{"content":[{"type":"text","text":"x"}]}}`},
		{&agent.Problem{Err: boom}, `{"type":"problem","error":"boom"}`},
		{&agent.NameChanged{To: "n"}, `{"type":"session_info_changed","name":"n"}`},
		{&agent.ModelChanged{Model: llm.Model{Provider: "p", ID: "m"}}, `{"type":"model_changed","provider":"p","modelId":"m"}`},
		{&agent.Conflict{Entries: []string{"x"}, Leaf: "y", Followed: true}, `{"type":"conflict","entryIds":["x"],"leafId":"y","followed":true}`},
		{&agent.Problem{Hook: "Start", Err: boom}, `{"type":"extension_error","hook":"Start","error":"boom"}`},
	}
	for _, tt := range tests {
		if got := string(piwire.EncodeEvent(tt.event)); got != tt.want {
			t.Errorf("EncodeEvent(%T) =\n %s\nwant\n %s", tt.event, got, tt.want)
		}
	}
}
