package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

func TestMain(m *testing.M) { goroutineleaks.Main(m) }

// A reply is what the scripted model does with one request.
type reply func(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error)

// A scripted client gives one reply after another, and then fails.
type scripted struct {
	model llm.Model

	mu       sync.Mutex // guards all below
	replies  []reply
	requests []llm.Request
}

func (c *scripted) Model() llm.Model { return c.model }

func (c *scripted) Stream(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
	c.mu.Lock()
	c.requests = append(c.requests, r)
	var next reply
	if len(c.replies) > 0 {
		next, c.replies = c.replies[0], c.replies[1:]
	}
	c.mu.Unlock()
	if next == nil {
		next = fails(llm.Final, "the script has ended")
	}
	observe(llm.Event{Kind: llm.Start})
	m, err := next(ctx, r, observe)
	if m != nil {
		m.Provider, m.Model, m.API = c.model.Provider, c.model.ID, c.model.API
	}
	return m, err
}

func (c *scripted) add(replies ...reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replies = append(c.replies, replies...)
}

// asked are the requests so far.
func (c *scripted) asked() []llm.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

func model(id string) llm.Model {
	return llm.Model{Provider: "test", ID: id, API: "test-api", ContextWindow: 100_000, MaxTokens: 1000, Reasoning: true}
}

// answers is a whole answer that counts that many tokens.
func answers(text string, tokens int64) reply {
	return func(_ context.Context, _ llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
		observe(llm.Event{Kind: llm.TextDelta, Delta: text})
		return assistant("stop", tokens, &format.TextBlock{Text: text}), nil
	}
}

// calls is an answer that calls tools: pairs of id and name.
func calls(tokens int64, pairs ...string) reply {
	return callsWith(tokens, `{"path":"a.go"}`, pairs...)
}

func callsWith(tokens int64, arguments string, pairs ...string) reply {
	return func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
		var blocks []format.Block
		for i := 0; i < len(pairs); i += 2 {
			blocks = append(blocks, &format.ToolCallBlock{ID: pairs[i], Name: pairs[i+1], Arguments: json.RawMessage(arguments)})
		}
		return assistant("toolUse", tokens, blocks...), nil
	}
}

// fails is an answer that does not come.
func fails(class llm.Class, text string) reply {
	return func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
		m := assistant("error", 0)
		m.ErrorMessage = text
		return m, &llm.Error{Class: class, Err: fmt.Errorf("%s", text)}
	}
}

// hangs says something and then waits to be aborted. begun is closed when it waits.
func hangs(begun chan struct{}) reply {
	return func(ctx context.Context, _ llm.Request, _ func(llm.Event)) (*format.Assistant, error) {
		close(begun)
		<-ctx.Done()
		return assistant("aborted", 0, &format.TextBlock{Text: "half of"}), ctx.Err()
	}
}

func assistant(stop string, tokens int64, blocks ...format.Block) *format.Assistant {
	return &format.Assistant{
		Content: format.BlockContent(blocks...), StopReason: stop, Timestamp: start.UnixMilli(),
		Usage: format.Usage{Input: tokens, TotalTokens: tokens},
	}
}

var start = time.Date(2026, 2, 3, 22, 52, 6, 0, time.UTC)

// A bench is a conversation under test.
type bench struct {
	*agent.Conversation
	t      *testing.T
	client *scripted

	mu     sync.Mutex // guards events
	events []agent.Event
}

