package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// A hookCall is a question of the server.
type hookCall struct {
	ID     string
	Method string
	Params json.RawMessage
}

// answer waits for a question and answers it with the JSON given.
func (p *partner) answer(result string) hookCall {
	p.t.Helper()
	var q hookCall
	decode(p.t, json.RawMessage(p.until(`"method":"hook/`)), &q)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, q.ID, result))
	return q
}

func (p *partner) hooks(names ...string) { p.call("setHooks", p.with(with{"hooks": names})) }

// A client may give the summary itself, after it has looked at the session.
func TestHookGivesSummary(t *testing.T) {
	p := meet(t)
	p.hooks("session_before_compact", "session_compact")
	p.raw(801, "compact", with{"customInstructions": "be short"})
	var q hookCall
	decode(t, json.RawMessage(p.until(`"method":"hook/session_before_compact"`)), &q)
	var about struct {
		Session, Reason, CustomInstructions string
		Preparation                         struct {
			FirstKeptEntryID    string
			TokensBefore        int
			MessagesToSummarize []json.RawMessage
			FileOps             struct{ Read []string }
		}
		BranchEntries json.RawMessage
	}
	decode(t, q.Params, &about)
	if about.Session != p.session || about.Reason != "manual" || about.CustomInstructions != "be short" || len(about.Preparation.MessagesToSummarize) == 0 || about.Preparation.TokensBefore <= 0 {
		t.Errorf("the hook was told %+v", about)
	}
	p.raw(802, "getBranch", nil) // while the server waits
	var branch struct{ Result json.RawMessage }
	decode(t, json.RawMessage(p.until(`"id":802,`)), &branch)
	if !strings.HasPrefix(string(branch.Result), `[{"type"`) || string(about.BranchEntries) != string(branch.Result) {
		t.Errorf("branchEntries = %s, want what getBranch gives: %s", about.BranchEntries, branch.Result)
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"compaction":{"summary":"by the client","details":{"mine":true}}}}`, q.ID))
	p.answer("null") // session_compact
	line := p.until(`"id":801,`)
	if !strings.Contains(line, `"summary":"by the client"`) || !strings.Contains(line, `"fromHook":true`) || !strings.Contains(line, `"details":{"mine":true}`) {
		t.Errorf("compact = %s", line)
	}
	if file := p.bytes(); !strings.Contains(file, `"fromHook":true`) || !strings.Contains(file, about.Preparation.FirstKeptEntryID) || len(p.model.Requests()) != 0 {
		t.Errorf("the client's compaction is not in the file, or a model was asked %d times", len(p.model.Requests()))
	}
}

func TestHookDecides(t *testing.T) {
	tests := map[string]struct {
		hook, method string
		params       func(p *partner) with
		answer       string
		want         string // a part of the reply
		same         bool   // the file must stay as it was
	}{
		"cancel compact":  {"session_before_compact", "compact", nil, `{"cancel":true}`, `"kind":"vetoed"`, true},
		"empty summary":   {"session_before_compact", "compact", nil, `{"compaction":{"summary":" "}}`, `"kind":"summaryFailed"`, true},
		"add details":     {"session_before_compact", "compact", nil, `{"details":{"by":"client"}}`, `"details":{"by":"client"}`, false},
		"says nothing":    {"session_before_compact", "compact", nil, `null`, `"fromHook":false`, false},
		"nonsense":        {"session_before_compact", "compact", nil, `[1]`, `"fromHook":false`, false},
		"wrong type":      {"session_before_compact", "compact", nil, `{"compaction":{"summary":5}}`, `"fromHook":false`, false},
		"cancel tree":     {"session_before_tree", "navigateTree", (*partner).toRoot, `{"cancel":true}`, `"cancelled":true`, true},
		"summary of tree": {"session_before_tree", "navigateTree", (*partner).toRoot, `{"summary":{"summary":"left behind"},"label":"x"}`, `"summaryEntryId":"`, false},
		"cancel fork":     {"session_before_fork", "clone", nil, `{"cancel":true}`, `"cancelled":true`, true},
		"cancel switch":   {"session_before_switch", "switchSession", (*partner).toItself, `{"cancel":true}`, `"cancelled":true`, true},
		"with a prompt":   {"before_agent_start", "prompt", (*partner).hello, `{"message":{"customType":"c","content":"from the client","display":true},"systemPrompt":"be kind"}`, `"role":"assistant"`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := meet(t, llmtest.Text("by the model"), llmtest.Text("by the model"))
			p.hooks(tt.hook)
			before := p.bytes()
			var params with
			if tt.params != nil {
				params = tt.params(p)
			}
			p.raw(801, tt.method, params)
			p.answer(tt.answer)
			if line := p.until(`"id":801,`); !strings.Contains(line, tt.want) {
				t.Errorf("%s, answered with %s = %s; want %s", tt.method, tt.answer, line, tt.want)
			}
			if tt.same && p.bytes() != before {
				t.Error("the file was changed")
			}
			if name == "with a prompt" {
				body := string(p.model.Last().Body)
				if !strings.Contains(body, "from the client") || !strings.Contains(body, "be kind") {
					t.Errorf("the model was asked %s", body)
				}
			}
		})
	}
}

