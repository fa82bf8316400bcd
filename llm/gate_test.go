package llm_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

func TestSilence(t *testing.T) {
	s := newServer(t)
	o := llm.Options{IdleTimeout: 50 * time.Millisecond}
	for _, c := range []llm.Client{llm.NewAnthropic(s.AnthropicModel(), o), llm.NewOpenAI(s.OpenAIModel(), o)} {
		for _, n := range []int{0, 10, 300} {
			s.Answer(rich().StallAt(n))
			m, err := c.Stream(context.Background(), ask("?"), nil)
			if llm.ClassOf(err) != llm.Retryable || m.StopReason != "error" || !strings.Contains(err.Error(), "sent nothing") {
				t.Errorf("%s, silent after byte %d: Stream = %s, %v; want a retryable error about the silence", c.Model().API, n, m.StopReason, err)
			}
		}
	}
}

// A provider that sends without end does not fill the memory.
func TestEndlessStream(t *testing.T) {
	got, err := io.ReadAll(llm.LimitedBody(strings.NewReader("0123456789"), 4))
	if string(got) != "0123" || err == nil {
		t.Errorf("reading 4 of 10 bytes = %q, %v; want 0123 and an error", got, err)
	}
	// The next attempt would be as long, so that there is none.
	for _, api := range []string{llm.APIAnthropic, llm.APIOpenAI} {
		m, err := llm.ReadBody(api, llm.LimitedBody(strings.NewReader(": nothing\n\n: nothing\n\n"), 12), nil)
		if llm.ClassOf(err) != llm.Final || m.StopReason != "error" || !strings.Contains(err.Error(), "the response is too large") {
			t.Errorf("%s: reading an endless stream = %s, %v; want a final error about its length", api, m.StopReason, err)
		}
	}
}

// A provider that does not accept the request in time is not waited for.
func TestNoResponse(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client goes
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	}))
	defer s.Close()
	defer close(gone)
	o := llm.Options{ResponseTimeout: 50 * time.Millisecond}
	c := llm.NewOpenAI(llm.Model{Provider: "slow", ID: "m", API: llm.APIOpenAI, BaseURL: s.URL}, o)
	m, err := c.Stream(context.Background(), ask("?"), nil)
	if llm.ClassOf(err) != llm.Retryable || m.StopReason != "error" || !strings.Contains(err.Error(), "sent nothing") {
		t.Errorf("Stream = %s, %v; want a retryable error about the silence", m.StopReason, err)
	}
}

func TestNoServer(t *testing.T) {
	s := llmtest.NewServer()
	all := clients(s)
	s.Close()
	for api, c := range all {
		m, err := c.Stream(context.Background(), ask("?"), nil)
		if llm.ClassOf(err) != llm.Retryable || m.StopReason != "error" || !strings.Contains(err.Error(), "connection") {
			t.Errorf("%s: Stream of a closed server = %s, %v; want a retryable error", api, m.StopReason, err)
		}
	}
}
