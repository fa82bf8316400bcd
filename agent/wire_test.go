package agent_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// overTheWire runs a test with each protocol, against a server on loopback.
func overTheWire(t *testing.T, test func(t *testing.T, server *llmtest.Server, client llm.Client)) {
	for name, client := range map[string]func(*llmtest.Server) llm.Client{
		"anthropic": func(s *llmtest.Server) llm.Client { return s.Anthropic() },
		"openai":    func(s *llmtest.Server) llm.Client { return s.OpenAI() },
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.NewServer()
			t.Cleanup(func() {
				server.Close()
				http.DefaultClient.CloseIdleConnections()
			})
			test(t, server, client(server))
		})
	}
}

func TestTurnOverTheWire(t *testing.T) {
	overTheWire(t, func(t *testing.T, server *llmtest.Server, client llm.Client) {
		server.Answer(
			llmtest.Text("let me look").Call("c1", "read", `{"path":"a.go"}`).Tokens(100, 10),
			llmtest.Text("it is empty").Tokens(120, 5))
		b := begin(t, func(c *agent.Config) {
			c.Client = client
			c.Tools = []agent.Tool{toolDoing("read", func(_ context.Context, call agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
				return agent.Text("contents of " + string(call.Arguments)), nil
			})}
		})
		b.prompt("what is in a.go?")
		s := reopen(t, b)
		defer s.Close()
		got := pathOf(t, s)
		same(t, "path", got[2:], "user what is in a.go?", "assistant/toolUse let me look",
			`result c1 contents of {"path":"a.go"}`, "assistant/stop it is empty")
		if n := len(server.Requests()); n != 2 {
			t.Fatalf("%d requests; want 2", n)
		}
		if body := string(server.Last().Body); !strings.Contains(body, "contents of ") {
			t.Errorf("the second request %s lacks the result", body)
		}
	})
}

// An overflow that a provider reports is recovered from, with a summary by the same
// model.
func TestOverflowOverTheWire(t *testing.T) {
	overTheWire(t, func(t *testing.T, server *llmtest.Server, client llm.Client) {
		server.Answer(
			llmtest.Text("a1").Tokens(10, 1), llmtest.Text("a2").Tokens(20, 1),
			llmtest.Status(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`))
		server.AnswerFunc(func(r llmtest.Request) llmtest.Answer {
			if strings.Contains(string(r.Body), "<conversation>") {
				return llmtest.Text("## Goal\nto go on").Tokens(30, 7)
			}
			return llmtest.Text("a3").Tokens(15, 1)
		})
		b := begin(t, func(c *agent.Config) {
			compacting(&summaries{})(c)
			c.Client = client
			c.Summarizer = func(client llm.Client) compact.Summarizer { return summarize.Model(client, summarize.ModelOptions{}) }
		})
		b.prompt("one")
		b.prompt("two")
		b.prompt("three")
		got := b.path()
		if n := len(got); got[n-1] != "assistant/stop a3" || !strings.HasPrefix(got[n-2], "compaction ") || got[n-3] != "omit" || got[n-4] != "assistant/error" {
			t.Errorf("path = %q; want error, omission, compaction, answer", got)
		}
		id := ""
		for e, err := range b.Conversation.Session().View().Entries() {
			if err != nil {
				t.Fatal(err)
			}
			if c, ok := e.(*format.Compaction); ok {
				id = c.ID
				if c.Usage == nil || c.Usage.Output == 0 {
					t.Errorf("usage of the compaction = %+v; want what the summary cost", c.Usage)
				}
			}
		}
		if id == "" {
			t.Error("no compaction was written")
		}
	})
}

// A connection that breaks is tried again; the broken answer stays in the history.
func TestBrokenConnection(t *testing.T) {
	overTheWire(t, func(t *testing.T, server *llmtest.Server, client llm.Client) {
		server.Answer(llmtest.Text("this will break in the middle").CutAt(400), llmtest.Text("whole"))
		b := begin(t, func(c *agent.Config) {
			c.Client = client
			c.Retry = llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { return nil }}
		})
		b.prompt("go")
		got := b.path()[2:]
		if len(got) != 4 || !strings.HasPrefix(got[1], "assistant/error") || got[2] != "omit" || got[3] != "assistant/stop whole" {
			t.Errorf("path = %q; want the broken answer hidden, and a whole one", got)
		}
	})
}

func TestAbortOverTheWire(t *testing.T) {
	overTheWire(t, func(t *testing.T, server *llmtest.Server, client llm.Client) {
		server.Answer(llmtest.Text("some words that come").StallAt(600))
		b := begin(t, func(c *agent.Config) { c.Client = client })
		b.Subscribe(func(e agent.Event) {
			if nameOf(e) == "message_update" {
				b.Abort()
			}
		})
		if _, err := b.Prompt(t.Context(), "go"); !errors.Is(err, agent.ErrAborted) {
			t.Errorf("Prompt = %v; want ErrAborted", err)
		}
		s, err := pith.Open(t.Context(), b.Conversation.Session().File(), pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got := pathOf(t, s)[2:]; len(got) != 2 || !strings.HasPrefix(got[1], "assistant/aborted") {
			t.Errorf("path = %q; want an aborted answer", got)
		}
	})
}
