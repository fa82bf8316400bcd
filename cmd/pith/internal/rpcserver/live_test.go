package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/llm/llmtest"
	"github.com/pith-sessions/pith/sessiondir"
)

// A partner is a client with a model, in a project of its own.
type partner struct {
	*client
	model   *llmtest.Server
	session string // the handle of a session with some turns
	file    string
	began   bool // an answer of the model, as far as replies were read
}

// meet starts a server with a model that gives these answers, and a session that
// can be compacted.
func meet(t *testing.T, answers ...llmtest.Answer) *partner {
	t.Helper()
	p := &partner{model: llmtest.NewServer()}
	t.Cleanup(p.model.Close)
	p.model.Answer(answers...)
	home, cwd := t.TempDir(), t.TempDir()
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("models.json", p.model.ModelsJSON())
	write("settings.json", `{"compaction":{"keepRecentTokens":20},"retry":{"enabled":false}}`)
	env := sessiondir.Environment{Home: home, Getenv: func(string) string { return "" }}
	p.client = dial(t, rpcserver.Options{App: ops.App{Dir: t.TempDir()}, Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(env, cwd) }})
	p.session = p.open("create", with{"cwd": cwd})
	for i := range 4 {
		p.call("appendMessage", with{"session": p.session, "message": user(fmt.Sprintf("question %d: %s", i, strings.Repeat("word ", 40)))})
		p.call("appendMessage", with{"session": p.session, "message": with{
			"role": "assistant", "content": []with{{"type": "text", "text": strings.Repeat("answer ", 30)}}, "api": "anthropic-messages",
			"provider": llmtest.AnthropicProvider, "model": llmtest.ModelID, "stopReason": "stop", "timestamp": 1769904172711 + i,
			"usage": with{"input": 10, "output": 5, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 15, "cost": with{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}},
		}})
	}
	p.file = p.text("getSessionFile", with{"session": p.session})
	return p
}

func (p *partner) with(more with) with {
	out := with{"session": p.session}
	for k, v := range more {
		out[k] = v
	}
	return out
}

// request is one as a line.
func (p *partner) request(id int, method string, params with) string {
	p.t.Helper()
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, encode(p.t, p.with(params)))
}

// raw sends a request without waiting for its reply.
func (p *partner) raw(id int, method string, params with) {
	p.t.Helper()
	p.send(p.request(id, method, params))
}

// rawAll sends requests one after the other while the test reads.
func (p *partner) rawAll(requests ...string) {
	go func() { _, _ = io.WriteString(p.requests, strings.Join(requests, "\n")+"\n") }() // the test waits for the replies
}

// until reads lines up to one that holds a text.
func (p *partner) until(text string) string {
	p.t.Helper()
	for {
		line, err := p.replies.ReadString('\n')
		if err != nil {
			p.t.Fatalf("waiting for %q: %v", text, err)
		}
		p.began = p.began || strings.Contains(line, answerBegins)
		if strings.Contains(line, text) {
			return line
		}
	}
}

// answerBegins is in the first event of an answer. One that did not begin is not
// recorded when it is aborted.
const answerBegins = `"type":"message_update"`

// awaitAnswer waits until the model has begun to answer.
func (p *partner) awaitAnswer() {
	p.t.Helper()
	if !p.began {
		p.until(answerBegins)
	}
}

func (p *partner) bytes() string {
	p.t.Helper()
	return read(p.t, p.file)
}

func TestPrompt(t *testing.T) {
	p := meet(t, llmtest.Text("forty-two").Tokens(100, 3))
	var r struct {
		LeafID  string
		Message struct{ Role, StopReason string }
	}
	decode(t, p.call("prompt", p.with(with{"text": "what is it?"})), &r)
	if r.Message.Role != "assistant" || r.Message.StopReason != "stop" || r.LeafID != p.text("getLeafId", p.with(nil)) {
		t.Errorf("prompt = %+v; want an answer at the leaf", r)
	}
	told := strings.Join(p.told, "\n")
	for _, want := range []string{
		`"method":"event","params":{"session":"s1","event":{"type":"agent_start"}}`, `"type":"message_update"`, `"delta":"`,
		`"type":"message_end","entryId":`, `"type":"agent_settled","aborted":false`,
	} {
		if !strings.Contains(told, want) {
			t.Errorf("prompt sent no %s:\n%s", want, told)
		}
	}
	if !strings.Contains(p.bytes(), "what is it?") || !strings.Contains(p.bytes(), "forty-two") {
		t.Error("the turn is not in the file")
	}
	var stats struct {
		UserMessages, AssistantMessages int
		Cost                            float64
		Tokens                          struct{ Input int }
		ContextUsage                    struct {
			Tokens, ContextWindow int
			Known                 bool
		}
	}
	decode(t, p.call("getSessionStats", p.with(nil)), &stats)
	if stats.UserMessages != 5 || stats.AssistantMessages != 5 || stats.Cost < 2 || stats.Tokens.Input != 140 || stats.ContextUsage.Tokens != 103 || !stats.ContextUsage.Known {
		t.Errorf("getSessionStats = %+v", stats)
	}
}