// begin starts a conversation in a new file; change may change the config.
func begin(t *testing.T, change func(*agent.Config), replies ...reply) *bench {
	t.Helper()
	s, err := pith.Create(pith.Options{Cwd: t.TempDir(), Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return beginIn(t, s, change, replies...)
}

func beginIn(t *testing.T, s *pith.Session, change func(*agent.Config), replies ...reply) *bench {
	t.Helper()
	b := &bench{t: t, client: &scripted{model: model("m1"), replies: replies}}
	c := agent.Config{Client: b.client, Retry: llm.RetryPolicy{Max: -1}}
	if change != nil {
		change(&c)
	}
	a, err := agent.New(s, c)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	b.Conversation = a
	a.Subscribe(func(e agent.Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e)
	})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return b
}

func (b *bench) prompt(text string) {
	b.t.Helper()
	if _, err := b.Prompt(b.t.Context(), text); err != nil {
		b.t.Fatalf("Prompt(%q) = %v; want nil", text, err)
	}
}

// told returns the events so far, each as its name and its key facts.
func (b *bench) told() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make([]string, len(b.events))
	for i, e := range b.events {
		out[i] = describeEvent(e)
	}
	return out
}

func (b *bench) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
}

// eventNames are the names of events, by their types.
var eventNames = map[string]string{
	"AgentStart": "agent_start", "AgentEnd": "agent_end", "Settled": "agent_settled", "TurnStart": "turn_start", "TurnEnd": "turn_end",
	"MessageStart": "message_start", "MessageUpdate": "message_update", "MessageEnd": "message_end", "QueueChanged": "queue_update",
	"RetryStart": "auto_retry_start", "RetryEnd": "auto_retry_end", "CompactionStart": "compaction_start", "CompactionEnd": "compaction_end",
	"Navigated": "session_tree", "Switched": "session_switched", "NameChanged": "session_info_changed", "ModelChanged": "model_changed",
	"ThinkingChanged": "thinking_level_changed", "EntryAppended": "entry_appended", "Conflict": "conflict", "Repaired": "context_repaired",
	"Problem": "problem",
}

func nameOf(e agent.Event) string {
	switch e := e.(type) {
	case *agent.ToolProgress:
		switch {
		case e.Done:
			return "tool_execution_end"
		case e.Output != nil:
			return "tool_execution_update"
		}
		return "tool_execution_start"
	case *agent.RetryStart:
		if e.Summary {
			return "summarization_retry_scheduled"
		}
	case *agent.RetryEnd:
		switch {
		case e.Summary && e.Done:
			return "summarization_retry_finished"
		case e.Summary:
			return "summarization_retry_attempt_start"
		}
	case *agent.Problem:
		if e.Hook != "" {
			return "extension_error"
		}
	}
	return eventNames[strings.TrimPrefix(fmt.Sprintf("%T", e), "*agent.")]
}

func describeEvent(e agent.Event) string {
	name := nameOf(e)
	switch e := e.(type) {
	case *agent.MessageStart:
		return name + " " + string(e.Role)
	case *agent.MessageEnd:
		return name + " " + string(e.Message.Role())
	case *agent.ToolProgress:
		if e.Output == nil || e.Done {
			return name + " " + e.Call.ID
		}
	case *agent.CompactionStart:
		return name + " " + string(e.Reason)
	case *agent.CompactionEnd:
		out := name + " " + string(e.Reason)
		if e.Aborted {
			out += " aborted"
		}
		if e.WillRetry {
			out += " will retry"
		}
		if e.Err != nil {
			out += ": " + e.Err.Error()
		}
		return out
	case *agent.QueueChanged:
		return fmt.Sprintf("%s %v %v", name, e.Steering, e.FollowUp)
	case *agent.Problem:
		if e.Hook != "" {
			return fmt.Sprintf("%s %s: %v", name, e.Hook, e.Err)
		}
	case *agent.Conflict:
		return fmt.Sprintf("%s followed=%t", name, e.Followed)
	case *agent.AgentEnd:
		if e.WillRetry {
			return name + " will retry"
		}
	}
	return name
}

func isBusy(err error) bool {
	_, ok := errors.AsType[*agent.BusyError](err)
	return ok
}

// count is how many events have the name.
func (b *bench) count(name string) int {
	n := 0
	for _, e := range b.told() {
		if e == name || strings.HasPrefix(e, name+" ") || strings.HasPrefix(e, name+":") {
			n++
		}
	}
	return n
}

