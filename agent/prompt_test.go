package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func TestPromptWritesAndTellsInOrder(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		c.Tools = []agent.Tool{tool("read", "contents")}
		c.Thinking = "high"
		c.System = "be brief"
	}, calls(10, "c1", "read"), answers("done", 20))
	b.prompt("hello")

	same(t, "path", b.path(), "model_change m1", "thinking high", "user hello", "assistant/toolUse", "result c1 contents", "assistant/stop done")
	same(t, "events", b.told(),
		"agent_start", "turn_start", "message_start user", "message_end user",
		"message_start assistant", "message_update", "message_end assistant",
		"tool_execution_start c1", "tool_execution_end c1", "message_start toolResult", "message_end toolResult",
		"turn_end", "turn_start", "message_start assistant", "message_update", "message_update", "message_end assistant",
		"turn_end", "agent_end", "agent_settled")

	requests := b.client.asked()
	if len(requests) != 2 {
		t.Fatalf("%d requests; want 2", len(requests))
	}
	last := requests[1]
	if last.System != "be brief" || last.Thinking != "high" || last.SessionID != b.Conversation.Session().ID() || len(last.Tools) != 1 || last.Tools[0].Name != "read" {
		t.Errorf("request = %+v; want system, thinking, session and tool", last)
	}
	var roles []string
	for _, m := range last.Messages {
		roles = append(roles, string(m.Role()))
	}
	same(t, "roles of the request", roles, "user", "assistant", "toolResult")
}

// A message that was reported as ended is in the file by then. (pitfalls 26,
// 28)
func TestMessageEndIsOnDisk(t *testing.T) {
	b := begin(t, nil, answers("hi", 1))
	file := b.Conversation.Session().File()
	checked := 0
	b.Subscribe(func(e agent.Event) {
		end, ok := e.(*agent.MessageEnd)
		if !ok {
			return
		}
		s, err := pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
		if err != nil {
			t.Errorf("Open at message_end: %v", err)
			return
		}
		defer s.Close()
		if _, err := s.View().Find(end.EntryID); err != nil {
			t.Errorf("message_end of %s, which is not in the file", end.EntryID)
		}
		checked++
	})
	b.prompt("hello")
	if checked != 2 {
		t.Errorf("%d messages ended; want 2", checked)
	}
}

// Opening and closing without a word leaves no file. (pitfall 29)
func TestNoFileWithoutWords(t *testing.T) {
	b := begin(t, nil)
	if b.Conversation.Session().Written() {
		t.Error("a file exists before anything was said")
	}
}

// Resuming writes nothing; a model that differs is recorded when the user speaks.
// (pitfall 36)
func TestResumeWritesNothing(t *testing.T) {
	b := begin(t, nil, answers("hi", 1))
	b.prompt("hello")
	file := b.Conversation.Session().File()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := s.View().Len()
	other := &scripted{model: model("m2"), replies: []reply{answers("again", 1)}}
	r := beginIn(t, s, func(c *agent.Config) { c.Client, c.Thinking = other, "low" })
	if s.View().Len() != n {
		t.Errorf("opening wrote %d entries; want none", s.View().Len()-n)
	}
	r.prompt("more")
	same(t, "path", r.path()[4:], "model_change m2", "thinking low", "user more", "assistant/stop again")
}

func TestPromptWithImages(t *testing.T) {
	b := begin(t, nil, answers("a cat", 1))
	if _, err := b.Prompt(t.Context(), "what?", &format.ImageBlock{Data: "aGk=", MimeType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	e, err := b.Conversation.Session().Entry(b.entry("user what?"))
	if err != nil {
		t.Fatal(err)
	}
	got := string(e.(*format.MessageEntry).Message.(*format.User).Content.Raw)
	want := `[{"type":"text","text":"what?"},{"type":"image","data":"aGk=","mimeType":"image/png"}]`
	if got != want {
		t.Errorf("content = %s; want %s", got, want)
	}
}

func TestPromptRefusals(t *testing.T) {
	for _, text := range []string{"", " \n\t"} {
		if _, err := begin(t, nil).Prompt(t.Context(), text); !errors.Is(err, agent.ErrEmptyPrompt) {
			t.Errorf("Prompt(%q) = %v; want ErrEmptyPrompt", text, err)
		}
	}
	none := begin(t, func(c *agent.Config) { c.Client = nil })
	if _, err := none.Prompt(t.Context(), "hi"); !errors.Is(err, agent.ErrNoModel) || none.Conversation.Session().View().Len() != 0 {
		t.Errorf("Prompt without a model = %v with %d entries; want ErrNoModel, none", err, none.Conversation.Session().View().Len())
	}
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun))
	result := b.start("one")
	<-begun
	var busy *agent.BusyError
	if _, err := b.Prompt(t.Context(), "two"); !errors.As(err, &busy) || busy.With != agent.ActivityRunning {
		t.Errorf("Prompt while running = %v; want a BusyError", err)
	}
	b.Abort()
	<-result
}

