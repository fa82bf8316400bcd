package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// echo is a model that repeats the prompt. A real one comes from package llm.
type echo struct{}

func (echo) Model() llm.Model {
	return llm.Model{Provider: "example", ID: "echo", ContextWindow: 200_000, MaxTokens: 8_000}
}

func (echo) Stream(_ context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
	text := "you said nothing"
	if u, ok := r.Messages[len(r.Messages)-1].(*format.User); ok {
		text = "you said: " + u.Content.PlainText()
	}
	observe(llm.Event{Kind: llm.TextDelta, Delta: text})
	return &format.Assistant{
		Provider: "example", Model: "echo", StopReason: "stop", Timestamp: time.Now().UnixMilli(),
		Content: format.BlockContent(&format.TextBlock{Text: text}),
	}, nil
}

// converse begins a conversation in memory for the examples.
func converse(c agent.Config, prompts ...string) *agent.Conversation {
	s, err := pith.InMemory(pith.Options{Cwd: "/home/user/project"})
	if err != nil {
		log.Fatal(err)
	}
	c.Client = echo{}
	if c.Compaction == nil {
		c.Compaction = func(llm.Model) compact.Settings {
			return compact.Settings{Enabled: true, ReserveTokens: 16_384, KeepRecentTokens: 5}
		}
	}
	a, err := agent.New(s, c)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range prompts {
		if _, err := a.Prompt(context.Background(), p); err != nil {
			log.Fatal(err)
		}
	}
	return a
}

// firstWords is a summarizer without a model.
func firstWords(llm.Client) compact.Summarizer {
	return compact.SummarizerFunc(func(_ context.Context, p compact.Prompt) (string, error) {
		if p.Instructions != "" {
			return "about " + p.Instructions, nil
		}
		return "what was said before", nil
	})
}

func lastUserMessage(s *pith.Session) (id string) {
	for e, err := range s.View().Entries() {
		if err != nil {
			log.Fatal(err)
		}
		if m, ok := e.(*format.MessageEntry); ok && m.Message.Role() == format.RoleUser {
			id = m.ID
		}
	}
	return id
}

// A prompt streams its answer to subscribers.
func ExampleConversation_Prompt() {
	a := converse(agent.Config{})
	defer a.Close()
	a.Subscribe(func(e agent.Event) {
		if u, ok := e.(*agent.MessageUpdate); ok {
			fmt.Print(u.Piece.Delta)
		}
	})
	if _, err := a.Prompt(context.Background(), "hello"); err != nil {
		log.Fatal(err)
	}
	// Output: you said: hello
}

// A tool is something that the model may call.
func ExampleTool() {
	clock := agent.Tool{
		Tool: llm.Tool{
			Name: "clock", Description: "tells the time", Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
		},
		Run: func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			return agent.Text(time.Now().Format(time.Kitchen)), nil
		},
	}
	a := converse(agent.Config{Tools: []agent.Tool{clock}})
	defer a.Close()
}

// Manual compaction, with words about what matters.
func ExampleConversation_Compact() {
	a := converse(agent.Config{Summarizer: firstWords}, "first question", "second question")
	defer a.Close()
	result, err := a.Compact(context.Background(), "architectural decisions")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("Summary:", strings.SplitN(result.Summary, "\n", 2)[0])
	// Output: Summary: about architectural decisions
}

// A hook writes the summary itself.
func ExampleHooks_customCompaction() {
	custom := agent.Hooks{
		BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			n := 0
			for _, err := range e.Plan.History() {
				if err != nil {
					return agent.CompactDecision{}, err
				}
				n++
			}
			return agent.CompactDecision{Compaction: &format.Compaction{
				Summary:          fmt.Sprintf("%d messages about the parser", n),
				FirstKeptEntryID: e.Plan.FirstKeptEntryID,
				TokensBefore:     e.Plan.TokensBefore,
				Details:          json.RawMessage(`{"customData":"..."}`),
			}}, nil
		},
		Compacted: func(_ context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
			fmt.Println("written:", e.Result.Summary, string(e.Result.Details), "by a hook:", e.FromHook)
			return nil
		},
	}
	a := converse(agent.Config{Hooks: []agent.Hooks{custom}}, "first question", "second question")
	defer a.Close()
	if _, err := a.Compact(context.Background(), ""); err != nil {
		log.Fatal(err)
	}
	// Output: written: 2 messages about the parser {"customData":"..."} by a hook: true
}

// A hook keeps a session from being compacted without being asked.
func ExampleHooks_cancel() {
	manualOnly := agent.Hooks{
		BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			if e.Instructions == "" {
				return agent.CompactDecision{}, agent.ErrCancelled
			}
			return agent.CompactDecision{}, nil
		},
	}
	a := converse(agent.Config{Summarizer: firstWords, Hooks: []agent.Hooks{manualOnly}}, "first question", "second question")
	defer a.Close()
	_, err := a.Compact(context.Background(), "")
	fmt.Println(errors.Is(err, agent.ErrCancelled))
	_, err = a.Compact(context.Background(), "decisions")
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