// path describes the entries of the active path.
func (b *bench) path() []string { return pathOf(b.t, b.Conversation.Session()) }

// said is path without what New records.
func (b *bench) said() []string {
	b.t.Helper()
	path := b.path()
	if len(path) >= 2 && path[0] == "model_change m1" {
		return path[2:]
	}
	return path
}

func pathOf(t *testing.T, s *pith.Session) []string {
	t.Helper()
	v := s.View()
	entries, err := v.Path("")
	if err != nil {
		t.Fatalf("Path: %v", err)
	}
	var out []string
	for _, pos := range entries {
		e, err := v.Entry(pos)
		if err != nil {
			t.Fatalf("Path: %v", err)
		}
		out = append(out, describe(e))
	}
	return out
}

func describe(e format.Entry) string {
	switch e := e.(type) {
	case *format.MessageEntry:
		switch m := e.Message.(type) {
		case *format.User:
			return "user " + m.Content.PlainText()
		case *format.Assistant:
			out := "assistant/" + m.StopReason
			if text := m.Content.PlainText(); text != "" {
				out += " " + text
			}
			return out
		case *format.ToolResult:
			out := "result " + m.ToolCallID
			if m.IsError {
				out += " error"
			}
			return out + " " + m.Content.PlainText()
		case *format.BashExecution:
			return "bash " + m.Command
		case *format.System:
			return "system" + toolNames(" +", m.ToolsAdded) + toolNames(" -", m.ToolsRemoved)
		}
	case *format.Compaction:
		return "compaction " + e.Summary
	case *format.BranchSummary:
		return "branch_summary " + e.Summary
	case *format.ContextEdit:
		if e.Replacement == nil {
			return "omit"
		}
	case *format.ModelChange:
		return "model_change " + e.ModelID
	case *format.ThinkingLevelChange:
		return "thinking " + e.Level
	case *format.CustomMessage:
		return "custom_message " + e.Content.PlainText()
	case *format.Label:
		return "label " + e.Label
	}
	return string(e.Head().Type)
}

// entry is the id of the entry of the file that is described so, the last one.
func (b *bench) entry(described string) string {
	b.t.Helper()
	id := ""
	for e, err := range b.Conversation.Session().View().Entries() {
		if err != nil {
			b.t.Fatalf("Entries: %v", err)
		}
		if describe(e) == described {
			id = e.Head().ID
		}
	}
	if id == "" {
		b.t.Fatalf("no entry %q in %q", described, b.path())
	}
	return id
}

// same fails when two lists differ.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

// summaries is a summarizer that writes S1, S2 and so on, and remembers what it
// was asked.
type summaries struct {
	mu     sync.Mutex // guards all below
	n      int
	asked  []compact.Prompt
	before func(ctx context.Context) error // may be nil
}

func (s *summaries) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	s.mu.Lock()
	s.n++
	text := fmt.Sprintf("S%d", s.n)
	s.asked = append(s.asked, p)
	before := s.before
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx); err != nil {
			return "", err
		}
	}
	return text, nil
}

func (s *summaries) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *summaries) Usage() *format.Usage {
	return &format.Usage{Input: 7, Output: 3, TotalTokens: 10, Cost: format.Cost{Total: 0.01}}
}

// compacting configures a summarizer and settings that keep little.
func compacting(s *summaries) func(*agent.Config) {
	return func(c *agent.Config) {
		c.Summarizer = func(llm.Client) compact.Summarizer { return s }
		c.Compaction = func(llm.Model) compact.Settings {
			return compact.Settings{Enabled: true, ReserveTokens: 10_000, KeepRecentTokens: 1}
		}
	}
}

// longText is about that many tokens.
func longText(tokens int) string { return strings.Repeat("word ", tokens*4/5) }

// reopen closes a conversation and opens its session again.
func reopen(t *testing.T, b *bench) *pith.Session {
	t.Helper()
	file := b.Conversation.Session().File()
	if err := b.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	s, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}
