package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/llm"
)

// patient takes conversations of any length.
type patient struct{ *summaries }

func (patient) AnyLength() bool { return true }

// A long conversation is split for a summarizer that does not accept any
// length.
func TestAnyLength(t *testing.T) {
	for name, tt := range map[string]struct {
		anyLength bool
		want      int // prompts
	}{
		"in pieces": {false, 3}, // two of the history, one of the turn that is cut through
		"at once":   {true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			sum := &summaries{}
			b := begin(t, func(c *agent.Config) {
				c.Summarizer = func(llm.Client) compact.Summarizer {
					if tt.anyLength {
						return patient{sum}
					}
					return sum
				}
				c.Compaction = func(llm.Model) compact.Settings {
					return compact.Settings{ReserveTokens: 10_000, KeepRecentTokens: 1}
				}
			}, answers(longText(60_000), 1), answers(longText(60_000), 1), answers("three", 1))
			b.prompt("one")
			b.prompt("two")
			b.prompt("three")
			if _, err := b.Compact(t.Context(), ""); err != nil {
				t.Fatalf("Compact: %v", err)
			}
			if sum.count() != tt.want {
				t.Errorf("the summarizer was asked %d times; want %d", sum.count(), tt.want)
			}
		})
	}
}

// stubborn asks twice for its first summary, and says so.
type stubborn struct {
	summaries
	notify func(llm.Event)
}

func (s *stubborn) Notify(f func(llm.Event)) { s.notify = f }

func (s *stubborn) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	if s.count() > 0 {
		return s.summaries.Summarize(ctx, p)
	}
	s.notify(llm.Event{Kind: llm.Retry, Attempt: 1, WaitMs: 20, Err: errors.New("overloaded")})
	s.notify(llm.Event{Kind: llm.Start})
	s.notify(llm.Event{Kind: llm.TextDelta, Delta: "S"})
	return s.summaries.Summarize(ctx, p)
}

// thinker records its thinking level.
type thinker struct {
	summaries
	level string
}

func (s *thinker) Think(level string) { s.level = level }

// Summaries are thought about as much as answers are.
func TestSummariesThink(t *testing.T) {
	sum := &thinker{}
	b := begin(t, func(c *agent.Config) {
		c.Summarizer = func(llm.Client) compact.Summarizer { return sum }
		c.Compaction = func(llm.Model) compact.Settings { return compact.Settings{KeepRecentTokens: 1} }
	}, answers("one", 1), answers("two", 1))
	b.prompt("one")
	b.prompt("two")
	for _, level := range []string{"high", "low"} {
		if err := b.SetThinking(t.Context(), level); err != nil {
			t.Fatal(err)
		}
		var err error
		if level == "high" {
			_, err = b.Compact(t.Context(), "")
		} else {
			_, err = b.Navigate(t.Context(), b.entry("user one"), agent.NavigateOptions{Summarize: true})
		}
		if err != nil || sum.count() == 0 || sum.level != level {
			t.Errorf("%v; %d summaries, the last with thinking %q; want %q", err, sum.count(), sum.level, level)
		}
	}
}

func TestSummaryRetriesAreTold(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		c.Summarizer = func(llm.Client) compact.Summarizer { return &stubborn{} }
		c.Compaction = func(llm.Model) compact.Settings { return compact.Settings{KeepRecentTokens: 1} }
	}, answers("one", 1), answers("two", 1))
	b.prompt("one")
	b.prompt("two")
	b.forget()
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatalf("Compact: %v", err)
	}
	same(t, "events of a compaction", b.told(), "compaction_start manual", "summarization_retry_scheduled",
		"summarization_retry_attempt_start", "summarization_retry_finished", "compaction_end manual")
	b.mu.Lock()
	scheduled, _ := b.events[1].(*agent.RetryStart)
	attempt, _ := b.events[2].(*agent.RetryEnd)
	b.mu.Unlock()
	if scheduled.Attempt != 1 || scheduled.Delay != 20*time.Millisecond || scheduled.Err.Error() != "overloaded" || attempt.Reason != agent.ReasonManual {
		t.Errorf("events %+v, %+v; want the first retry of a manual compaction after 20ms", scheduled, attempt)
	}

	b.forget()
	if _, err := b.Navigate(t.Context(), b.entry("user one"), agent.NavigateOptions{Summarize: true}); err != nil {
		t.Fatalf("Navigate: %v", err)
	}
	if b.count("summarization_retry_attempt_start") != 1 || b.count("summarization_retry_finished") != 1 {
		t.Errorf("events of a navigation: %q; want a retry", b.told())
	}
}

// nobody returns no summarizer.
func nobody(llm.Client) compact.Summarizer { return nil }

// A configuration that names a client and no summarizer has its summaries written
// by the model of the client: when asked, when leaving a branch, and by itself.
func TestTheModelSummarizes(t *testing.T) {
	summary := answers("## Goal\nlook", 7)
	settings := func(c *agent.Config) {
		c.Compaction = func(llm.Model) compact.Settings {
			return compact.Settings{Enabled: true, ReserveTokens: 16_384, KeepRecentTokens: 1}
		}
	}
	t.Run("Compact", func(t *testing.T) {
		b := begin(t, settings, answers("a1", 1), answers("a2", 1), summary, summary)
		b.prompt("one")
		b.prompt("two")
		got, err := b.Compact(t.Context(), "")
		if err != nil || !strings.Contains(got.Summary, "## Goal") || got.Usage == nil || got.Usage.TotalTokens != 14 {
			t.Errorf("Compact = %+v, %v; want the model's summary and what it used", got, err)
		}
	})
	t.Run("Navigate", func(t *testing.T) {
		b := begin(t, settings, answers("a1", 1), answers("a2", 1), summary, summary)
		b.prompt("one")
		b.prompt("two")
		got, err := b.Navigate(t.Context(), b.entry("user two"), agent.NavigateOptions{Summarize: true})
		if err != nil || got.SummaryID == "" {
			t.Errorf("Navigate = %+v, %v; want a summary", got, err)
		}
	})
	t.Run("by itself", func(t *testing.T) {
		b := begin(t, settings, answers("a1", 1), answers("a2", above), summary, summary)
		b.prompt("one")
		b.prompt("two")
		same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/stop a2", "compaction")
	})
}