func decode(t *testing.T, raw json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// While the model answers, everything else is served, and abort ends it.
func TestPromptBlocksNothing(t *testing.T) {
	p := meet(t, llmtest.Text("never to its end").StallAt(500))
	// A request after a prompt finds it started, even without waiting.
	p.rawAll(p.request(901, "prompt", with{"text": "go"}), p.request(902, "getState", nil), p.request(903, "getTree", nil),
		p.request(904, "branch", with{"entryId": "whatever"}), p.request(905, "prompt", with{"text": "another"}),
		p.request(906, "navigateTree", with{"targetId": nil}), p.request(907, "prompt", with{"text": "later", "streamingBehavior": "followUp"}))
	if line := p.until(`"id":902,`); !strings.Contains(line, `"activity":"running"`) {
		t.Errorf("getState = %s; want it running", line)
	}
	if line := p.until(`"id":903,`); !strings.Contains(line, "question 0") {
		t.Errorf("getTree = %.200s", line)
	}
	replies := map[string]bool{}
	for range 4 { // in any order: they run side by side
		line := p.until(`{"jsonrpc":"2.0","id":90`)
		replies[line[:25]] = strings.Contains(line, `"kind":"busy"`)
		if strings.Contains(line, `"id":905,`) && !strings.Contains(line, "Agent is already processing") {
			t.Errorf("a second prompt = %s; want pi's words", line)
		}
	}
	for id := 904; id <= 907; id++ { // pitfall 81
		if busy, ok := replies[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d`, id)[:25]]; !ok || busy != (id != 907) {
			t.Errorf("request %d: busy %v, answered %v", id, busy, ok)
		}
	}
	p.raw(908, "clearQueue", nil)
	if line := p.until(`"id":908,`); !strings.Contains(line, `"followUp":["later"]`) {
		t.Errorf("clearQueue = %s", line)
	}
	p.awaitAnswer()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"abort","params":{"session":%q}}`, p.session))
	if line := p.until(`"id":901,`); !strings.Contains(line, `"kind":"aborted"`) {
		t.Errorf("the aborted prompt = %s", line)
	}
	if !strings.Contains(p.bytes(), `"stopReason":"aborted"`) {
		t.Error("the aborted answer is not in the file")
	}
}

// pitfalls 108, 110, 111, 114: a compaction that does not come changes nothing,
// and says why.
func TestCompactOverRPC(t *testing.T) {
	p := meet(t, llmtest.Status(400, "no"), llmtest.Text("half").Stopped("length"), llmtest.Text("  "), llmtest.Text("whole"), llmtest.Text("whole"))
	p.call("setModel", p.with(with{"provider": llmtest.AnthropicProvider, "modelId": llmtest.ModelID}))
	before := p.bytes()
	for range 3 {
		if _, failed := p.try("compact", p.session1()); failed == nil || failed.Data["kind"] != "summaryFailed" {
			t.Errorf("compact = %v; want summaryFailed", failed)
		}
		if p.bytes() != before {
			t.Fatal("a failed summary changed the file")
		}
	}
	p.call("configure", p.with(with{"reserveTokens": 10_000_000, "keepRecentTokens": 20}))
	var r struct {
		EntryID, Summary, FirstKeptEntryID string
		TokensBefore, EstimatedTokensAfter int
		FromHook                           bool
	}
	decode(t, p.call("compact", p.with(with{"customInstructions": "mind the words"})), &r)
	if !strings.HasPrefix(r.Summary, "whole") || r.EntryID == "" || r.FirstKeptEntryID == "" || r.TokensBefore <= 0 || r.EstimatedTokensAfter <= 0 || r.FromHook {
		t.Errorf("compact = %+v", r)
	}
	if _, failed := p.try("compact", p.session1()); failed == nil || failed.Data["kind"] != "nothing" {
		t.Errorf("compact again = %v; want nothing", failed)
	}
	if _, failed := p.try("configure", p.with(with{"summarizer": "somebody"})); failed == nil || failed.Data["param"] != "summarizer" {
		t.Errorf("configure = %v; want invalidParams", failed)
	}
}

func (p *partner) session1() with { return p.with(nil) }

// pitfalls 80, 119, 122, 123.
func TestNavigateOverRPC(t *testing.T) {
	p := meet(t, llmtest.Text("what was left"), llmtest.Status(400, "no"))
	var entries []struct {
		ID, Type string
		Message  struct{ Role string }
	}
	decode(t, p.call("getEntries", p.session1()), &entries)
	p.call("setModel", p.with(with{"provider": llmtest.AnthropicProvider, "modelId": llmtest.ModelID}))
	old := p.text("getLeafId", p.session1())
	var r struct {
		Cancelled, Aborted                 bool
		EditorText, LeafID, SummaryEntryID string
	}
	decode(t, p.call("navigateTree", p.with(with{"targetId": entries[2].ID, "summarize": true, "label": "left"})), &r)
	var summary struct{ Type, FromID, ParentID, Summary string }
	decode(t, p.call("getEntry", p.with(with{"id": r.SummaryEntryID})), &summary)
	if !strings.HasPrefix(r.EditorText, "question 1") || summary.FromID != old || summary.ParentID != entries[1].ID || !strings.Contains(summary.Summary, "what was left") {
		t.Errorf("navigateTree = %+v, %+v; want a summary from %s", r, summary, old)
	}
	if label := p.text("getLabel", p.with(with{"id": r.SummaryEntryID})); label != "left" {
		t.Errorf("label = %q", label)
	}
	before, leaf := p.bytes(), p.text("getLeafId", p.session1())
	if _, failed := p.try("navigateTree", p.with(with{"targetId": old, "summarize": true})); failed == nil || failed.Data["kind"] != "summaryFailed" {
		t.Errorf("navigateTree = %v; want summaryFailed", failed)
	}
	if p.bytes() != before || p.text("getLeafId", p.session1()) != leaf {
		t.Error("a failed summary moved the session")
	}
	if _, failed := p.try("navigateTree", p.with(with{"targetId": "nowhere"})); failed == nil || failed.Data["kind"] != "noEntry" {
		t.Errorf("navigateTree = %v; want noEntry", failed)
	}
}

func TestModelErrors(t *testing.T) {
	p := meet(t, llmtest.Status(401, `{"error":{"message":"bad key"}}`))
	for _, tt := range []struct {
		method string
		params with
		kind   string
	}{
		{"setModel", with{"provider": "nobody", "modelId": "x"}, "noModel"},
		{"setModel", with{"provider": "anthropic", "modelId": "x"}, "noModel"},
		{"setThinkingLevel", with{"level": "deep"}, "invalidParams"},
		{"prompt", with{"text": ""}, "invalidParams"},
		{"prompt", with{"text": "x", "images": "y"}, "invalidParams"},
		{"prompt", with{"text": "x", "images": []with{{"type": "text", "text": "y"}}}, "invalidParams"},
		{"prompt", with{"text": "x", "streamingBehavior": "never"}, "invalidParams"},
		{"continue", nil, "nothing"},
		{"setHooks", with{"hooks": []string{"no_such_hook"}}, "invalidParams"},
		{"setHooks", with{"hooks": "all"}, "invalidParams"},
		{"fork", with{"entryId": "nowhere"}, "noEntry"},
		{"switchSession", with{"path": "/nowhere/x.jsonl"}, "notFound"},
		{"prompt", with{"text": "are you there?"}, "modelFailed"},
	} {
		if _, failed := p.try(tt.method, p.with(tt.params)); failed == nil || failed.Data["kind"] != tt.kind {
			t.Errorf("%s(%v) = %v; want %s", tt.method, tt.params, failed, tt.kind)
		}
	}
}

// Closing a session aborts its activity, and does not affect the others.
func TestCloseAborts(t *testing.T) {
	p := meet(t, llmtest.Text("never to its end").StallAt(500))
	p.raw(901, "prompt", with{"text": "go"})
	p.awaitAnswer()
	p.rawAll(p.request(902, "close", nil), p.request(903, "getState", nil))
	got := map[string]string{}
	for range 3 {
		line := p.until(`{"jsonrpc":"2.0","id":90`)
		got[line[22:25]] = line
	}
	for id, want := range map[string]string{"901": `"kind":"aborted"`, "902": `"result":null`, "903": `"kind":"closed"`} {
		if !strings.Contains(got[id], want) {
			t.Errorf("request %s = %s; want %s", id, got[id], want)
		}
	}
	if !strings.Contains(p.bytes(), `"stopReason":"aborted"`) {
		t.Error("the aborted answer is not in the file")
	}
}

// Problems with the settings are reported, and so is a missing model.
func TestWithoutModel(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := sessiondir.Environment{Home: home, Getenv: func(string) string { return "" }}
	c := dial(t, rpcserver.Options{App: ops.App{Dir: t.TempDir()}, Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(env, cwd) }})
	s := c.open("create", with{"cwd": t.TempDir()})
	if _, failed := c.try("prompt", with{"session": s, "text": "hello"}); failed == nil || failed.Data["kind"] != "noModel" {
		t.Errorf("prompt = %v; want noModel", failed)
	}
	if told := strings.Join(c.told, "\n"); !strings.Contains(told, `"method":"warning","params":{"session":"s1","text":"`) {
		t.Errorf("the broken file was not told of: %s", told)
	}
}

