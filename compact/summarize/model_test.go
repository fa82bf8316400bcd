package summarize_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A scripted client gives its answers one after another.
type scripted struct {
	model    llm.Model
	answers  []func(context.Context) (*format.Assistant, error)
	requests []llm.Request
}

func (s *scripted) Model() llm.Model { return s.model }

func (s *scripted) Stream(ctx context.Context, r llm.Request, _ func(llm.Event)) (*format.Assistant, error) {
	s.requests = append(s.requests, r)
	next := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return next(ctx)
}

func says(m format.Assistant) func(context.Context) (*format.Assistant, error) {
	return func(context.Context) (*format.Assistant, error) { return &m, nil }
}

func fails(err error) func(context.Context) (*format.Assistant, error) {
	return func(context.Context) (*format.Assistant, error) {
		return &format.Assistant{StopReason: "error", ErrorMessage: err.Error()}, err
	}
}

func textBlocks(texts ...string) format.Content {
	var blocks []format.Block
	for _, text := range texts {
		blocks = append(blocks, &format.TextBlock{Text: text})
	}
	return format.BlockContent(blocks...)
}

func whole(texts ...string) format.Assistant {
	return format.Assistant{Content: textBlocks(texts...), StopReason: "stop"}
}

// hasty never waits.
var hasty = llm.RetryPolicy{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}

func TestModelRequest(t *testing.T) {
	thinking, small := llm.Model{Reasoning: true, MaxTokens: 10_000}, llm.Model{MaxTokens: 5000}
	tests := map[string]struct {
		model llm.Model
		o     summarize.ModelOptions
		part  compact.Part
		max   int64
		level string
	}{
		"as pi 1.5.0":            {thinking, summarize.ModelOptions{Thinking: "high"}, compact.History, 0, "high"}, // pitfall 124
		"no thinking":            {llm.Model{}, summarize.ModelOptions{Thinking: "high"}, compact.History, 0, ""},
		"off":                    {thinking, summarize.ModelOptions{Thinking: "off"}, compact.LeftBranch, 0, ""},
		"branch thinks too":      {thinking, summarize.ModelOptions{Thinking: "low"}, compact.LeftBranch, 0, "low"},
		"reserve":                {llm.Model{}, summarize.ModelOptions{ReserveTokens: 16384}, compact.History, 13107, ""},
		"reserve of a prefix":    {llm.Model{}, summarize.ModelOptions{ReserveTokens: 16384}, compact.TurnPrefix, 8192, ""},
		"reserve of a branch":    {llm.Model{}, summarize.ModelOptions{ReserveTokens: 16384}, compact.LeftBranch, 4096, ""},
		"reserve and the model":  {thinking, summarize.ModelOptions{ReserveTokens: 16384}, compact.History, 10_000, ""},
		"case 69: history":       {small, summarize.ModelOptions{ReserveTokens: 16384}, compact.History, 5000, ""},
		"case 69: prefix":        {small, summarize.ModelOptions{ReserveTokens: 16384}, compact.TurnPrefix, 5000, ""},
		"case 69: as pi 1.5.0":   {small, summarize.ModelOptions{}, compact.History, 0, ""},
		"a reserve of one token": {thinking, summarize.ModelOptions{ReserveTokens: 1}, compact.TurnPrefix, 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &scripted{model: tt.model, answers: []func(context.Context) (*format.Assistant, error){says(whole("a", "b"))}}
			s := summarize.Model(c, tt.o)
			text, err := s.Summarize(t.Context(), promptOf(t, tt.part, user("hello")))
			if err != nil || text != "a\nb" {
				t.Fatalf("Summarize() = %q, %v; want the blocks joined by a line feed", text, err)
			}
			r := c.requests[0]
			if r.MaxTokens != tt.max || r.Thinking != tt.level || len(r.Tools) > 0 || len(r.Messages) != 1 || r.System == "" || r.SessionID == "" {
				t.Errorf("request = %+v; want at most %d tokens, thinking %q, one message, a system prompt, an id and no tools", r, tt.max, tt.level)
			}
			again := c.requests[0].SessionID
			if _, err := s.Summarize(t.Context(), promptOf(t, tt.part, user("hello"))); err != nil || c.requests[1].SessionID == again {
				t.Errorf("a second request has the id %q (%v), want a fresh one", again, err)
			}
		})
	}
}

