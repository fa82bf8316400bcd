package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// Problems while a session starts are reported to subscribers from the start.
func TestEventsFromTheStart(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var told, log []string
	a, err := agent.New(s, agent.Config{
		OnEvent: func(e agent.Event) { told = append(told, describeEvent(e)) },
		Hooks: []agent.Hooks{
			{Start: func(context.Context, agent.SwitchEvent) error { return errors.New("not today") }},
			recorder(&log),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, "events", told, "extension_error Start: not today")
	same(t, "hooks", log, "start startup, before: false", "shutdown quit, then: false")
}

// Hooks are asked in order; who cancels is the last to be asked.
func TestCancelEndsTheAsking(t *testing.T) {
	asked := ""
	hook := func(name string, cancel bool) agent.Hooks {
		return agent.Hooks{BeforeSwitch: func(context.Context, agent.SwitchEvent) error {
			asked += name
			if cancel {
				return agent.ErrCancelled
			}
			return nil
		}}
	}
	b := begin(t, func(c *agent.Config) { c.Hooks = []agent.Hooks{hook("a", false), hook("b", true), hook("c", false)} })
	if out, err := b.New(t.Context(), agent.NewOptions{}); err != nil || !out.Cancelled || asked != "ab" {
		t.Errorf("New = %+v, %v, asked %q; want cancelled by b", out, err, asked)
	}
}

// A hook may append to the session while a compaction is planned.
func TestHookAppendsDuringCompaction(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			_, err := e.Session.AppendCustom(t.Context(), "mark", nil)
			return agent.CompactDecision{}, err
		}}}
	})
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	got := b.kinds()
	same(t, "end of the path", got[len(got)-2:], "custom", "compaction")
}

// A position that a hook changes makes the plan void.
func TestHookMovesDuringCompaction(t *testing.T) {
	var first string
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			return agent.CompactDecision{}, e.Session.Branch(first)
		}}}
	})
	first = b.entry("assistant/stop a1")
	n := b.Conversation.Session().View().Len()
	if _, err := b.Compact(t.Context(), ""); err == nil || b.Conversation.Session().View().Len() != n {
		t.Errorf("Compact = %v with %d new entries; want an error and none", err, b.Conversation.Session().View().Len()-n)
	}
}

func TestNavigateWithoutSummarizer(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) { c.Summarizer = nobody })
	leaf := b.Conversation.Session().LeafID()
	if _, err := b.Navigate(t.Context(), b.entry("user two"), agent.NavigateOptions{Summarize: true}); !errors.Is(err, agent.ErrNoSummarizer) || b.Conversation.Session().LeafID() != leaf {
		t.Errorf("Navigate = %v; want ErrNoSummarizer and the same position", err)
	}
}

// Summaries that fail are not asked for without end within one run.
func TestFailingSummariesEnd(t *testing.T) {
	s := &summaries{before: func(context.Context) error { return errors.New("no credit") }}
	b := begin(t, func(c *agent.Config) {
		compacting(s)(c)
		c.Tools = []agent.Tool{tool("read", "x")}
	}, answers("a1", 1))
	b.prompt("one")
	for range 6 {
		b.client.add(calls(above, "c", "read"))
	}
	b.client.add(answers("done", above))
	b.prompt("two")
	if n := b.count("compaction_start"); n != 2 {
		t.Errorf("%d compactions in one run; want 2", n)
	}
}

// A user message with images can be undone too.
func TestNavigateToPictures(t *testing.T) {
	b := begin(t, nil, answers("a1", 1), answers("a2", 1))
	b.prompt("one")
	if _, err := b.Prompt(t.Context(), "look", &format.ImageBlock{Data: "aGk=", MimeType: "image/png"}); err != nil {
		t.Fatal(err)
	}
	if n := b.navigate(b.entry("user look"), agent.NavigateOptions{}); n.EditorText != "look" {
		t.Errorf("Navigate = %+v; want the text", n)
	}
}

// A name that a hook gives the session is reported once, to subscribers and to
// hooks.
func TestHookNamesTheSession(t *testing.T) {
	var told []string
	b := begin(t, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{
			BeforePrompt: func(_ context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
				_, err := e.Session.SetName(t.Context(), "about "+e.Text)
				return agent.PromptDecision{}, err
			},
			Renamed: func(_ context.Context, s *pith.Session) error {
				told = append(told, s.Name())
				return nil
			},
		}}
	}, answers("a1", 1), answers("a2", 1))
	b.prompt("parsers")
	b.prompt("parsers")
	if b.count("session_info_changed") != 1 || !slices.Equal(told, []string{"about parsers"}) {
		t.Errorf("events %q, hooks told %q; want the name once", b.told(), told)
	}
}

// Data that a hook collects from a plan stays valid: messages, and the decoded
// arguments of tools.
func TestHookKeepsWhatItCollects(t *testing.T) {
	s, err := pith.Create(pith.Options{Cwd: t.TempDir(), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 300 {
		id := fmt.Sprintf("c%d", i)
		arguments := fmt.Sprintf(`{"path":"file%d.go","text":%q}`, i, strings.Repeat("x", i%97))
		want = append(want, arguments)
		for _, m := range []format.Message{
			format.NewUser(fmt.Sprint("do ", i), start),
			&format.Assistant{Content: format.BlockContent(&format.ToolCallBlock{ID: id, Name: "edit", Arguments: json.RawMessage(arguments)}), Provider: "test", Model: "m1", StopReason: "toolUse", Timestamp: 5},
			format.NewToolResult(id, "edit", "ok", start),
			assistant("stop", 1, &format.TextBlock{Text: "done"}),
		} {
			if _, err := s.AppendMessage(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []json.RawMessage
	var kept []pith.ContextMessage
	b := beginIn(t, s, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Hooks = []agent.Hooks{{BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			for m, err := range e.Plan.History() {
				if err != nil {
					return agent.CompactDecision{}, err
				}
				kept = append(kept, m)
				message, err := format.DecodeMessage(m.Raw)
				if err != nil {
					return agent.CompactDecision{}, err
				}
				if a, ok := message.(*format.Assistant); ok {
					for _, block := range a.Content.Blocks {
						if call, ok := block.(*format.ToolCallBlock); ok {
							got = append(got, call.Arguments)
						}
					}
				}
			}
			return agent.CompactDecision{}, nil
		}}}
	})
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if len(got) < 290 {
		t.Fatalf("%d arguments; want nearly %d", len(got), len(want))
	}
	for i := range got {
		if string(got[i]) != want[i] {
			t.Fatalf("arguments %d = %s\nwant %s", i, got[i], want[i])
		}
	}
	for i, m := range kept {
		if !json.Valid(m.Raw) {
			t.Fatalf("message %d = %q; want it as it was", i, m.Raw)
		}
	}
}
