package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func withHooks(hooks ...agent.Hooks) func(*agent.Config) {
	return func(c *agent.Config) { c.Hooks = hooks }
}

// reminder is a message of an extension that a model sees.
func reminder(text string) *format.CustomMessage {
	return &format.CustomMessage{CustomType: "test/reminder", Content: format.TextContent(text), Display: true}
}

func truth(b bool) *bool { return &b }

// A hook adds entries after a turn and makes the model respond once more.
func TestTurnEndAddsAndContinues(t *testing.T) {
	var outcomes []string
	b := begin(t, withHooks(agent.Hooks{TurnEnd: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
		outcomes = append(outcomes, fmt.Sprint(e.Err)+" "+strings.Join(e.ResultIDs, ""))
		if e.Answer.Content.PlainText() != "one" {
			return agent.BoundaryDecision{}, nil
		}
		return agent.BoundaryDecision{
			Entries:  []format.Entry{&format.Custom{CustomType: "test/state", Data: json.RawMessage(`{"n":1}`)}, reminder("check it")},
			Continue: truth(true),
		}, nil
	}}), answers("one", 1), answers("two", 1))
	b.forget()
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/stop one", "custom", "custom_message check it", "assistant/stop two")
	same(t, "outcomes", outcomes, "<nil> ", "<nil> ")
	same(t, "events", withoutUpdates(b.told()),
		"agent_start", "turn_start", "message_start user", "message_end user", "message_start assistant", "message_end assistant",
		"entry_appended", "entry_appended", "turn_end",
		"turn_start", "message_start assistant", "message_end assistant", "turn_end", "agent_end", "agent_settled")
	last := b.client.asked()[1].Messages
	if u, ok := last[len(last)-1].(*format.User); !ok || u.Content.PlainText() != "check it" {
		t.Errorf("the second request ends with %v; want the reminder", last[len(last)-1])
	}
}

func withoutUpdates(events []string) []string {
	return slices.DeleteFunc(events, func(e string) bool { return e == "message_update" })
}