// A context that has ended before begins nothing.
func TestPromptWithAnEndedContext(t *testing.T) {
	sum := &summaries{}
	b := begin(t, compacting(sum), answers("one", 95_000))
	b.client.model.ContextWindow = 200_000
	b.prompt("go")
	b.client.model.ContextWindow = 100_000 // the context is too large now
	before := b.path()
	b.forget()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Prompt(ctx, "on"); !errors.Is(err, agent.ErrAborted) || !errors.Is(err, context.Canceled) {
		t.Errorf("Prompt = %v; want %v", err, agent.ErrAborted)
	}
	same(t, "path", b.path(), before...)
	same(t, "events", b.told(), "agent_settled")
}

// start prompts in a goroutine.
func (b *bench) start(text string) <-chan error {
	result := make(chan error, 1)
	go func() { _, err := b.Prompt(context.Background(), text); result <- err }()
	return result
}

func TestAbortKeepsWhatCame(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun), answers("ok", 1))
	result := b.start("go")
	<-begun
	b.Abort()
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	same(t, "path", b.said(), "user go", "assistant/aborted half of")
	if b.Busy() != agent.ActivityIdle {
		t.Errorf("Busy() = %v after an abort; want idle", b.Busy())
	}
	b.prompt("again")
	// The aborted answer is not sent. (pitfall 92)
	if got := len(b.client.asked()[1].Messages); got != 2 {
		t.Errorf("the next request has %d messages; want the two of the user", got)
	}
}

func TestCallersContextAborts(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun))
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { _, err := b.Prompt(ctx, "go"); result <- err }()
	<-begun
	cancel()
	if err := <-result; !errors.Is(err, agent.ErrAborted) || !errors.Is(err, context.Canceled) {
		t.Errorf("Prompt = %v; want ErrAborted and context.Canceled", err)
	}
}

func TestFailedAnswerIsRecorded(t *testing.T) {
	b := begin(t, nil, fails(llm.Final, "bad key"), answers("fine", 1))
	_, err := b.Prompt(t.Context(), "go")
	var failed *agent.AnswerError
	if !errors.As(err, &failed) || failed.EntryID != b.entry("assistant/error") {
		t.Fatalf("Prompt = %v; want an AnswerError of the entry", err)
	}
	if _, err := b.Continue(t.Context()); err != nil {
		t.Fatalf("Continue = %v", err)
	}
	same(t, "path", b.said(), "user go", "assistant/error", "assistant/stop fine")
	if _, err := b.Continue(t.Context()); !errors.Is(err, agent.ErrNothingToContinue) {
		t.Errorf("Continue after an answer = %v; want ErrNothingToContinue", err)
	}
}

// A client that breaks its promises does not break the session.
func TestOddClients(t *testing.T) {
	tests := map[string]reply{
		"no message": func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
			return nil, errors.New("boom")
		},
		"nothing at all": func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) { return nil, nil },
		"an error beside a whole answer": func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
			return assistant("stop", 1), errors.New("boom")
		},
		"a failed answer without an error": func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
			return assistant("error", 1), nil
		},
	}
	for name, odd := range tests {
		t.Run(name, func(t *testing.T) {
			b := begin(t, nil, odd)
			var failed *agent.AnswerError
			if _, err := b.Prompt(t.Context(), "go"); !errors.As(err, &failed) {
				t.Errorf("Prompt = %v; want an AnswerError", err)
			}
			same(t, "path", b.said(), "user go", "assistant/error")
		})
	}
}

// Repeated requests leave their failed answers in the history, hidden from models.
// (pitfall 96)
func TestRetry(t *testing.T) {
	var waits []time.Duration
	b := begin(t, func(c *agent.Config) {
		c.Retry = llm.RetryPolicy{Max: 2, Base: time.Second, Sleep: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}}
	}, fails(llm.Retryable, "overloaded"), fails(llm.Retryable, "overloaded"), answers("at last", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/error", "omit", "assistant/error", "omit", "assistant/stop at last")
	if len(waits) != 2 || waits[0] != time.Second || waits[1] != 2*time.Second {
		t.Errorf("waits = %v; want 1s, 2s", waits)
	}
	if n := b.count("agent_end will retry"); n != 2 {
		t.Errorf("%d parts ended with a retry; want 2", n)
	}
	if b.count("auto_retry_start") != 2 || b.count("auto_retry_end") != 1 {
		t.Errorf("events %q; want two retries that end once", b.told())
	}
	if got := len(b.client.asked()[2].Messages); got != 1 {
		t.Errorf("the last request has %d messages; want the user's alone", got)
	}
}

func TestRetryEnds(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		c.Retry = llm.RetryPolicy{Max: 1, Sleep: func(context.Context, time.Duration) error { return nil }}
	}, fails(llm.Retryable, "overloaded"), fails(llm.Retryable, "overloaded"))
	var failed *agent.AnswerError
	if _, err := b.Prompt(t.Context(), "go"); !errors.As(err, &failed) {
		t.Errorf("Prompt = %v; want an AnswerError", err)
	}
	same(t, "path", b.said(), "user go", "assistant/error", "omit", "assistant/error")
}

