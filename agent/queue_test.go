package agent_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// during makes a reply that does something while it is streamed.
func during(f func(), then reply) reply {
	return func(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
		f()
		return then(ctx, r, observe)
	}
}

func (b *bench) queue(send func(string, ...*format.ImageBlock) error, texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		if err := send(text); err != nil {
			b.t.Errorf("queue %q: %v", text, err)
		}
	}
}

// Messages keep their kind and order: steering messages follow the results of
// the turn, the others are sent when there is nothing more to do. (pitfall 115)
func TestQueuedMessagesKeepKindAndOrder(t *testing.T) {
	var b *bench
	b = begin(t, withTools(tool("read", "x")),
		during(func() {
			b.queue(b.FollowUp, "f1", "f2")
			b.queue(b.Steer, "s1", "s2")
		}, calls(1, "c1", "read")),
		answers("a1", 1), answers("a2", 1), answers("a3", 1), answers("a4", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/toolUse", "result c1 x", "user s1", "assistant/stop a1",
		"user s2", "assistant/stop a2", "user f1", "assistant/stop a3", "user f2", "assistant/stop a4")
	if n := b.count("agent_settled"); n != 1 {
		t.Errorf("settled %d times; want once", n)
	}
	if got := b.told(); got[len(got)-1] != "agent_settled" || b.count("queue_update") != 8 {
		t.Errorf("events %q; want eight changes of the queue", got)
	}
}

// Without a run a queued message begins one.
func TestQueueWhenIdle(t *testing.T) {
	b := begin(t, nil, answers("a1", 1))
	b.queue(b.FollowUp, "hello")
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "path", b.said(), "user hello", "assistant/stop a1")
}

// After an abort what is queued stays, to be edited or sent.
func TestAbortKeepsTheQueue(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun), answers("a1", 1), answers("a2", 1))
	result := b.start("go")
	<-begun
	b.queue(b.FollowUp, "f1", "f2")
	b.Abort()
	<-result
	_, waiting := b.Queued()
	same(t, "queue after the abort", waiting, "f1", "f2")
	if _, err := b.Continue(t.Context()); err != nil {
		t.Fatalf("Continue = %v", err)
	}
	same(t, "path", b.said(), "user go", "assistant/aborted half of", "user f1", "assistant/stop a1", "user f2", "assistant/stop a2")
}

// A failure does not swallow what is queued.
func TestFailureKeepsTheQueue(t *testing.T) {
	var b *bench
	b = begin(t, nil, during(func() { b.queue(b.Steer, "s1") }, fails(llm.Final, "no")))
	if _, err := b.Prompt(t.Context(), "go"); err == nil {
		t.Fatal("Prompt = nil; want an error")
	}
	steering, _ := b.ClearQueue()
	same(t, "taken back", steering, "s1")
	if steering, followUp := b.Queued(); len(steering)+len(followUp) != 0 {
		t.Errorf("queue = %q %q; want nothing", steering, followUp)
	}
}

// Messages queued during a compaction are sent afterwards, in order. (pitfalls
// 83, 115)
func TestQueuedDuringCompaction(t *testing.T) {
	var b *bench
	var once sync.Once
	s := &summaries{before: func(context.Context) error {
		once.Do(func() {
			b.queue(b.FollowUp, "f1")
			b.queue(b.Steer, "s1")
		})
		return nil
	}}
	b = begin(t, compacting(s), answers("a1", 1), answers("a2", 1), answers("a3", 1), answers("a4", 1))
	b.prompt("one")
	b.prompt("two")
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := b.said()
	same(t, "end of the path", got[len(got)-4:], "user s1", "assistant/stop a3", "user f1", "assistant/stop a4")
}

func TestClosedSession(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun))
	result := b.start("go")
	<-begun
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	if err := b.Steer("x"); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Steer = %v; want ErrClosed", err)
	}
	if _, err := b.Prompt(t.Context(), "x"); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Prompt = %v; want ErrClosed", err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

// A subscriber may abort, and hears no more after it cancelled.
func TestSubscribers(t *testing.T) {
	b := begin(t, nil, hangs(make(chan struct{})), answers("a", 1))
	b.Subscribe(func(e agent.Event) {
		if nameOf(e) == "message_update" {
			b.Abort()
		}
	})
	n := 0
	var cancel func()
	cancel = b.Subscribe(func(agent.Event) {
		n++
		cancel()
	})
	if _, err := b.Prompt(t.Context(), "go"); !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	if n != 1 {
		t.Errorf("a subscriber that cancelled heard %d events; want 1", n)
	}
}