// case 70: blocks between two texts are omitted.
func TestModelJoinsTexts(t *testing.T) {
	m := format.Assistant{StopReason: "stop", Content: format.BlockContent(
		&format.TextBlock{Text: "P1"}, &format.ThinkingBlock{Thinking: "hm"}, &format.TextBlock{Text: "P2"})}
	c := &scripted{answers: []func(context.Context) (*format.Assistant, error){says(m)}}
	text, err := summarize.Model(c, summarize.ModelOptions{}).Summarize(t.Context(), promptOf(t, compact.History, user("hello")))
	if err != nil || text != "P1\nP2" {
		t.Errorf("Summarize() = %q, %v; want %q", text, err, "P1\nP2")
	}
}

// pitfall 110: a summary that is not whole is an error, so that nothing is
// written.
func TestModelRefusesWhatIsNotWhole(t *testing.T) {
	cutOff := whole("half of")
	cutOff.StopReason = "length"
	calls := format.Assistant{StopReason: "toolUse", Content: format.BlockContent(&format.TextBlock{Text: "text"}, &format.ToolCallBlock{ID: "1", Name: "bash"})}
	aborted, broken, deferred := whole("half"), whole("half"), whole("half")
	aborted.StopReason, broken.StopReason, deferred.StopReason = "aborted", "error", "deferred"
	broken.ErrorMessage = "quota exceeded"
	overflow := &llm.Error{Class: llm.Overflow, Err: errors.New("prompt is too long")}
	tests := map[string]struct {
		answer func(context.Context) (*format.Assistant, error)
		is     error
		says   string
	}{
		"case 71: cut off":     {says(cutOff), summarize.ErrCutOff, "token limit"},
		"case 71: a tool call": {says(calls), summarize.ErrToolCall, "bash"},
		"aborted":              {says(aborted), context.Canceled, ""},
		"case 72: an error":    {says(broken), nil, "quota exceeded"},
		"an unknown error":     {says(format.Assistant{StopReason: "error"}), nil, "unknown error"},
		"another stop":         {says(deferred), nil, "deferred"},
		"empty":                {says(whole()), compact.ErrEmptySummary, ""},
		"white space":          {says(whole(" \n\t")), compact.ErrEmptySummary, ""},
		"only a thought":       {says(format.Assistant{StopReason: "stop", Content: format.BlockContent(&format.ThinkingBlock{Thinking: "hm"})}), compact.ErrEmptySummary, ""},
		"too long for it":      {fails(overflow), overflow, "too long"},
		"an error for always":  {fails(&llm.Error{Class: llm.Final, Status: 401, Err: errors.New("no API key")}), nil, "no API key"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &scripted{answers: []func(context.Context) (*format.Assistant, error){tt.answer}}
			text, err := summarize.Model(c, summarize.ModelOptions{Retry: hasty}).Summarize(t.Context(), promptOf(t, compact.History, user("hello")))
			if text != "" || err == nil || tt.is != nil && !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Summarize() = %q, %v; want no text and an error of %v with %q", text, err, tt.is, tt.says)
			}
			if len(c.requests) != 1 {
				t.Errorf("%d requests, want one", len(c.requests))
			}
		})
	}
}

