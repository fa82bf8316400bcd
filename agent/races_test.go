package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

func ranCommand(command string) *format.BashExecution {
	zero := int64(0)
	return &format.BashExecution{Command: command, Output: "ok", ExitCode: &zero, Timestamp: start.UnixMilli()}
}

// A command that the user ran during a compaction is in the session after it.
func TestRecordDuringACompactionIsNotLost(t *testing.T) {
	sum := &summaries{}
	var b *bench
	sum.before = func(context.Context) error { return b.Record(t.Context(), ranCommand("ls")) }
	b = begin(t, func(c *agent.Config) {
		compacting(sum)(c)
	}, answers(longText(50), 1), answers(longText(50), 1))
	b.prompt(longText(50))
	b.prompt(longText(50))
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatalf("Compact: %v", err)
	}
	path := b.path()
	if last := path[len(path)-1]; last != "bash ls" {
		t.Errorf("path ends with %q; want the command", last)
	}
}

// Close writes recorded messages that could not be written before.
func TestCloseWritesWhatWaits(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, nil, hangs(begun))
	done := make(chan error, 1)
	go func() { _, err := b.Prompt(context.Background(), "go"); done <- err }()
	<-begun
	if err := b.Record(t.Context(), ranCommand("ls")); err != nil {
		t.Fatalf("Record: %v", err)
	}
	s := reopen(t, b)
	defer s.Close()
	if err := <-done; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want %v", err, agent.ErrAborted)
	}
	path := pathOf(t, s)
	if last := path[len(path)-1]; last != "bash ls" {
		t.Errorf("path ends with %q; want the command", last)
	}
	if err := b.Record(t.Context(), ranCommand("pwd")); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Record after Close = %v; want %v", err, agent.ErrClosed)
	}
}

// Recorded messages never come between a call and its result, whenever they come.
func TestRecordAgainstPrompts(t *testing.T) {
	const prompts, commands = 30, 200
	var replies []reply
	for i := range prompts {
		replies = append(replies, calls(1, fmt.Sprintf("c%d", i), "read"), answers("done", 1))
	}
	b := begin(t, withTools(tool("read", "x")), replies...)
	var recorder sync.WaitGroup
	recorder.Go(func() {
		for range commands {
			if err := b.Record(t.Context(), ranCommand("ls")); err != nil {
				t.Errorf("Record: %v", err)
				return
			}
			runtime.Gosched()
		}
	})
	for range prompts {
		b.prompt("go") // never busy because of a message that is being recorded
	}
	recorder.Wait()
	path, bash := b.said(), 0
	for i, e := range path {
		if e == "bash ls" {
			bash++
		}
		if e == "assistant/toolUse" && !strings.HasPrefix(path[i+1], "result ") {
			t.Errorf("behind the call comes %q; want its result", path[i+1])
		}
	}
	if bash != commands {
		t.Errorf("%d commands are in the session; %d were recorded", bash, commands)
	}
}

// A message queued while sessions are switched is sent in the new one.
func TestSteerDuringASwitchIsSent(t *testing.T) {
	var b *bench
	b = begin(t, withHooks(agent.Hooks{Start: func(_ context.Context, e agent.SwitchEvent) error {
		if e.Reason == agent.ReasonStartup {
			return nil
		}
		return b.Steer("welcome")
	}}), answers("thanks", 1))
	if _, err := b.New(t.Context(), agent.NewOptions{}); err != nil {
		t.Fatalf("New: %v", err)
	}
	if err := b.Wait(t.Context()); err != nil {
		t.Fatalf("Wait: %v", err)
	}
	same(t, "path", b.said(), "user welcome", "assistant/stop thanks")
}

// No event is sent after Close.
func TestNothingIsToldAfterClose(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	a, err := agent.New(s, agent.Config{OnEvent: func(agent.Event) { told++ }})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	before := told
	a.ClearQueue()
	if err := a.Steer("hello"); !errors.Is(err, agent.ErrClosed) {
		t.Errorf("Steer after Close = %v; want %v", err, agent.ErrClosed)
	}
	if told != before {
		t.Errorf("%d events were told after Close; want none", told-before)
	}
}

// Concurrent calls of Close, Abort, Steer, Prompt and others all end; the race
// detector watches.
func TestEverythingAtOnce(t *testing.T) {
	for range 20 {
		b := begin(t, nil, answers("a", 1), answers("b", 1), answers("c", 1), answers("d", 1))
		var all sync.WaitGroup
		all.Go(func() { _, _ = b.Prompt(context.Background(), "p") })
		all.Go(func() { _ = b.Steer("s") })
		all.Go(func() { _ = b.FollowUp("f") })
		all.Go(func() { b.Abort() })
		all.Go(func() { _ = b.Record(t.Context(), ranCommand("ls")) })
		all.Go(func() { _, _ = b.Compact(context.Background(), "") })
		all.Go(func() { _, _ = b.New(context.Background(), agent.NewOptions{}) })
		all.Go(func() { _ = b.Close() })
		all.Wait()
	}
}

// Messages that could not be written to one session do not get into the next.
func TestRecordedMessagesStayWithTheirSession(t *testing.T) {
	var b *bench
	b = begin(t, nil, func(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
		if err := b.Conversation.Session().Close(); err != nil {
			t.Error(err)
		}
		if err := b.Record(t.Context(), ranCommand("ls")); err != nil {
			t.Errorf("Record: %v", err)
		}
		return answers("never", 1)(ctx, r, observe)
	}, answers("one", 1))
	if _, err := b.Prompt(t.Context(), "go"); !errors.Is(err, pith.ErrClosed) {
		t.Errorf("Prompt = %v; want %v", err, pith.ErrClosed)
	}
	if _, err := b.New(t.Context(), agent.NewOptions{}); err != nil {
		t.Fatalf("New: %v", err)
	}
	b.prompt("on")
	same(t, "path", b.said(), "user on", "assistant/stop one")
	if b.count("problem") == 0 {
		t.Errorf("events: %q; want a problem", b.told())
	}
}

// A slowStore reports when a log is about to be closed.
type slowStore struct {
	store.Store
	closing func()
}

type slowLog struct {
	store.Log
	closing func()
}

func (s slowStore) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	log, err := s.Store.Create(ctx, name, fill)
	return slowLog{log, s.closing}, err
}

func (l slowLog) Close() error {
	l.closing()
	return l.Log.Close()
}

// A message recorded while a session is left goes to the session that was
// current at that time.
func TestRecordWhileASessionIsLeft(t *testing.T) {
	var a *agent.Conversation
	var current *pith.Session
	keeper := slowStore{memstore.New(), func() {
		if current != nil {
			return
		}
		current = a.Session()
		if err := a.Record(t.Context(), ranCommand("ls")); err != nil {
			t.Errorf("Record: %v", err)
		}
	}}
	options := pith.Options{Cwd: t.TempDir(), Dir: t.TempDir(), Store: keeper}
	s, err := pith.Create(options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), format.NewUser("hello", start)); err != nil {
		t.Fatal(err)
	}
	if a, err = agent.New(s, agent.Config{Options: options}); err != nil {
		t.Fatalf("New: %v", err)
	}
	if _, err := a.New(t.Context(), agent.NewOptions{}); err != nil {
		t.Fatalf("Session.New: %v", err)
	}
	next := a.Session()
	leaf, err := next.Entry(next.LeafID())
	if err != nil || leaf == nil || current != next {
		t.Errorf("the command was recorded for the session %s and is the entry %v (%v) of the session %s", current.ID(), leaf, err, next.ID())
	}
	if err := a.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
