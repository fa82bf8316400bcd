package rpcserver_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// Clients of pi tell these errors apart by their text.
func TestPiWords(t *testing.T) {
	tests := map[string]struct {
		answers []llmtest.Answer
		hook    bool // a hook cancels
		again   bool // it was done before
		method  string
		params  with
		want    string
		whole   bool // want is all of it
		kind    string
	}{
		"already compacted": {answers: []llmtest.Answer{llmtest.Text("S"), llmtest.Text("S")}, again: true, method: "compact", want: "Already compacted", whole: true, kind: "nothing"},
		"cancelled":         {hook: true, method: "compact", want: "Compaction cancelled", whole: true, kind: "vetoed"},
		"failed":            {answers: []llmtest.Answer{llmtest.Status(400, "no")}, method: "compact", want: "Summarization failed: 400", kind: "summaryFailed"},
		"turn failed":       {answers: []llmtest.Answer{llmtest.Text("S"), llmtest.Status(400, "no")}, method: "compact", want: "Turn prefix summarization failed: 400", kind: "summaryFailed"},
		"branch failed": {
			answers: []llmtest.Answer{llmtest.Status(400, "no")}, method: "navigateTree", params: with{"targetId": nil, "summarize": true},
			want: "Branch summarization failed: 400", kind: "summaryFailed",
		},
		"no entry": {method: "navigateTree", params: with{"targetId": "nowhere"}, want: "Entry nowhere not found", whole: true, kind: "noEntry"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := meet(t, tt.answers...)
			p.call("setModel", p.with(with{"provider": llmtest.AnthropicProvider, "modelId": llmtest.ModelID}))
			if tt.again {
				p.call(tt.method, p.with(tt.params))
			}
			if tt.hook {
				p.hooks("session_before_compact")
				p.raw(801, tt.method, tt.params)
				p.answer(`{"cancel":true}`)
			} else {
				p.raw(801, tt.method, tt.params)
			}
			var reply struct{ Error failure }
			decode(t, json.RawMessage(p.until(`"id":801,`)), &reply)
			got := reply.Error
			if !strings.HasPrefix(got.Message, tt.want) || tt.whole && got.Message != tt.want || got.Data["kind"] != tt.kind {
				t.Errorf("%s = %v; want %q and the kind %s", tt.method, got, tt.want, tt.kind)
			}
		})
	}
}

// What is too small is said in the words of pi too, to the caller and to listeners.
func TestTooSmall(t *testing.T) {
	p := meet(t)
	p.call("configure", p.with(with{"keepRecentTokens": 1_000_000}))
	p.raw(801, "compact", nil)
	if line := p.until(`"type":"compaction_end"`); !strings.Contains(line, `"errorMessage":"Compaction failed: Nothing to compact (session too small)"`) {
		t.Errorf("told %s", line)
	}
	if line := p.until(`"id":801,`); !strings.Contains(line, `"message":"Nothing to compact (session too small)"`) {
		t.Errorf("compact = %s", line)
	}
}

// A summarizer that cannot be started failed to write a summary. That a file is
// missing in which it was to run does not mean that the session is.
func TestSummarizerCannotStart(t *testing.T) {
	p := meet(t)
	if err := os.Remove(p.text("getCwd", p.session1())); err != nil {
		t.Fatal(err)
	}
	p.call("configure", p.with(with{"summarizer": "cmd:cat"}))
	if _, failed := p.try("compact", p.session1()); failed == nil || failed.Data["kind"] != "summaryFailed" {
		t.Errorf("compact = %v; want summaryFailed", failed)
	}
}