// Moving to another branch leaves a summary of the one that is left.
func ExampleConversation_Navigate() {
	a := converse(agent.Config{Summarizer: firstWords}, "plan it", "use threads")
	defer a.Close()
	n, err := a.Navigate(context.Background(), lastUserMessage(a.Session()), agent.NavigateOptions{
		Summarize:    true,
		Instructions: "why we change direction",
		Label:        "tried threads",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("to edit:", n.EditorText)
	fmt.Println("label:", a.Session().View().Label(n.SummaryID))
	// Output:
	// to edit: use threads
	// label: tried threads
}

// A hook writes the summary of a branch and gives it a label.
func ExampleHooks_branchSummary() {
	label := "left"
	hooks := agent.Hooks{
		BeforeTree: func(_ context.Context, e agent.BeforeTreeEvent) (agent.TreeDecision, error) {
			return agent.TreeDecision{
				Summary: &format.BranchSummary{Summary: fmt.Sprintf("entries left behind: %d", len(e.Branch.EntryIDs))},
				Label:   &label,
			}, nil
		},
		Tree: func(_ context.Context, s *pith.Session, e *agent.Navigated) error {
			fmt.Println(e.Summary.Summary, "/", s.View().Label(e.Summary.ID))
			return nil
		},
	}
	a := converse(agent.Config{Hooks: []agent.Hooks{hooks}}, "plan it", "use threads")
	defer a.Close()
	if _, err := a.Navigate(context.Background(), lastUserMessage(a.Session()), agent.NavigateOptions{Summarize: true}); err != nil {
		log.Fatal(err)
	}
	// Output: entries left behind: 1 / left
}

// An extension keeps its state in custom entries, which no model sees, and finds it
// again when a session starts.
func ExampleHooks_state() {
	type state struct{ Count int }
	counter := state{}
	hooks := agent.Hooks{
		Start: func(_ context.Context, e agent.SwitchEvent) error {
			counter = state{}
			v := e.Session.View()
			path, err := v.Path("")
			if err != nil {
				return err
			}
			for _, pos := range path {
				entry, err := v.Entry(pos)
				if err != nil {
					return err
				}
				if c, ok := entry.(*format.Custom); ok && c.CustomType == "my-extension" {
					if err := json.Unmarshal(c.Data, &counter); err != nil {
						return err
					}
				}
			}
			return nil
		},
		BeforePrompt: func(_ context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
			counter.Count++
			data, err := json.Marshal(counter)
			if err != nil {
				return agent.PromptDecision{}, err
			}
			_, err = e.Session.AppendCustom(context.Background(), "my-extension", data)
			return agent.PromptDecision{}, err
		},
	}
	a := converse(agent.Config{Hooks: []agent.Hooks{hooks}}, "one", "two")
	defer a.Close()
	if _, err := a.Clone(context.Background()); err != nil { // starts again from the kept messages
		log.Fatal(err)
	}
	fmt.Println("prompts so far:", counter.Count)
	// Output: prompts so far: 2
}

// A hook adds what the model should know to a prompt.
func ExampleHooks_context() {
	hooks := agent.Hooks{
		BeforePrompt: func(context.Context, agent.BeforePromptEvent) (agent.PromptDecision, error) {
			return agent.PromptDecision{Messages: []format.CustomMessage{{
				CustomType: "context", Content: format.TextContent("the branch is main"), Display: true, Details: json.RawMessage(`{"source":"external"}`),
			}}}, nil
		},
	}
	a := converse(agent.Config{Hooks: []agent.Hooks{hooks}}, "where are we?")
	defer a.Close()
	v := a.Session().View()
	e, err := v.Entry(v.Leaf())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.(*format.MessageEntry).Message.(*format.Assistant).Content.PlainText())
	// Output: you said: the branch is main
}

// A hook reads the answer at the end of a run and, once, has the model look again.
func ExampleHooks_goOn() {
	reminded := false
	hooks := agent.Hooks{
		BeforeSettle: func(_ context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
			if reminded || e.Err != nil {
				return agent.BoundaryDecision{}, nil
			}
			reminded = true
			goOn := true
			return agent.BoundaryDecision{
				Entries:  []format.Entry{&format.CustomMessage{CustomType: "review", Content: format.TextContent("now run the tests"), Display: true}},
				Continue: &goOn,
			}, nil
		},
	}
	a := converse(agent.Config{Hooks: []agent.Hooks{hooks}}, "fix it")
	defer a.Close()
	v := a.Session().View()
	e, err := v.Entry(v.Leaf())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.(*format.MessageEntry).Message.(*format.Assistant).Content.PlainText())
	// Output: you said: now run the tests
}

// To ask again in another way, fork from a message: its text comes back to be edited.
func ExampleConversation_Fork() {
	a := converse(agent.Config{}, "plan it", "use threads")
	defer a.Close()
	out, err := a.Fork(context.Background(), lastUserMessage(a.Session()))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Prompt(context.Background(), strings.Replace(out.EditorText, "threads", "events", 1)); err != nil {
		log.Fatal(err)
	}
	v := a.Session().View()
	e, err := v.Entry(v.Leaf())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.(*format.MessageEntry).Message.(*format.Assistant).Content.PlainText())
	// Output: you said: use events
}
