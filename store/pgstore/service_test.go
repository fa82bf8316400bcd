package pgstore_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// echo is a model that repeats the prompt.
type echo struct{}

func (echo) Model() llm.Model {
	return llm.Model{Provider: "example", ID: "echo", ContextWindow: 200_000, MaxTokens: 8_000}
}

func (echo) Stream(_ context.Context, r llm.Request, _ func(llm.Event)) (*format.Assistant, error) {
	text := "nothing"
	if u, ok := r.Messages[len(r.Messages)-1].(*format.User); ok {
		text = "re: " + u.Content.PlainText()
	}
	return &format.Assistant{
		Provider: "example", Model: "echo", StopReason: "stop", Timestamp: time.Now().UnixMilli(),
		Content: format.BlockContent(&format.TextBlock{Text: text}),
	}, nil
}

func TestAgent(t *testing.T) {
	o := pith.Options{Store: connect(t, pgtest.DSN(t), pgstore.Options{}), Dir: "/sessions"}
	s := newSession(t, o)
	a, err := agent.New(s, agent.Config{
		Client: echo{},
		Compaction: func(llm.Model) compact.Settings {
			return compact.Settings{Enabled: true, ReserveTokens: 16_384, KeepRecentTokens: 5}
		},
		Summarizer: func(llm.Client) compact.Summarizer {
			return compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) { return "earlier", nil })
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"one", "two", "three"} {
		if _, err := a.Prompt(t.Context(), prompt); err != nil {
			t.Fatalf("Prompt = %v", err)
		}
	}
	if _, err := a.Compact(t.Context(), ""); err != nil {
		t.Fatalf("Compact = %v", err)
	}
	if got := said(t, reopen(t, s.File(), o)); !strings.HasPrefix(got, "[compactionSummary]") || !strings.HasSuffix(got, "re: three") {
		t.Errorf("after a compaction the context is %q", got)
	}
}

// Requests to many workers concurrently: each prompt is answered and recorded,
// or rejected because another came first.
func TestService(t *testing.T) {
	const workers, prompts = 4, 24
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	var handlers []http.Handler
	for range workers {
		mux := http.NewServeMux()
		mux.Handle("POST /conversations/{id}", &service{connect(t, dsn, pgstore.Options{Schema: schema}), echo{}})
		handlers = append(handlers, mux)
	}
	var answered atomic.Int64
	var wg sync.WaitGroup
	for i := range prompts {
		wg.Go(func() {
			var w *httptest.ResponseRecorder
			for { // as a client does
				w = httptest.NewRecorder()
				handlers[i%workers].ServeHTTP(w, httptest.NewRequest("POST", "/conversations/c-1", strings.NewReader(fmt.Sprint("prompt ", i))))
				if w.Code != http.StatusConflict {
					break
				}
			}
			if w.Code == http.StatusOK && w.Body.String() == fmt.Sprint("re: prompt ", i) {
				answered.Add(1)
			} else {
				t.Errorf("POST %d = %d, %s", i, w.Code, w.Body)
			}
		})
	}
	wg.Wait()
	s := reopen(t, "/conversations/c-1.jsonl", pith.Options{Store: connect(t, dsn, pgstore.Options{Schema: schema})})
	answers := 0
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*format.MessageEntry); ok && m.Message.Role() == format.RoleAssistant {
			answers++
		}
	}
	if int64(answers) < answered.Load() || len(s.Findings()) != 0 {
		t.Errorf("the session holds %d answers, with findings %v; %d were given", answers, s.Findings(), answered.Load())
	}
}