// The level of the conversation counts where the options name none.
func TestModelThinksAsTheConversation(t *testing.T) {
	able := llm.Model{Provider: "p", ID: "m", Reasoning: true}
	for name, tt := range map[string]struct {
		model        llm.Model
		option, told string
		want         string
	}{
		"as told":       {able, "", "high", "high"},
		"told off":      {able, "", "off", ""},
		"not told":      {able, "", "", ""},
		"by the option": {able, "low", "high", "low"},
		"option off":    {able, "off", "high", ""},
		"cannot think":  {llm.Model{Provider: "p", ID: "m"}, "", "high", ""},
	} {
		c := &scripted{model: tt.model, answers: []func(context.Context) (*format.Assistant, error){says(whole("S"))}}
		m := summarize.Model(c, summarize.ModelOptions{Thinking: tt.option})
		m.Think(tt.told)
		if _, err := m.Summarize(t.Context(), promptOf(t, compact.History, user("hello"))); err != nil || c.requests[0].Thinking != tt.want {
			t.Errorf("%s: Summarize() asked with thinking %q, %v; want %q", name, c.requests[0].Thinking, err, tt.want)
		}
	}
}

func TestModelRetries(t *testing.T) {
	busy := &llm.Error{Class: llm.Retryable, Status: 529, Err: errors.New("overloaded")}
	c := &scripted{answers: []func(context.Context) (*format.Assistant, error){fails(busy), fails(busy), says(whole("done"))}}
	var waits []int64
	m := summarize.Model(c, summarize.ModelOptions{Retry: hasty})
	m.Notify(func(e llm.Event) {
		if e.Kind == llm.Retry {
			waits = append(waits, e.WaitMs)
		}
	})
	text, err := m.Summarize(t.Context(), promptOf(t, compact.History, user("hello")))
	if err != nil || text != "done" || len(waits) != 2 || waits[0] != 2000 || waits[1] != 4000 {
		t.Errorf("Summarize() = %q, %v, waits %v; want done after waits of 2000 and 4000", text, err, waits)
	}
	never := &scripted{answers: []func(context.Context) (*format.Assistant, error){fails(busy)}}
	if text, err := summarize.Model(never, summarize.ModelOptions{Retry: hasty}).Summarize(t.Context(), promptOf(t, compact.History, user("hello"))); text != "" || !errors.Is(err, busy) || len(never.requests) != 4 {
		t.Errorf("Summarize() = %q, %v after %d requests; want the error after 4", text, err, len(never.requests))
	}
}

// pitfall 118: the usage of both halves of a split turn is recorded together.
func TestModelUsage(t *testing.T) {
	first, second := whole("history"), whole("prefix")
	first.Usage = format.Usage{Input: 10, Output: 5, CacheRead: 1, TotalTokens: 16, Reasoning: 2, Raw: []byte(`{}`), Cost: format.Cost{Input: 1, Total: 2, TotalFromProvider: true}}
	second.Usage = format.Usage{Input: 3, Output: 4, CacheWrite: 7, CacheWrite1h: 6, TotalTokens: 14, Cost: format.Cost{Output: 0.5, Total: 0.5}}
	c := &scripted{answers: []func(context.Context) (*format.Assistant, error){says(first), says(second)}}
	s := summarize.Model(c, summarize.ModelOptions{})
	if u := s.Usage(); u != nil {
		t.Errorf("Usage() before the first request = %+v, want nil", u)
	}
	for range 2 {
		if _, err := s.Summarize(t.Context(), promptOf(t, compact.History, user("x"))); err != nil {
			t.Fatal(err)
		}
	}
	want := &format.Usage{Input: 13, Output: 9, CacheRead: 1, CacheWrite: 7, CacheWrite1h: 6, TotalTokens: 30, Reasoning: 2, Cost: format.Cost{Input: 1, Output: 0.5, Total: 2.5}}
	if got := s.Usage(); !reflect.DeepEqual(got, want) {
		t.Errorf("Usage() = %+v, want %+v", got, want)
	}
}

