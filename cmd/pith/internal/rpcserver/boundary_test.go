package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// Entries that a client adds after a turn or a run are in the session, and the
// model responds again if the client requests it.
func TestHookAtBoundary(t *testing.T) {
	message := `{"type":"custom_message","customType":"c","content":"check it again","display":true}`
	tests := map[string]struct {
		hook, answer string
		requests     int
		want         []string // parts of the file
		failed       string   // a part of the event extension_error
	}{
		"nothing":              {"turn_end", `null`, 1, nil, ""},
		"state":                {"turn_end", `{"entries":[{"type":"custom","customType":"mine","data":null}]}`, 1, []string{`"customType":"mine","data":null`}, ""},
		"go on after a turn":   {"turn_end", `{"entries":[` + message + `],"continue":true}`, 2, []string{`"check it again"`, "second"}, ""},
		"go on after a run":    {"agent_before_settle", `{"entries":[` + message + `],"continue":true}`, 2, []string{`"check it again"`, "second"}, ""},
		"message and no more":  {"agent_before_settle", `{"entries":[` + message + `]}`, 1, []string{`"check it again"`}, ""},
		"compaction":           {"agent_before_settle", `{"entries":[{"type":"compaction","summary":"all done","firstKeptEntryId":null}]}`, 1, []string{`"summary":"all done"`, `"fromHook":true`}, ""},
		"nothing to answer":    {"agent_before_settle", `{"continue":true}`, 1, nil, "it asked to continue"},
		"unknown type":         {"turn_end", `{"entries":[{"type":"message"}]}`, 1, nil, `has an entry of type \"message\"`},
		"entry is missing":     {"turn_end", `{"entries":[` + message + `,{"type":"context_edit","targetId":"nobody","replacement":null}]}`, 1, nil, "nobody"},
		"edit without content": {"turn_end", `{"entries":[{"type":"context_edit","targetId":"x","replacement":{}}]}`, 1, nil, "must be null or an object with content"},
		"no list":              {"turn_end", `{"entries":5}`, 1, nil, "must be a list of entries"},
		"no flag":              {"turn_end", `{"continue":"yes"}`, 1, nil, "must be true or false"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := meet(t, llmtest.Text("first").Tokens(100, 3), llmtest.Text("second").Tokens(100, 3))
			p.hooks(tt.hook)
			p.raw(801, "prompt", with{"text": "hello"})
			var q hookCall
			var told []string
			for answer, line := tt.answer, ""; !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":801,`); {
				line = p.until("")
				told = append(told, line)
				if strings.Contains(line, `"method":"hook/`) {
					decode(t, json.RawMessage(line), &q)
					p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":%s}`, q.ID, answer))
					answer = "null" // the next turn is as it is
				}
			}
			if q.Method != "hook/"+tt.hook || !strings.Contains(string(q.Params), `"outcome":"completed"`) || !strings.Contains(told[len(told)-1], `"result"`) {
				t.Errorf("asked %s %s, and prompt = %s", q.Method, q.Params, told[len(told)-1])
			}
			if tt.hook == "turn_end" && !strings.Contains(string(q.Params), `"toolResultEntryIds":[],"toolResults":[]`) {
				t.Errorf("turn_end was told %s", q.Params)
			}
			if n := len(p.model.Requests()); n != tt.requests {
				t.Errorf("answered with %s, the model was asked %d times; want %d", tt.answer, n, tt.requests)
			}
			file := p.bytes()
			for _, want := range tt.want {
				if !strings.Contains(file, want) {
					t.Errorf("answered with %s, the file has no %s", tt.answer, want)
				}
			}
			if len(tt.want) == 0 && strings.Contains(file, "check it again") {
				t.Error("a part of an answer that cannot be right was written")
			}
			if got := strings.Join(told, ""); strings.Contains(got, "extension_error") != (tt.failed != "") || !strings.Contains(got, tt.failed) {
				t.Errorf("answered with %s, told %s; want the error %q", tt.answer, got, tt.failed)
			}
		})
	}
}

// The client is not asked about an aborted turn: the abort does not wait.
func TestHookAtBoundaryOfAborted(t *testing.T) {
	p := meet(t, llmtest.Text("never to its end").StallAt(500))
	p.hooks("turn_end", "agent_before_settle")
	p.raw(801, "prompt", with{"text": "hello"})
	p.until(`"type":"message_update"`)
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"abort","params":{"session":%q}}`, p.session))
	for {
		line := p.until("")
		if strings.Contains(line, `"method":"hook/`) || strings.Contains(line, "extension_error") {
			t.Errorf("told %s", line)
		}
		if strings.Contains(line, `"id":801,`) {
			break
		}
	}
}

// A client is notified that its session starts and ends, and may use the server
// while it decides.
func TestHookStartAndShutdown(t *testing.T) {
	p := meet(t)
	p.raw(801, "setHooks", with{"hooks": []string{"session_start", "session_shutdown"}})
	var start hookCall
	for done := 0; done < 2; { // in either order
		switch line := p.until(""); {
		case strings.Contains(line, `"id":801,`):
			done++
		case strings.Contains(line, `"method":"hook/session_start"`):
			decode(t, json.RawMessage(line), &start)
			done++
		}
	}
	if want := fmt.Sprintf(`{"session":%q,"reason":"startup","previousSessionFile":null}`, p.session); string(start.Params) != want {
		t.Errorf("session_start told %s; want %s", start.Params, want)
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":null}`, start.ID))
	p.hooks("session_start", "session_shutdown") // it has started already

	p.raw(802, "close", nil)
	var end hookCall
	decode(t, json.RawMessage(p.until(`"method":"hook/`)), &end)
	if want := fmt.Sprintf(`{"session":%q,"reason":"quit","targetSessionFile":null}`, p.session); end.Method != "hook/session_shutdown" || string(end.Params) != want {
		t.Errorf("asked %s %s; want session_shutdown %s", end.Method, end.Params, want)
	}
	if failed := p.fail("getLeafId", p.with(nil)); failed.Code != -32011 {
		t.Errorf("getLeafId of a session that is being closed = %v; want -32011", failed)
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":null}`, end.ID))
	if line := p.until(`"id":802,`); !strings.Contains(line, `"result":null`) {
		t.Errorf("close = %s", line)
	}
}

// The start is the first thing that a client is asked about, however fast it is.
func TestHookStartIsFirst(t *testing.T) {
	p := meet(t, llmtest.Text("by the model"))
	p.rawAll(p.request(801, "setHooks", with{"hooks": []string{"session_start", "session_before_compact", "session_shutdown"}}),
		p.request(802, "compact", nil))
	var asked []string
	for len(asked) < 2 {
		asked = append(asked, p.answer("null").Method)
	}
	p.until(`"id":802,`)
	p.raw(803, "close", nil)
	asked = append(asked, p.answer("null").Method)
	p.until(`"id":803,`)
	if got, want := strings.Join(asked, " "), "hook/session_start hook/session_before_compact hook/session_shutdown"; got != want {
		t.Errorf("asked %s; want %s", got, want)
	}
}

// A server whose client has gone is not kept from ending by a question.
func TestHookShutdownUnanswered(t *testing.T) {
	p := meet(t)
	p.hooks("session_shutdown")
	p.raw(801, "close", nil)
	p.until(`"method":"hook/session_shutdown"`)
	p.hangUp()

	other := meet(t)
	other.hooks("session_shutdown")
	other.hangUp()
}
