package summarize_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// talk is a session in memory with a few turns.
func talk(t *testing.T) *pith.Session {
	t.Helper()
	s, err := pith.InMemory(pith.Options{Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for _, raw := range []string{user("what about the parser " + strings.Repeat("x", 400)), answer("It is fine. " + strings.Repeat("y", 400))} {
			m, err := format.DecodeMessage([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.AppendMessage(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// Both protocols, over a real connection: the text, and what it has cost.
func TestModelOverHTTP(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	for name, client := range map[string]llm.Client{"anthropic": server.Anthropic(), "openai": server.OpenAI()} {
		t.Run(name, func(t *testing.T) {
			session := talk(t)
			defer session.Close()
			plan, err := compact.Prepare(session, compact.Settings{KeepRecentTokens: 150})
			if err != nil {
				t.Fatal(err)
			}
			server.Answer(llmtest.Text("## Goal\nthe parser").Tokens(100, 20), llmtest.Text("## Original Request\nthe parser").Tokens(50, 10))
			s := summarize.Model(client, summarize.ModelOptions{Retry: hasty})
			c, err := plan.Summarize(t.Context(), s, compact.SummaryOptions{})
			if err != nil || !strings.HasPrefix(c.Summary, "## Goal\nthe parser") {
				t.Fatalf("Summarize() = %q, %v", c.Summary, err)
			}
			var want int64 = 120
			if plan.SplitTurn && plan.HasHistory {
				want = 180
			}
			if u := s.Usage(); u == nil || u.Input+u.Output != want {
				t.Errorf("Usage() = %+v, want %d tokens", u, want)
			}
			for server.Waiting() > 0 { // what a plan without a split turn left
				if _, err := s.Summarize(t.Context(), promptOf(t, compact.History, user("x"))); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// pitfall 110: a connection that breaks, or an answer that is cut off, changes
// nothing in the session.
func TestModelFailsOverHTTP(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	for name, answer := range map[string]llmtest.Answer{
		"cut connection": llmtest.Text("## Goal\nhalf of it").CutAt(200),
		"limit":          llmtest.Text("## Goal\nhalf of it").Stopped("length"),
		"tool":           llmtest.Call("c1", "bash", `{"command":"ls"}`),
		"status":         llmtest.Status(400, `{"error":{"message":"bad request"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			session := talk(t)
			defer session.Close()
			plan, err := compact.Prepare(session, compact.Settings{KeepRecentTokens: 150})
			if err != nil {
				t.Fatal(err)
			}
			before := session.LeafID()
			server.Answer(answer)
			c, err := plan.Summarize(t.Context(), summarize.Model(server.Anthropic(), summarize.ModelOptions{Retry: llm.RetryPolicy{Max: -1}}), compact.SummaryOptions{})
			if err == nil || c.Summary != "" || session.LeafID() != before || errors.Is(err, compact.ErrNothing) {
				t.Errorf("Summarize() = %q, %v; want an error and the session as it was", c.Summary, err)
			}
		})
	}
}