// The prompt of the model, byte for byte except for the instructions' own
// words.
func TestModelPrompt(t *testing.T) {
	sections := "## Goal, ## Constraints & Preferences, ## Progress, ### Done, ### In Progress, ### Blocked, ## Key Decisions, ## Next Steps"
	prefix := "## Original Request, ## Progress So Far, ## Context Needed to Continue"
	tests := map[string]struct {
		part              compact.Part
		previous, focus   string
		replace           bool
		begins, ends      string
		sections, notSaid string
	}{
		"history":             {compact.History, "", "", false, "<conversation>\n[User]: hello\n</conversation>\n\nSummarize", "error messages.", sections + ", ## Critical Context", "previous"},
		"focus":               {compact.History, "", "the tests", false, "<conversation>\n", "\n\nAdditional focus: the tests", sections + ", ## Critical Context", "previous"},
		"update":              {compact.History, "PREV", "", false, "<conversation>\n[User]: hello\n</conversation>\n\n<previous-summary>\nPREV\n</previous-summary>\n\nThe conversation above is new", "error messages.", sections + ", ## Critical Context", "Additional focus"},
		"prefix":              {compact.TurnPrefix, "", "", false, "# Conversation\n[User]: hello\n\n# Instructions\n", "error messages.", "# Conversation, # Instructions, " + prefix, "<conversation>"},
		"prefix, focus":       {compact.TurnPrefix, "", "the tests", false, "# Conversation\n", "\n\nAdditional focus: the tests", "# Conversation, # Instructions, " + prefix, "<conversation>"}, // pitfall 113
		"prefix in pieces":    {compact.TurnPrefix, "PREV", "", false, "# Conversation\n[User]: hello\n\n# Previous Summary\nPREV\n\n# Instructions\n", "Write one summary of both.", "# Conversation, # Previous Summary, # Instructions, " + prefix, "<conversation>"},
		"branch":              {compact.LeftBranch, "", "", false, "<conversation>\n[User]: hello\n</conversation>\n\nSummarize this branch", "error messages.", sections, "Critical Context"},
		"branch, focus":       {compact.LeftBranch, "", "the tests", false, "<conversation>\n", "\n\nAdditional focus: the tests", sections, "Critical Context"},
		"case 79: replaced":   {compact.LeftBranch, "", "One sentence only.", true, "<conversation>\n[User]: hello\n</conversation>\n\nOne sentence only.", "One sentence only.", "", "Additional focus"}, // pitfall 122
		"case 79: by nothing": {compact.LeftBranch, "", "", true, "<conversation>\n[User]: hello\n</conversation>\n\nSummarize this branch", "error messages.", sections, "Additional focus"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &scripted{answers: []func(context.Context) (*format.Assistant, error){says(whole("ok"))}}
			p := promptOf(t, tt.part, user("hello"))
			p.PreviousSummary, p.Instructions, p.ReplaceInstructions = tt.previous, tt.focus, tt.replace
			if _, err := summarize.Model(c, summarize.ModelOptions{}).Summarize(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			text := c.requests[0].Messages[0].(*format.User).Content.PlainText()
			if !strings.HasPrefix(text, tt.begins) || !strings.HasSuffix(text, tt.ends) || headings(text) != tt.sections || strings.Contains(text, tt.notSaid) {
				t.Errorf("the model is told\n%s\nwith the headings %s\nwant it to begin with %q, to end with %q, headings %s, and no %q", text, headings(text), tt.begins, tt.ends, tt.sections, tt.notSaid)
			}
		})
	}
}

// A client that breaks its promise to return a message is an error, not a panic.
func TestClientWithoutAMessage(t *testing.T) {
	nothing := func(err error) *scripted {
		return &scripted{answers: []func(context.Context) (*format.Assistant, error){
			func(context.Context) (*format.Assistant, error) { return nil, err },
		}}
	}
	p := promptOf(t, compact.History, user("hello"))
	if text, err := summarize.Model(nothing(nil), summarize.ModelOptions{Retry: hasty}).Summarize(t.Context(), p); err == nil {
		t.Errorf("Summarize() = %q, nil; want an error", text)
	}
	busy := &llm.Error{Class: llm.Retryable, Err: errors.New("overloaded")}
	aborts := llm.RetryPolicy{Sleep: func(context.Context, time.Duration) error { return context.Canceled }}
	if text, err := summarize.Model(nothing(busy), summarize.ModelOptions{Retry: aborts}).Summarize(t.Context(), p); !errors.Is(err, context.Canceled) {
		t.Errorf("Summarize() = %q, %v; want %v", text, err, context.Canceled)
	}
}
