package rpcserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// pi's clients distinguish these errors by their text.
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

// A session that is too small is reported in pi's words too, to the caller and
// to listeners.
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

// Errors of sessions are said in the words of pi, with the codes that they had.
func TestWordsOfSessions(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.jsonl")
	if err := os.WriteFile(other, []byte("{\"some\":\"thing\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	badID := "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"
	p := meet(t)
	for name, tt := range map[string]struct {
		method string
		params with
		want   string
		kind   string
	}{
		"branch":       {"branch", p.with(with{"entryId": "none"}), "Entry none not found", "noEntry"},
		"label":        {"appendLabelChange", p.with(with{"targetId": "none", "label": "x"}), "Entry none not found", "noEntry"},
		"extract":      {"createBranchedSession", p.with(with{"leafId": "none"}), "Entry none not found", "noEntry"},
		"context edit": {"appendContextEdit", p.with(with{"targetId": "none", "replacement": nil}), "Entry none not found", "noEntry"},
		"open":         {"open", with{"path": other}, "Session file is not a valid pi session: " + other, "notSession"},
		"fork":         {"forkFrom", with{"sourcePath": other, "targetCwd": dir}, "Cannot fork: source session file is empty or invalid: " + other, "notSession"},
		"bad id":       {"create", with{"cwd": dir, "id": "../x"}, badID, "invalidParams"},
		"empty id":     {"create", with{"cwd": dir, "id": ""}, badID, "invalidParams"},
		"new session":  {"newSession", p.with(with{"id": ""}), badID, "invalidParams"},
	} {
		_, failed := p.try(tt.method, tt.params)
		if failed == nil || failed.Message != tt.want || failed.Data["kind"] != tt.kind {
			t.Errorf("%s: %s = %v; want %q and the kind %s", name, tt.method, failed, tt.want, tt.kind)
		}
	}
}