// BeforeSettle continues as often as it returns so.
func TestBeforeSettleContinues(t *testing.T) {
	n := 0
	b := begin(t, withHooks(agent.Hooks{BeforeSettle: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
		if n++; n > 2 {
			return agent.BoundaryDecision{}, nil
		}
		return agent.BoundaryDecision{Entries: []format.Entry{reminder("more")}, Continue: truth(true)}, nil
	}}), answers("one", 1), answers("two", 1), answers("three", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/stop one", "custom_message more", "assistant/stop two", "custom_message more", "assistant/stop three")
	if n != 3 || b.count("agent_settled") != 1 {
		t.Errorf("the hook was called %d times, settled %d times; want 3 and 1", n, b.count("agent_settled"))
	}
}

// A hook may continue after the model failed; then there is no error.
func TestBeforeSettleAfterAFailure(t *testing.T) {
	var outcomes []error
	b := begin(t, withHooks(agent.Hooks{BeforeSettle: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
		outcomes = append(outcomes, e.Err)
		return agent.BoundaryDecision{Continue: truth(e.Err != nil)}, nil
	}}), fails(llm.Final, "no"), answers("yes", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/error", "assistant/stop yes")
	if len(outcomes) != 2 || outcomes[0] == nil || errors.Is(outcomes[0], agent.ErrAborted) || outcomes[1] != nil {
		t.Errorf("outcomes are %q; want an error, then nil", outcomes)
	}
}

// A run that was aborted is not gone on with.
func TestNoBeforeSettleAfterAnAbort(t *testing.T) {
	begun := make(chan struct{})
	b := begin(t, withHooks(agent.Hooks{
		TurnEnd: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
			if !errors.Is(e.Err, agent.ErrAborted) {
				t.Errorf("outcome is %v; want ErrAborted", e.Err)
			}
			return agent.BoundaryDecision{Entries: []format.Entry{reminder("left")}, Continue: truth(true)}, nil
		},
		BeforeSettle: func(context.Context, agent.BoundaryEvent) (agent.BoundaryDecision, error) {
			t.Error("BeforeSettle was called")
			return agent.BoundaryDecision{}, nil
		},
	}), hangs(begun))
	go func() {
		<-begun
		b.Abort()
	}()
	if _, err := b.Prompt(t.Context(), "go"); err == nil {
		t.Error("Prompt = nil; want an error")
	}
	same(t, "path", b.said(), "user go", "assistant/aborted half of", "custom_message left")
}

// A decision with an invalid entry is ignored, and other hooks still count.
func TestBoundaryEntriesAreChecked(t *testing.T) {
	tests := map[string]format.Entry{
		"another type":                     &format.Label{TargetID: "x", Label: "y"},
		"an edit of nothing":               &format.ContextEdit{TargetID: "nowhere"},
		"an edit of what has no content":   &format.ContextEdit{TargetID: "model"},
		"a compaction without a summary":   &format.Compaction{Summary: " "},
		"a compaction that keeps nonsense": &format.Compaction{Summary: "S", FirstKeptEntryID: "nowhere"},
		"data that is no JSON":             &format.Custom{CustomType: "x", Data: json.RawMessage(`{`)},
		"details that are no JSON":         &format.CustomMessage{CustomType: "x", Details: json.RawMessage(`{`)},
	}
	for name, entry := range tests {
		t.Run(name, func(t *testing.T) {
			good := func(context.Context, agent.BoundaryEvent) (agent.BoundaryDecision, error) {
				return agent.BoundaryDecision{Entries: []format.Entry{reminder("kept")}}, nil
			}
			bad := func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
				if edit, ok := entry.(*format.ContextEdit); ok && edit.TargetID == "model" {
					path, err := e.Session.View().PathIDs(e.Session.LeafID())
					if err != nil {
						return agent.BoundaryDecision{}, err
					}
					edit.TargetID = path[0]
				}
				return agent.BoundaryDecision{Entries: append(e.Decided.Entries, entry), Continue: truth(true)}, nil
			}
			b := begin(t, withHooks(agent.Hooks{TurnEnd: good}, agent.Hooks{TurnEnd: bad}), answers("one", 1))
			b.prompt("go")
			same(t, "path", b.said(), "user go", "assistant/stop one", "custom_message kept")
			if b.count("extension_error") != 1 {
				t.Errorf("events: %q; want one extension_error", b.told())
			}
		})
	}
}

// A hook cannot have the model asked when the last word is the model's.
func TestContinueWithNothingToContinue(t *testing.T) {
	b := begin(t, withHooks(agent.Hooks{
		TurnEnd: func(context.Context, agent.BoundaryEvent) (agent.BoundaryDecision, error) {
			return agent.BoundaryDecision{Continue: truth(true)}, nil
		},
		BeforeSettle: func(context.Context, agent.BoundaryEvent) (agent.BoundaryDecision, error) {
			return agent.BoundaryDecision{Continue: truth(true)}, nil
		},
	}), answers("one", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/stop one")
	if b.count("extension_error") != 2 {
		t.Errorf("events: %q; want two of extension_error", b.told())
	}
}

// A compaction added by a hook is an entry like the others: no compaction event
// is sent.
func TestBoundaryCompaction(t *testing.T) {
	b := begin(t, withHooks(agent.Hooks{BeforeSettle: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
		return agent.BoundaryDecision{Entries: []format.Entry{&format.Compaction{Summary: "all of it"}}}, nil
	}}), answers("one", 77))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/stop one", "compaction all of it")
	if n := b.count("compaction_start") + b.count("compaction_end"); n != 0 || b.count("entry_appended") != 1 {
		t.Errorf("events: %q; want an entry_appended alone", b.told())
	}
	e, err := b.Conversation.Session().Entry(b.entry("compaction all of it"))
	if c, ok := e.(*format.Compaction); err != nil || !ok || c.FromHook == nil || !*c.FromHook || c.TokensBefore != 77 {
		t.Errorf("the compaction is %+v, %v; want one from a hook, of 77 tokens", e, err)
	}
}
