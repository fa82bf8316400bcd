package agent_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// recorder is a set of hooks that writes down what it hears.
func recorder(log *[]string) agent.Hooks {
	add := func(text string, args ...any) { *log = append(*log, fmt.Sprintf(text, args...)) }
	return agent.Hooks{
		Start: func(_ context.Context, e agent.SwitchEvent) error {
			add("start %s, before: %t", e.Reason, e.OtherFile != "")
			return nil
		},
		Shutdown: func(_ context.Context, e agent.SwitchEvent) error {
			add("shutdown %s, then: %t", e.Reason, e.OtherFile != "")
			return nil
		},
		BeforeSwitch: func(_ context.Context, e agent.SwitchEvent) error {
			if e.Reason == agent.ReasonFork {
				add("before fork, at: %t", e.At)
				return nil
			}
			add("before switch %s, to: %t", e.Reason, e.OtherFile != "")
			return nil
		},
	}
}

func TestForkCloneNewSwitch(t *testing.T) {
	var log []string
	b := twoTurns(t, &summaries{}, func(c *agent.Config) { c.Hooks = []agent.Hooks{recorder(&log)} }, answers("a3", 1), answers("a4", 1))
	first := b.Conversation.Session()
	same(t, "hooks", log, "start startup, before: false")
	log = nil
	bytes, _ := os.ReadFile(first.File())

	out, err := b.Fork(t.Context(), b.entry("user two"))
	if err != nil || out.EditorText != "two" {
		t.Fatalf("Fork = %+v, %v; want the text", out, err)
	}
	same(t, "hooks of a fork", log, "before fork, at: false", "shutdown fork, then: true", "start fork, before: true")
	log = nil
	same(t, "forked path", b.said(), "user one", "assistant/stop a1")
	if h := b.Conversation.Session().Header(); h.ParentSession != first.File() {
		t.Errorf("parent = %q; want %q", h.ParentSession, first.File())
	}
	b.prompt("another")

	// The source is not touched again. (pitfall 125)
	if after, _ := os.ReadFile(first.File()); string(after) != string(bytes) {
		t.Error("the forked session's file changed")
	}

	if _, err := b.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "hooks of a clone", log, "before fork, at: true", "shutdown fork, then: true", "start fork, before: true")
	log = nil
	same(t, "cloned path", b.said(), "user one", "assistant/stop a1", "user another", "assistant/stop a3")

	if _, err := b.New(t.Context(), agent.NewOptions{ParentSession: first.File()}); err != nil {
		t.Fatal(err)
	}
	same(t, "hooks of a new session", log, "before switch new, to: false", "shutdown new, then: true", "start new, before: true")
	log = nil
	same(t, "new path", b.path(), "model_change m1", "thinking off")
	if b.Conversation.Session().Written() || b.Conversation.Session().Dir() != first.Dir() || b.Conversation.Session().Header().ParentSession != first.File() {
		t.Error("the new session has a file, another folder or no parent")
	}

	if _, err := b.Switch(t.Context(), first.File()); err != nil {
		t.Fatal(err)
	}
	same(t, "hooks of a switch", log, "before switch resume, to: true", "shutdown resume, then: true", "start resume, before: true")
	if after, _ := os.ReadFile(first.File()); string(after) != string(bytes) {
		t.Error("switching wrote to the file") // pitfall 36
	}
	if n := b.count("session_switched"); n != 4 {
		t.Errorf("%d switches told; want 4", n)
	}
	b.prompt("back")
	got := b.said()
	same(t, "path after switching back", got[len(got)-2:], "user back", "assistant/stop a4")
}

