package llm_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

// No test leaks a goroutine: a finished request holds nothing.
func TestMain(m *testing.M) { goroutineleaks.Main(m) }

func newServer(t testing.TB) *llmtest.Server {
	t.Helper()
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	return s
}

// clients are those of both protocols, by the protocol's name.
func clients(s *llmtest.Server) map[string]llm.Client {
	return map[string]llm.Client{llm.APIAnthropic: s.Anthropic(), llm.APIOpenAI: s.OpenAI()}
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []format.Message{format.NewUser(text, time.UnixMilli(1))}}
}

func stream(t testing.TB, c llm.Client, r llm.Request) *format.Assistant {
	t.Helper()
	m, err := c.Stream(context.Background(), r, nil)
	if err != nil {
		t.Fatalf("Stream of %s: %v", c.Model().API, err)
	}
	return m
}

// content is the content of a message as a session has it.
func content(m *format.Assistant) string { return string(format.AppendContent(nil, m.Content)) }

// body is the last request's body.
func body(t testing.TB, s *llmtest.Server) map[string]any {
	t.Helper()
	var v map[string]any
	if err := s.Last().Decode(&v); err != nil {
		t.Fatalf("the request's body %s: %v", s.Last().Body, err)
	}
	return v
}

func compactJSON(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

var (
	hashes     = regexp.MustCompile(`_[0-9a-f]{8}\b`)
	longIDs    = regexp.MustCompile(`a{8,}_[0-9a-f]{8}`)
	unanswered = regexp.MustCompile(`"text":"The call was interrupted[^"]*"`)
)
