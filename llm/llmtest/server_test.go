package llmtest_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

func ask(text string) llm.Request {
	return llm.Request{Messages: []format.Message{format.NewUser(text, time.UnixMilli(1))}}
}

func newServer(t *testing.T) (*llmtest.Server, []llm.Client) {
	t.Helper()
	s := llmtest.NewServer()
	t.Cleanup(s.Close)
	return s, []llm.Client{s.Anthropic(), s.OpenAI()}
}

func TestNothingQueued(t *testing.T) {
	_, clients := newServer(t)
	for _, c := range clients {
		_, err := c.Stream(context.Background(), ask("hi"), nil)
		if llm.ClassOf(err) != llm.Final || !strings.Contains(err.Error(), "no answer is queued") {
			t.Errorf("%s: Stream: %v; want a final error that says that nothing is queued", c.Model().API, err)
		}
	}
}

func TestAnswerFunc(t *testing.T) {
	s, clients := newServer(t)
	s.AnswerFunc(func(r llmtest.Request) llmtest.Answer { return llmtest.Text("by " + r.API + " for " + r.Model()) })
	var wg sync.WaitGroup
	for range 5 {
		for _, c := range clients {
			wg.Go(func() {
				m, err := c.Stream(context.Background(), ask("hi"), nil)
				want := "by " + c.Model().API + " for " + llmtest.ModelID
				if err != nil || m.Content.PlainText() != want {
					t.Errorf("Stream = %q, %v; want %q", m.Content.PlainText(), err, want)
				}
			})
		}
	}
	wg.Wait()
	if n := len(s.Requests()); n != 10 {
		t.Errorf("%d requests arrived; want 10", n)
	}
}

func TestHold(t *testing.T) {
	s, clients := newServer(t)
	for _, c := range clients {
		release := make(chan struct{})
		s.Answer(llmtest.Text("one two").HoldAt(400, release))
		var once sync.Once
		m, err := c.Stream(context.Background(), ask("hi"), func(llm.Event) { once.Do(func() { close(release) }) })
		if err != nil || m.Content.PlainText() != "one two" {
			t.Errorf("%s: Stream = %q, %v; want the whole text", c.Model().API, m.Content.PlainText(), err)
		}
	}
}

// An answer that is shared is not changed by what is made of it.
func TestAnswersAreValues(t *testing.T) {
	base := llmtest.Text("a")
	one, two := base.Text("b").With("X", "1"), base.Text("c")
	if got := one.OpenAI("m"); !strings.Contains(got, `"b"`) || strings.Contains(got, `"c"`) {
		t.Errorf("the first answer streams %s; want a and b", got)
	}
	if len(base.Blocks) != 1 || len(two.Header) != 0 {
		t.Errorf("base = %+v, second = %+v; want them without what the first got", base, two)
	}
}