// Queued messages keep their kind and order, are sent after the turn, and are
// all done when the input ends (pitfall 115).
func TestQueue(t *testing.T) {
	held := make(chan struct{})
	p := meet(t, llmtest.Text("first").HoldAt(200, held), llmtest.Text("second"), llmtest.Text("third"))
	var models []struct{ Provider, ModelID string }
	decode(t, p.call("getAvailableModels", p.session1()), &models)
	if len(models) != 2 || models[0].ModelID != llmtest.ModelID {
		t.Errorf("getAvailableModels = %+v", models)
	}
	p.call("setThinkingLevel", p.with(with{"level": "high"}))
	p.rawAll(p.request(901, "prompt", with{"text": "one"}), p.request(902, "followUp", with{"text": "three"}), p.request(903, "steer", with{"text": "two"}), p.request(904, "getState", nil))
	if line := p.until(`"id":904,`); !strings.Contains(line, `"steering":["two"],"followUp":["three"]`) || !strings.Contains(line, `"thinkingLevel":"high"`) {
		t.Errorf("getState = %s", line)
	}
	close(held)
	if line := p.until(`"id":901,`); !strings.Contains(line, "third") {
		t.Errorf("prompt = %s; want the last answer", line)
	}
	file := p.bytes()
	if one, two, three := strings.Index(file, `"one"`), strings.Index(file, `"two"`), strings.Index(file, `"three"`); one < 0 || two < one || three < two {
		t.Errorf("the texts stand at %d, %d, %d of the file; want them in order", one, two, three)
	}
	p.model.Answer(llmtest.Text("fourth"))
	p.call("steer", p.with(with{"text": "four"})) // begins a run of its own
	p.hangUp()
	if !strings.Contains(p.bytes(), "fourth") {
		t.Error("what was asked before the input ended was not answered")
	}
}

// fork, clone and switchSession replace the session of the handle.
func TestReplacingSessions(t *testing.T) {
	p := meet(t)
	var entries []struct{ ID string }
	decode(t, p.call("getEntries", p.session1()), &entries)
	var r struct{ EditorText, Path, ID string }
	decode(t, p.call("fork", p.with(with{"entryId": entries[4].ID})), &r)
	if !strings.HasPrefix(r.EditorText, "question 2") || r.Path == p.file || p.text("getSessionFile", p.session1()) != r.Path {
		t.Errorf("fork = %+v", r)
	}
	decode(t, p.call("switchSession", p.with(with{"path": p.file})), &r)
	if r.Path != p.file || p.text("getSessionId", p.session1()) != r.ID {
		t.Errorf("switchSession = %+v", r)
	}
	decode(t, p.call("clone", p.session1()), &r)
	if r.Path == p.file || r.Path == "" {
		t.Errorf("clone = %+v", r)
	}
	// The methods of SessionManager still work: the conversation then starts
	// again.
	p.call("newSession", p.session1())
	if raw := p.call("getState", p.session1()); !strings.Contains(string(raw), `"activity":"idle"`) {
		t.Errorf("getState = %s", raw)
	}
}
