package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// past are the methods that TestPast calls.
var past = []string{"search", "files", "usage", "show", "subagents", "diff", "doctor"}

// The content of sessions can be queried without a handle.
func TestPast(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir}})
	h := c.open("create", with{"cwd": cwd})
	c.call("appendMessage", with{"session": h, "message": user("why does the ocelot build fail")})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"src/ocelot.go","edits":[]}}],"provider":"p","model":"m","usage":{"input":10,"output":5,"cost":{"total":0.5}},"stopReason":"toolUse","timestamp":1}`)})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"toolResult","toolCallId":"c1","toolName":"edit","isError":false,"content":[{"type":"text","text":"ok"}],"timestamp":1}`)})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"read","arguments":{"path":"zoo.go"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`)})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"toolResult","toolCallId":"c2","toolName":"read","isError":true,"content":[{"type":"text","text":"no such file"}],"timestamp":1}`)})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"a missing import of ocelots"}],"provider":"p","model":"m","stopReason":"stop","timestamp":1}`)})
	var file string
	if err := json.Unmarshal(c.call("getSessionFile", with{"session": h}), &file); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		method string
		params with
		want   []string
	}{
		{"search", with{"query": "ocelot"}, []string{`"role":"user"`, `"snippet":"why does the ocelot build fail"`, `"more":false`}},
		{"search", with{"query": "did we ever repair ocelots", "order": "relevance", "cwd": cwd}, []string{`"question":"why does the ocelot build fail"`, `"modified":["src/ocelot.go"]`, `"left":false`}},
		{"search", with{"query": "ocelot", "limit": 1}, []string{`"more":true`}},
		{"search", with{"query": "ocelot", "limit": 0, "offset": 1}, []string{`"matches":[{`, `"more":false`}},
		{"files", with{"path": "ocelot.go"}, []string{`"file":"src/ocelot.go"`, `"changed":1`, `"question":"why does`, `"response":"a missing`}},
		{"usage", with{"by": "model"}, []string{`"key":"p/m"`, `"costMicros":500000`}},
		{"show", with{"path": file}, []string{`"kind":"tool"`, `"total":1`, `"next":null`}},
		{"show", with{"path": file, "view": "toc"}, []string{`"title":"why does the ocelot build fail"`}},
		{"show", with{"path": file, "view": "tools"}, []string{`"items":[{`, `"name":"edit"`, `"total":1`}},
		{"show", with{"path": file, "view": "issues"}, []string{`"items":[{`, `"kind":"toolError"`, `no such file`}},
		{"show", with{"path": file, "view": "costs", "budget": 100}, []string{`"costMicros":500000`}},
		{"subagents", with{"path": file}, []string{`"invocations":[]`, `"runs":0`}},
		{"diff", with{"path": file}, []string{`"common":{"entries":6`, `"bothModified":[]`}},
		{"doctor", with{"path": file}, []string{`"entries":6`, `"findings":`}},
	}
	for _, tt := range tests {
		got := string(c.call(tt.method, tt.params))
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s(%v) = %s\nwant %s", tt.method, tt.params, got, want)
			}
		}
	}
}

// Days are those of the server's clock, or of the zone that the client names.
func TestUsageInATimeZone(t *testing.T) {
	now := time.Date(2026, 11, 19, 1, 0, 0, 0, time.FixedZone("here", 3*3600)) // 22:00 of the 18th in UTC
	c := dial(t, rpcserver.Options{App: ops.App{Dir: t.TempDir(), Now: func() time.Time { return now }}})
	h := c.open("create", with{"cwd": t.TempDir()})
	c.call("appendMessage", with{"session": h, "message": user("hello")})
	c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":"hi"}],"provider":"p","model":"m","usage":{"input":10,"output":5},"stopReason":"stop","timestamp":` + fmt.Sprint(now.UnixMilli()) + `}`)})
	for zone, day := range map[string]string{"": "2026-11-19", "UTC": "2026-11-18"} {
		params := with{"by": "day"}
		if zone != "" {
			params["timeZone"] = zone
		}
		if got := string(c.call("usage", params)); !strings.Contains(got, `"key":"`+day+`"`) {
			t.Errorf("usage by day in the zone %q = %s; want %s", zone, got, day)
		}
	}
	for method, params := range map[string]any{"usage": nil, "listAll": nil} { // the answer has no cost, which is not a cost of zero
		if got := string(c.call(method, params)); !strings.Contains(got, `"unpriced":1`) {
			t.Errorf("%s = %s; want that one call has no cost", method, got)
		}
	}
	if _, failed := c.try("usage", with{"timeZone": "Nowhere/At-All"}); failed == nil || failed.Data["param"] != "timeZone" {
		t.Errorf("usage in a zone that does not exist: %v; want a failure about timeZone", failed)
	}
}