func (p *partner) toRoot() with   { return with{"targetId": nil, "summarize": true} }
func (p *partner) toItself() with { return with{"path": p.file} }
func (p *partner) hello() with    { return with{"text": "hello"} }

// A hook that fails, or answers too late, counts as one that says nothing; a late
// answer is dropped without a word.
func TestHookFails(t *testing.T) {
	p := meet(t, llmtest.Text("by the model"), llmtest.Text("by the model"))
	p.call("setHooks", p.with(with{"hooks": []string{"session_before_compact"}, "timeoutMs": 30}))
	p.raw(801, "compact", nil)
	var q hookCall
	decode(t, json.RawMessage(p.until(`"method":"hook/`)), &q)
	p.until(`"type":"extension_error"`)
	if line := p.until(`"id":801,`); !strings.Contains(line, "by the model") {
		t.Errorf("compact = %s; want the model's summary", line)
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"cancel":true}}`, q.ID))
	if raw := p.call("version", with{}); !strings.Contains(string(raw), "format") {
		t.Errorf("version = %s", raw)
	}

	other := meet(t, llmtest.Text("by the model"), llmtest.Text("by the model"))
	other.hooks("session_before_compact")
	other.raw(801, "compact", nil)
	decode(t, json.RawMessage(other.until(`"method":"hook/`)), &q)
	other.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"error":{"code":1,"message":"no idea"}}`, q.ID))
	if line := other.until(`"type":"extension_error"`); !strings.Contains(line, "no idea") {
		t.Errorf("told %s", line)
	}
	other.until(`"id":801,`)
}

// Abort ends the waiting for a hook, and so does the end of the input.
func TestHookIsNotWaitedForInVain(t *testing.T) {
	p := meet(t)
	p.hooks("session_before_compact")
	before := p.bytes()
	p.raw(801, "compact", nil)
	p.until(`"method":"hook/`)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"abort","params":{"session":%q}}`, p.session))
	if line := p.until(`"id":801,`); !strings.Contains(line, `"kind":"aborted"`) {
		t.Errorf("compact = %s; want aborted", line)
	}
	if p.bytes() != before {
		t.Error("an aborted compaction changed the file")
	}
	p.call("configure", p.with(with{"summarizer": "extract"}))
	p.raw(803, "compact", nil)
	p.until(`"method":"hook/`)
	p.hangUp()
	if !strings.Contains(p.bytes(), `"type":"compaction"`) {
		t.Error("what was asked before the input ended was not done")
	}
}

// A new name is reported as an event and to the client's hook. The response
// does not wait for the answer of the client, which may have requested the
// name.
func TestHookOfName(t *testing.T) {
	p := meet(t)
	p.hooks("session_info_changed")
	for _, tt := range []struct {
		params with
		want   string // the reported name, as JSON
	}{
		{with{"name": "a name"}, `"a name"`},
		{with{"name": ""}, `null`},
		{with{"name": "if unset", "ifUnset": true}, `"if unset"`},
	} {
		p.raw(801, "appendSessionInfo", tt.params)
		missing := map[string]bool{`"id":801,"result":"`: true, `"event":{"type":"session_info_changed","name":` + tt.want: true, `"method":"hook/session_info_changed"`: true}
		var q hookCall
		for len(missing) > 0 {
			line := p.until(`"jsonrpc"`)
			for part := range missing {
				if strings.Contains(line, part) {
					delete(missing, part)
				}
			}
			if strings.Contains(line, `"method":"hook/`) {
				decode(t, json.RawMessage(line), &q)
			}
		}
		if want := fmt.Sprintf(`{"session":%q,"name":%s}`, p.session, tt.want); string(q.Params) != want {
			t.Errorf("appendSessionInfo(%v): the hook was told %s; want %s", tt.params, q.Params, want)
		}
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":null}`, q.ID))
	}
	// An unchanged name is not reported.
	if raw := p.call("appendSessionInfo", p.with(with{"name": "other", "ifUnset": true})); string(raw) != "null" {
		t.Errorf("appendSessionInfo of a session with a name = %s; want null", raw)
	}
}