// A session that is left during a response holds the whole turn. (pitfalls 82, 133)
func TestSwitchDuringARun(t *testing.T) {
	begun := make(chan struct{})
	slow := toolDoing("slow", func(ctx context.Context, _ agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
		close(begun)
		<-ctx.Done()
		return agent.ToolOutput{}, ctx.Err()
	})
	b := begin(t, withTools(slow), calls(1, "c1", "slow"))
	old := b.Conversation.Session().File()
	result := b.start("go")
	<-begun
	b.queue(b.FollowUp, "f1")
	out, err := b.New(t.Context(), agent.NewOptions{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "unsent", out.Unsent, "f1")
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	s, err := pith.Open(t.Context(), old, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got := pathOf(t, s)
	same(t, "path that was left", got[2:], "user go", "assistant/toolUse", "result c1 error Operation aborted")
}

func TestSwitchRefusals(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil, answers("a3", 1))
	s := b.Conversation.Session()
	if _, err := b.Switch(t.Context(), s.Dir()+"/none.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Switch to nothing = %v; want ErrNotExist", err)
	}
	if _, err := b.Fork(t.Context(), "none"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Fork of nothing = %v; want ErrNoEntry", err)
	}
	if _, err := b.Fork(t.Context(), b.entry("assistant/stop a1")); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("Fork of an answer = %v; want ErrInvalid", err)
	}
	setup := errors.New("setup")
	if _, err := b.New(t.Context(), agent.NewOptions{Setup: func(*pith.Session) error { return setup }}); !errors.Is(err, setup) {
		t.Errorf("New with a failing setup = %v; want its error", err)
	}
	if b.Conversation.Session() != s || b.Busy() != agent.ActivityIdle {
		t.Error("a refused switch left the session")
	}
	b.prompt("still here")
}

func TestHooksCancelSwitches(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{
			BeforeSwitch: func(context.Context, agent.SwitchEvent) error { return agent.ErrCancelled },
		}}
	})
	s := b.Conversation.Session()
	for name, do := range map[string]func() (agent.Replacement, error){
		"Fork":   func() (agent.Replacement, error) { return b.Fork(t.Context(), "unknown too") },
		"Clone":  func() (agent.Replacement, error) { return b.Clone(t.Context()) },
		"New":    func() (agent.Replacement, error) { return b.New(t.Context(), agent.NewOptions{}) },
		"Switch": func() (agent.Replacement, error) { return b.Switch(t.Context(), "x") },
	} {
		if out, err := do(); err != nil || !out.Cancelled {
			t.Errorf("%s = %+v, %v; want cancelled", name, out, err)
		}
	}
	if b.Conversation.Session() != s {
		t.Error("a cancelled switch changed the session")
	}
}

// A clone of a session that ends inside a turn has results for its calls. (pitfall
// 131)
func TestCloneClosesCalls(t *testing.T) {
	b := begin(t, nil)
	s := b.Conversation.Session()
	m, _ := calls(1, "c1", "read", "c2", "read")(t.Context(), llm.Request{}, nil)
	for _, m := range []format.Message{format.NewUser("go", start), m, &format.ToolResult{ToolCallID: "c1", ToolName: "read", Content: format.TextContent("x"), Timestamp: 1}} {
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Clone(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "path", b.said(), "user go", "assistant/toolUse", "result c1 x", "result c2 error Operation aborted")
}

// Sessions in memory fork and start again in memory.
func TestSwitchInMemory(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	b := beginIn(t, s, nil, answers("a1", 1), answers("a2", 1))
	b.prompt("one")
	b.prompt("two")
	if out, err := b.Fork(t.Context(), b.entry("user two")); err != nil || out.EditorText != "two" {
		t.Fatalf("Fork = %+v, %v", out, err)
	}
	same(t, "forked path", b.said(), "user one", "assistant/stop a1")
	if _, err := b.New(t.Context(), agent.NewOptions{}); err != nil {
		t.Fatal(err)
	}
	if b.Conversation.Session().Persisted() {
		t.Error("a new session of one in memory is kept in a file")
	}
}

// Switching to the file that is open keeps the position.
func TestSwitchToTheSameFile(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil)
	target := b.entry("assistant/stop a1")
	b.navigate(target, agent.NavigateOptions{})
	if _, err := b.Switch(t.Context(), b.Conversation.Session().File()); err != nil {
		t.Fatal(err)
	}
	if got := b.said(); got[1] != "assistant/stop a1" || len(got) != 3 || got[2] != "custom" {
		t.Errorf("path = %q; want the position that was left, recorded", got)
	}
}