func TestAbortDuringRetry(t *testing.T) {
	waiting := make(chan struct{})
	b := begin(t, func(c *agent.Config) {
		c.Retry = llm.RetryPolicy{Sleep: func(ctx context.Context, _ time.Duration) error {
			close(waiting)
			<-ctx.Done()
			return ctx.Err()
		}}
	}, fails(llm.Retryable, "overloaded"))
	result := b.start("go")
	<-waiting
	b.Abort()
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	if b.count("auto_retry_end") != 1 {
		t.Errorf("events %q; want the end of the retry", b.told())
	}
}

// A message that cannot be written ends the turn, and nothing more is asked.
// (pitfalls 26, 27)
func TestWriteFailureStops(t *testing.T) {
	var b *bench
	b = begin(t, func(c *agent.Config) { c.Tools = []agent.Tool{tool("read", "x")} },
		func(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
			if err := b.Conversation.Session().Close(); err != nil {
				t.Error(err)
			}
			return calls(1, "c1", "read")(ctx, r, observe)
		}, answers("never", 1))
	if _, err := b.Prompt(t.Context(), "go"); !errors.Is(err, pith.ErrClosed) {
		t.Errorf("Prompt = %v; want pith.ErrClosed", err)
	}
	if b.count("message_end assistant") != 0 || b.count("tool_execution_start") != 0 || len(b.client.asked()) != 1 {
		t.Errorf("events %q, %d requests; want nothing after the failure", b.told(), len(b.client.asked()))
	}
}

func TestRecord(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, func(c *agent.Config) {
		c.Tools = []agent.Tool{agent.Tool{Tool: spec("wait"), Run: func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			<-begun
			return agent.Text("waited"), nil
		}}}
	}, calls(1, "c1", "wait"), answers("done", 1))
	if err := b.Record(t.Context(), &format.BashExecution{Command: "ls", Output: "a", Timestamp: 1}); err != nil {
		t.Fatal(err)
	}
	started := make(chan struct{})
	b.Subscribe(func(e agent.Event) {
		if nameOf(e) == "tool_execution_start" {
			close(started)
		}
	})
	result := b.start("go")
	<-started
	for _, m := range []format.Message{
		&format.BashExecution{Command: "pwd", Timestamp: 1},
		&format.CustomRole{CustomType: "ext", Content: format.TextContent("note"), Timestamp: 1},
	} {
		if err := b.Record(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	close(begun)
	if err := <-result; err != nil {
		t.Fatal(err)
	}
	same(t, "path", b.said(), "bash ls", "user go", "assistant/toolUse", "result c1 waited", "custom_message note", "assistant/stop done", "bash pwd")
	if err := b.Record(t.Context(), format.NewUser("x", start)); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("Record of a user's message = %v; want ErrInvalid", err)
	}
}

func spec(name string) llm.Tool {
	return llm.Tool{Name: name, Description: "for tests", Parameters: json.RawMessage(`{"type":"object"}`)}
}

// tool is a tool that always says the same.
func tool(name, says string) agent.Tool {
	return agent.Tool{Tool: spec(name), Run: func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
		return agent.Text(says), nil
	}}
}

// Prompt returns the last message of the model, also when that is a failed one.
func TestPromptReturnsTheAnswer(t *testing.T) {
	b := begin(t, func(c *agent.Config) { c.Tools = []agent.Tool{tool("read", "contents")} },
		calls(1, "c1", "read"), answers("it says contents", 1), fails(llm.Final, "no credit"))
	got, err := b.Prompt(t.Context(), "what does it say?")
	if err != nil || got.Content.Joined() != "it says contents" {
		t.Errorf("Prompt = %+v, %v; want the last answer", got, err)
	}
	got, err = b.Prompt(t.Context(), "more")
	if err == nil || got == nil || got.ErrorMessage != "no credit" {
		t.Errorf("Prompt = %+v, %v; want the failed answer", got, err)
	}
}
