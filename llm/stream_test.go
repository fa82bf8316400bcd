package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// rich is an answer with everything that both protocols have.
func rich() llmtest.Answer {
	return llmtest.Thinking("I should look.", "signed").Text("Let me look at it — 日本 🌳.").
		Call("call_1", "read", `{"path":"a.go","lines":[1,2]}`).
		Call("call_2", "bash", `{"command":"ls\n"}`).
		Tokens(100, 20).Cache(1000, 50)
}

func TestAnswer(t *testing.T) {
	s := newServer(t)
	signature := map[string]string{llm.APIAnthropic: "signed", llm.APIOpenAI: "reasoning_content"}
	for api, c := range clients(s) {
		t.Run(api, func(t *testing.T) {
			a := rich()
			a.Model, a.ID, a.Usage.Reasoning = "other-model", "msg_1", 7
			s.Answer(a)
			m := stream(t, c, ask("look"))
			want := `[{"type":"thinking","thinking":"I should look.","thinkingSignature":"` + signature[api] + `"},` +
				`{"type":"text","text":"Let me look at it — 日本 🌳."},` +
				`{"type":"toolCall","id":"call_1","name":"read","arguments":{"path":"a.go","lines":[1,2]}},` +
				`{"type":"toolCall","id":"call_2","name":"bash","arguments":{"command":"ls\n"}}]`
			if got := content(m); got != want {
				t.Errorf("content = %s\nwant %s", got, want)
			}
			model := c.Model()
			got := []string{m.API, m.Provider, m.Model, m.ResponseModel, m.ResponseID, m.StopReason, m.ErrorMessage}
			if diff := cmp.Diff([]string{api, model.Provider, model.ID, "other-model", "msg_1", "toolUse", ""}, got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
			if age := time.Since(time.UnixMilli(m.Timestamp)); age < 0 || age > time.Minute {
				t.Errorf("timestamp = %d, which is %v ago; want now", m.Timestamp, age)
			}
			u := m.Usage
			if u.Input != 100 || u.Output != 20 || u.CacheRead != 1000 || u.CacheWrite != 50 || u.Reasoning != 7 || u.TotalTokens != 1170 {
				t.Errorf("usage = %+v; want 100, 20, 1000, 50, 7 and 1170 in total", u)
			}
			// 3, 15, 0.30 and 3.75 dollars for a million.
			if got, want := fmt.Sprintf("%.7f %.7f", u.Cost.CacheWrite, u.Cost.Total), "0.0001875 0.0010875"; got != want {
				t.Errorf("cost of cache writes and total = %s; want %s", got, want)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	s := newServer(t)
	for api, c := range clients(s) {
		t.Run(api, func(t *testing.T) {
			s.Answer(llmtest.Thinking("hm", "sig").Text("yes").Call("c1", "read", `{"a":1}`))
			var got []string
			pieces := map[int]string{}
			m, err := c.Stream(context.Background(), ask("?"), func(e llm.Event) {
				pieces[e.Index] += e.Delta
				line := fmt.Sprintf("%d %d %s", e.Kind, e.Index, e.ToolName)
				if len(got) == 0 || got[len(got)-1] != line {
					got = append(got, line)
				}
				if e.Kind == llm.ToolCallEnd && (e.Block == nil || string(e.Block.JSON()) != `{"type":"toolCall","id":"c1","name":"read","arguments":{"a":1}}`) {
					t.Errorf("block of the end = %+v", e.Block)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			slices := map[string]bool{}
			for _, line := range got {
				slices[line] = true
			}
			for _, want := range []llm.EventKind{llm.ThinkingStart, llm.ThinkingDelta, llm.ThinkingEnd} {
				if line := fmt.Sprintf("%d 0 ", want); !slices[line] {
					t.Errorf("events %v lack %q", got, line)
				}
			}
			for _, want := range []llm.EventKind{llm.ToolCallStart, llm.ToolCallDelta, llm.ToolCallEnd} {
				if line := fmt.Sprintf("%d 2 read", want); !slices[line] {
					t.Errorf("events %v lack %q", got, line)
				}
			}
			if got[0] != fmt.Sprintf("%d 0 ", llm.Start) {
				t.Errorf("first event = %q; want the start", got[0])
			}
			if pieces[0] != "hm" || pieces[1] != "yes" || pieces[2] != `{"a":1}` || m.StopReason != "toolUse" {
				t.Errorf("pieces = %v, stop reason %s", pieces, m.StopReason)
			}
		})
	}
}

func TestStopReasons(t *testing.T) {
	s := newServer(t)
	tests := map[string]struct {
		answer llmtest.Answer
		stop   string
		class  llm.Class // of the error, when stop is error
		text   string    // that the error has
	}{
		"stop":            {llmtest.Text("x"), "stop", 0, ""},
		"length":          {llmtest.Text("x").Stopped("length"), "length", 0, ""},
		"call":            {llmtest.Call("1", "read", "{}"), "toolUse", 0, ""},
		"call, no args":   {llmtest.Call("1", "read", ""), "toolUse", 0, ""},
		"refusal":         {llmtest.Text("x").Stopped("refusal"), "error", llm.Final, "refus"},
		"filter":          {llmtest.Text("x").Stopped("content_filter"), "error", llm.Final, "content_filter"},
		"network":         {llmtest.Text("x").Stopped("network_error"), "error", llm.Retryable, "network_error"},
		"window exceeded": {llmtest.Text("x").Stopped("model_context_window_exceeded"), "error", llm.Overflow, "model_context_window_exceeded"},
		"broken args":     {llmtest.Call("1", "read", `{"a": nonsense}`), "error", llm.Retryable, "not a JSON object"},
		"args cut":        {llmtest.Call("1", "write", `{"path":"a","text":"half of`).Stopped("length"), "length", 0, ""},
		"args mended":     {llmtest.Call("1", "write", "{\"text\":\"a\nb\\d\"}"), "toolUse", 0, ""},
	}
	for name, tt := range tests {
		for api, c := range clients(s) {
			t.Run(name+" "+api, func(t *testing.T) {
				s.Answer(tt.answer)
				m, err := c.Stream(context.Background(), ask("?"), nil)
				if m == nil || m.StopReason != tt.stop {
					t.Fatalf("Stream = %+v, %v; want stop reason %s", m, err, tt.stop)
				}
				if tt.stop != "error" {
					if err != nil {
						t.Errorf("Stream: %v", err)
					}
					return
				}
				if llm.ClassOf(err) != tt.class || !strings.Contains(m.ErrorMessage, tt.text) || err.Error() != m.ErrorMessage {
					t.Errorf("error = class %d, %v; message %q; want class %d and the text %q", llm.ClassOf(err), err, m.ErrorMessage, tt.class, tt.text)
				}
				if _, err := format.DecodeMessage(m.Raw()); err != nil {
					t.Errorf("the message cannot be recorded: %v", err)
				}
			})
		}
	}
}

func TestRefusals(t *testing.T) {
	s := newServer(t)
	anthropicError := func(kind, text string) string {
		return fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, kind, text)
	}
	tests := map[string]struct {
		answer llmtest.Answer
		status int
		class  llm.Class
		after  time.Duration
	}{
		"bad request":  {llmtest.Status(400, anthropicError("invalid_request_error", "no such field")), 400, llm.Final, 0},
		"bad key":      {llmtest.Status(401, anthropicError("authentication_error", "invalid x-api-key")), 401, llm.Final, 0},
		"no body":      {llmtest.Status(400, ""), 400, llm.Final, 0},
		"too long":     {llmtest.Status(400, anthropicError("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum")), 400, llm.Overflow, 0},
		"too large":    {llmtest.Status(413, ""), 413, llm.Overflow, 0},
		"throttled":    {llmtest.Throttled(7), 429, llm.Retryable, 7 * time.Second},
		"milliseconds": {llmtest.Status(429, "x").With("Retry-After-Ms", "1500"), 429, llm.Retryable, 1500 * time.Millisecond},
		// pitfall 116: words of an overflow under a status of throttling
		"throttled by tokens": {llmtest.Status(429, "Too many tokens, please wait before trying again."), 429, llm.Retryable, 0},
		"no money":            {llmtest.Status(429, `{"error":{"code":"insufficient_quota"}}`), 429, llm.Final, 0},
		"timeout":             {llmtest.Status(408, "x"), 408, llm.Retryable, 0},
		"server":              {llmtest.Status(500, "x"), 500, llm.Retryable, 0},
		"server, too long":    {llmtest.Status(500, "the request exceeds the available context size, try increasing it"), 500, llm.Overflow, 0},
		"overloaded":          {llmtest.Status(529, anthropicError("overloaded_error", "Overloaded")), 529, llm.Retryable, 0},
		"told to retry":       {llmtest.Status(400, "x").With("X-Should-Retry", "true"), 400, llm.Retryable, 0},
		"told not to retry":   {llmtest.Status(503, "x").With("X-Should-Retry", "false"), 503, llm.Final, 0},
		"redirect":            {llmtest.Status(307, "").With("Location", "/elsewhere"), 0, llm.Final, 0},
		"web page":            {llmtest.Garbage("<html>log in</html>").With("Content-Type", "text/html"), 200, llm.Final, 0},
		"garbage":             {llmtest.Garbage("event: message_start\ndata: {{{\n\n"), 0, llm.Retryable, 0},
		"nothing":             {llmtest.Garbage("\n"), 0, llm.Retryable, 0},
		"error in the stream": {llmtest.Text("so").Failing(`{"type":"overloaded_error","message":"Overloaded"}`), 0, llm.Retryable, 0},
		"code in the stream":  {llmtest.Text("so").Failing(`{"code":502,"message":"Provider went away"}`), 502, llm.Retryable, 0},
		"final in the stream": {llmtest.Text("so").Failing(`{"type":"invalid_request_error","message":"no"}`), 0, llm.Final, 0},
	}
	for name, tt := range tests {
		for api, c := range clients(s) {
			t.Run(name+" "+api, func(t *testing.T) {
				s.Answer(tt.answer)
				before := len(s.Requests())
				m, err := c.Stream(context.Background(), ask("?"), nil)
				var e *llm.Error
				if !errors.As(err, &e) {
					t.Fatalf("Stream: %v, which is no *Error", err)
				}
				if e.Class != tt.class || e.Status != tt.status || e.RetryAfter != tt.after {
					t.Errorf("Stream: class %d, status %d, wait %v (%v); want class %d, status %d, wait %v",
						e.Class, e.Status, e.RetryAfter, err, tt.class, tt.status, tt.after)
				}
				if m == nil || m.StopReason != "error" || m.ErrorMessage == "" {
					t.Errorf("message = %+v; want one with the error", m)
				}
				if n := len(s.Requests()) - before; n != 1 {
					t.Errorf("%d requests were sent; want one: retries are the caller's", n)
				}
				if over := llm.Overflowed(m, 0); over != (tt.class == llm.Overflow) && tt.status != 429 {
					t.Errorf("Overflowed(%q) = %v; want as the class says", m.ErrorMessage, over)
				}
			})
		}
	}
}

// A stream cut after any of its bytes gives the whole response, or an error and
// the part received. It never hangs and never leaks.
func TestCutAtEveryByte(t *testing.T) {
	s := newServer(t)
	whole := llmtest.Thinking("hm", "s").Redacted("r").Text("é").Call("c", "f", `{"a":"🌳"}`).Tokens(1, 1)
	whole.ID = "1"
	for api, c := range clients(s) {
		t.Run(api, func(t *testing.T) {
			text := whole.Anthropic(llmtest.ModelID)
			if api == llm.APIOpenAI {
				text = whole.OpenAI(llmtest.ModelID)
			}
			s.Answer(whole)
			want := content(stream(t, c, ask("?")))
			answered := 0
			for n := range len(text) + 1 {
				s.Answer(whole.CutAt(n))
				m, err := c.Stream(context.Background(), ask("?"), nil)
				if err == nil {
					answered++
					if got := content(m); got != want {
						t.Fatalf("cut at byte %d of %d: content = %s\nwant %s", n, len(text), got, want)
					}
					continue
				}
				if llm.ClassOf(err) != llm.Retryable || m.StopReason != "error" {
					t.Fatalf("cut at byte %d of %d: %v, class %d, stop reason %s; want a retryable error", n, len(text), err, llm.ClassOf(err), m.StopReason)
				}
				if _, err := format.DecodeMessage(m.Raw()); err != nil {
					t.Fatalf("cut at byte %d: the message cannot be recorded: %v", n, err)
				}
			}
			if answered == 0 || answered > 40 {
				t.Errorf("%d of %d cut streams gave an answer; want those that are cut behind the end", answered, len(text)+1)
			}
		})
	}
}

// The part received before the cut is kept.
func TestPartialMessage(t *testing.T) {
	s := newServer(t)
	for api, c := range clients(s) {
		t.Run(api, func(t *testing.T) {
			a := llmtest.Text("half and half").Call("c", "write", `{"path":"a.txt","text":"0123456789"}`).Tokens(5, 5)
			text := a.Anthropic(llmtest.ModelID)
			if api == llm.APIOpenAI {
				text = a.OpenAI(llmtest.ModelID)
			}
			at := strings.LastIndex(text, "456789") // the second half of the arguments
			s.Answer(a.CutAt(at))
			m, err := c.Stream(context.Background(), ask("?"), nil)
			want := `[{"type":"text","text":"half and half"},{"type":"toolCall","id":"c","name":"write","arguments":`
			if err == nil || !strings.HasPrefix(content(m), want) || !strings.Contains(content(m), `"path"`) && !strings.Contains(content(m), "{}") {
				t.Errorf("Stream = %s, %v; want what had come", content(m), err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	s := newServer(t)
	for api, c := range clients(s) {
		t.Run(api, func(t *testing.T) {
			a := llmtest.Text("a long story")
			text := a.Anthropic(llmtest.ModelID)
			if api == llm.APIOpenAI {
				text = a.OpenAI(llmtest.ModelID)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s.Answer(a.StallAt(strings.Index(text, "story") - 10))
			start := time.Now()
			m, err := c.Stream(ctx, ask("?"), func(e llm.Event) {
				if e.Kind == llm.TextDelta {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) || m.StopReason != "aborted" || m.ErrorMessage != "Request was aborted" {
				t.Errorf("Stream = %+v, %v; want an aborted message and the context's error", m, err)
			}
			if got := content(m); !strings.Contains(got, "a long") {
				t.Errorf("content = %s; want what had come", got)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("the end took %v", took)
			}

			m, err = c.Stream(ctx, ask("?"), nil)
			if !errors.Is(err, context.Canceled) || m.StopReason != "aborted" {
				t.Errorf("Stream of a cancelled context = %+v, %v; want an aborted message", m, err)
			}
		})
	}
}

// Endpoints differ from OpenAI in how they stream.
func TestOddStreams(t *testing.T) {
	s := newServer(t)
	chunk := func(delta string) string {
		return `data: {"id":"1","model":"test-model","choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n"
	}
	end := func(reason string) string {
		return `data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\ndata: [DONE]\n\n"
	}
	tests := map[string]struct{ raw, want, stop string }{
		"comments and a null error": {
			": PROCESSING\n\n" + `data: {"error":null,"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n" + end("stop"),
			`[{"type":"text","text":"a"}]`, "stop",
		},
		"no [DONE]":              {chunk(`{"content":"a"}`) + `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n", `[{"type":"text","text":"a"}]`, "stop"},
		"stop instead of a call": {chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}`) + end("stop"), `[{"type":"toolCall","id":"x","name":"f","arguments":{}}]`, "toolUse"},
		"calls without an index": {
			chunk(`{"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{\"a\""}}]}`) + chunk(`{"tool_calls":[{"function":{"arguments":":1}"}}]}`) +
				chunk(`{"tool_calls":[{"id":"y","function":{"name":"g","arguments":"{}"}}]}`) + end("tool_calls"),
			`[{"type":"toolCall","id":"x","name":"f","arguments":{"a":1}},{"type":"toolCall","id":"y","name":"g","arguments":{}}]`, "toolUse",
		},
		"a thought under two names": {chunk(`{"reasoning":"t","reasoning_content":"t"}`) + chunk(`{"content":"a"}`) + end("end"), `[{"type":"thinking","thinking":"t","thinkingSignature":"reasoning_content"},{"type":"text","text":"a"}]`, "stop"},
		"details of a thought": {
			chunk(`{"reasoning":"t","reasoning_details":[{"type":"reasoning.text","text":"t"}]}`) +
				chunk(`{"reasoning":"u","reasoning_details":[{"type":"reasoning.text","text":"u","signature":"s"}]}`) +
				chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"e"}]}`) + chunk(`{"content":"a"}`) + end("stop"),
			`[{"type":"thinking","thinking":"tu","thinkingSignature":"[{\"signature\":\"s\",\"text\":\"tu\",\"type\":\"reasoning.text\"},{\"data\":\"e\",\"type\":\"reasoning.encrypted\"}]"},{"type":"text","text":"a"}]`, "stop",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s.Answer(llmtest.Garbage(tt.raw))
			m := stream(t, s.OpenAI(), ask("?"))
			if got := content(m); got != tt.want || m.StopReason != tt.stop {
				t.Errorf("content = %s, %s\nwant %s, %s", got, m.StopReason, tt.want, tt.stop)
			}
		})
	}
	// pitfall 106: usage that the endpoint does not give is none, and not a guess.
	for api, c := range clients(s) {
		a := llmtest.Text("x")
		a.Usage.None = true
		s.Answer(a)
		if u := stream(t, c, ask("?")).Usage; u.TotalTokens != 0 || u.Cost.Total != 0 {
			t.Errorf("%s: usage = %+v; want none", api, u)
		}
	}
	t.Run("a call without an id", func(t *testing.T) {
		s.Answer(llmtest.Garbage(chunk(`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}`) + end("tool_calls")))
		m := stream(t, s.OpenAI(), ask("?"))
		if id := m.Content.Blocks[0].(*format.ToolCallBlock).ID; !strings.HasPrefix(id, "call_") || len(id) > 40 {
			t.Errorf("id = %q; want a made one", id)
		}
	})
}
