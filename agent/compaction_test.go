package agent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// twoTurns is a conversation that can be compacted.
func twoTurns(t *testing.T, s *summaries, change func(*agent.Config), more ...reply) *bench {
	t.Helper()
	b := begin(t, func(c *agent.Config) {
		compacting(s)(c)
		if change != nil {
			change(c)
		}
	}, append([]reply{answers("a1", 10), answers("a2", 20)}, more...)...)
	b.prompt("one")
	b.prompt("two")
	b.forget()
	return b
}

func TestCompact(t *testing.T) {
	s := &summaries{}
	b := twoTurns(t, s, nil)
	got, err := b.Compact(t.Context(), "the plan")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "events", b.told(), "compaction_start manual", "compaction_end manual")
	entry, err := b.Conversation.Session().Entry(got.ID)
	if err != nil {
		t.Fatal(err)
	}
	c := entry.(*format.Compaction)
	if c.Summary != got.Summary || c.FirstKeptEntryID != got.FirstKeptEntryID || c.TokensBefore != 20 || got.TokensBefore != 20 {
		t.Errorf("entry %+v, result %+v; want the same, with 20 tokens before", c, got)
	}
	if got.EstimatedTokensAfter == 0 || c.FromHook == nil || *c.FromHook {
		t.Errorf("result %+v; want an estimate, and fromHook false", got)
	}
	if c.Usage == nil || c.Usage.TotalTokens != 10 || string(c.Details) != `{"readFiles":[],"modifiedFiles":[]}` {
		t.Errorf("usage %+v, details %s; want those of the summarizer and the file lists", c.Usage, c.Details)
	}
	for _, p := range s.asked {
		if p.Instructions != "the plan" {
			t.Errorf("instructions = %q; want the user's", p.Instructions)
		}
	}
}

// case 90: a compaction right after another; case 91: one of a session without
// any message.
func TestCompactErrors(t *testing.T) {
	var failures []error
	b := twoTurns(t, &summaries{}, withHooks(agent.Hooks{Compacted: func(_ context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
		if e.Result == nil {
			failures = append(failures, e.Err)
		}
		return nil
	}}))
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	b.forget()
	_, err := b.Compact(t.Context(), "")
	var nothing *compact.NothingError
	if !errors.As(err, &nothing) || nothing.Why != compact.AlreadyCompacted {
		t.Errorf("Compact twice = %v; want already compacted", err)
	}
	if b.count("compaction_start manual") != 1 || b.count("compaction_end manual") != 1 {
		t.Errorf("events %q; want a start and a failed end", b.told())
	}
	if len(failures) != 1 || !errors.As(failures[0], &nothing) {
		t.Errorf("Compacted was told %v; want already compacted, once", failures)
	}
	small := begin(t, compacting(&summaries{}))
	same(t, "path of a fresh session", small.path(), "model_change m1", "thinking off")
	if _, err := small.Compact(t.Context(), ""); !errors.As(err, &nothing) || nothing.Why != compact.TooSmall {
		t.Errorf("Compact of nothing = %v; want too small", err)
	}
	none := twoTurns(t, &summaries{}, func(c *agent.Config) { c.Summarizer = nobody })
	if _, err := none.Compact(t.Context(), ""); !errors.Is(err, agent.ErrNoSummarizer) {
		t.Errorf("Compact without a summarizer = %v; want ErrNoSummarizer", err)
	}
}

// A summary that is not there changes nothing on disk. (pitfall 110)
func TestFailedSummaryChangesNothing(t *testing.T) {
	tests := map[string]struct {
		hooks agent.Hooks
		s     compact.SummarizerFunc
		want  error
	}{
		"failed": {s: func(context.Context, compact.Prompt) (string, error) { return "", os.ErrDeadlineExceeded }, want: os.ErrDeadlineExceeded},
		"empty":  {s: func(context.Context, compact.Prompt) (string, error) { return " \n", nil }, want: compact.ErrEmptySummary},
		"case 92: cancelled": {hooks: agent.Hooks{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			return agent.CompactDecision{}, agent.ErrCancelled
		}}, want: agent.ErrCancelled},
		"empty, by a hook": {hooks: agent.Hooks{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			return agent.CompactDecision{Compaction: &format.Compaction{}}, nil
		}}, want: compact.ErrEmptySummary},
		"kept from elsewhere, by a hook": {hooks: agent.Hooks{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			return agent.CompactDecision{Compaction: &format.Compaction{Summary: "S", FirstKeptEntryID: "nowhere"}}, nil
		}}, want: pith.ErrInvalid},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var failures []*agent.CompactionEnd
			b := twoTurns(t, &summaries{}, func(c *agent.Config) {
				c.Summarizer = func(llm.Client) compact.Summarizer { return tt.s }
				tt.hooks.Compacted = func(_ context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
					failures = append(failures, e)
					return nil
				}
				c.Hooks = []agent.Hooks{tt.hooks}
			})
			before, _ := os.ReadFile(b.Conversation.Session().File())
			if _, err := b.Compact(t.Context(), ""); !errors.Is(err, tt.want) {
				t.Errorf("Compact = %v; want %v", err, tt.want)
			}
			after, _ := os.ReadFile(b.Conversation.Session().File())
			if string(before) != string(after) || len(before) == 0 {
				t.Errorf("the file changed:\n%s", after[len(before):])
			}
			if tt.want == agent.ErrCancelled {
				same(t, "events", b.told(), "compaction_start manual", "compaction_end manual aborted")
			} else if b.count("compaction_end manual") != 1 || failures[0].Err == nil {
				t.Errorf("events %q; want an end with the error", b.told())
			}
			if len(failures) != 1 || failures[0].Reason != agent.ReasonManual || failures[0].Aborted != (tt.want == agent.ErrCancelled) {
				t.Errorf("Compacted was told %+v; want once", failures)
			}
			b.client.add(answers("a3", 1))
			b.prompt("the session goes on")
		})
	}
}

// Abort really aborts a compaction, and says so. (pitfall 114)
func TestAbortCompaction(t *testing.T) {
	begun := make(chan struct{})
	b := twoTurns(t, &summaries{before: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}}, nil)
	result := make(chan error, 1)
	go func() {
		_, err := b.Compact(context.Background(), "")
		result <- err
	}()
	<-begun
	var busy *agent.BusyError
	if _, err := b.Compact(t.Context(), ""); !errors.As(err, &busy) || busy.With != agent.ActivityCompacting {
		t.Errorf("a second Compact = %v; want a BusyError", err)
	}
	if _, err := b.Prompt(t.Context(), "x"); !errors.As(err, &busy) {
		t.Errorf("Prompt while compacting = %v; want a BusyError", err)
	}
	b.Abort()
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Compact = %v; want ErrAborted", err)
	}
	same(t, "events", b.told(), "compaction_start manual", "compaction_end manual aborted")
	same(t, "path", b.said(), "user one", "assistant/stop a1", "user two", "assistant/stop a2")
}

// A manual compaction ends a run first, which stays in the session. (pitfall 114)
func TestCompactEndsARun(t *testing.T) {
	begun := make(chan struct{})
	b := twoTurns(t, &summaries{}, nil, hangs(begun))
	result := b.start("three")
	<-begun
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	got := b.said()
	if !strings.HasPrefix(got[len(got)-1], "compaction ") || got[len(got)-2] != "assistant/aborted half of" {
		t.Errorf("path = %q; want the aborted answer, then the compaction", got)
	}
}

// Content of a hook is written as it is.
func TestCompactionByHook(t *testing.T) {
	var told []*agent.CompactionEnd
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Summarizer = nil
		c.Hooks = []agent.Hooks{{
			BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
				return agent.CompactDecision{Compaction: &format.Compaction{
					Summary: "mine", FirstKeptEntryID: e.Plan.FirstKeptEntryID, TokensBefore: e.Plan.TokensBefore, Details: []byte(`{"custom":1}`),
				}}, nil
			},
			Compacted: func(_ context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
				told = append(told, e)
				return nil
			},
		}}
	})
	got, err := b.Compact(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if got.FromHook == nil || !*got.FromHook || got.Summary != "mine" || string(got.Details) != `{"custom":1}` {
		t.Errorf("Compact = %+v; want the hook's", got)
	}
	if len(told) != 1 || told[0].Result.ID != got.ID || !told[0].FromHook {
		t.Errorf("Compacted was told %+v; want the entry, from a hook", told)
	}
}

// Instructions and details of a hook go into the summarizer's compaction.
func TestCompactionWithHooksWords(t *testing.T) {
	s := &summaries{}
	b := twoTurns(t, s, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{
			{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
				return agent.CompactDecision{Instructions: "names", Details: []byte(`{"k":2}`)}, nil
			}},
			{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
				return agent.CompactDecision{}, nil // says nothing
			}},
		}
	})
	got, err := b.Compact(t.Context(), "the plan")
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Details) != `{"k":2}` || s.asked[0].Instructions != "names" {
		t.Errorf("details %s, instructions %q; want the hook's", got.Details, s.asked[0].Instructions)
	}
}

// case 92: a hook that fails or panics says nothing; the summary is written all the
// same.
func TestHookFailures(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{
			{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
				return agent.CompactDecision{Instructions: "never"}, errors.New("boom")
			}},
			{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) { panic("oops") }},
		}
	})
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatalf("Compact = %v; want nil", err)
	}
	same(t, "events", b.told(), "compaction_start manual", "extension_error BeforeCompact: boom",
		"extension_error BeforeCompact: panic: oops", "compaction_end manual")
}

// A long history is summarised in pieces that fit the model. (pitfall 112)
func TestCompactionInPieces(t *testing.T) {
	s := &summaries{}
	b := begin(t, func(c *agent.Config) {
		compacting(s)(c)
		m := model("m1")
		m.ContextWindow = 20_000
		c.Client = &scripted{model: m, replies: []reply{answers("a1", 1), answers("a2", 1), answers("a3", 1)}}
	})
	b.prompt(longText(8_000))
	b.prompt(longText(8_000))
	b.prompt("three")
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s.count() < 3 || s.asked[1].PreviousSummary != "S1" {
		t.Errorf("%d prompts; want the history in pieces, each with the summary before it", s.count())
	}
}

// A window that is too small for the reserve is reported, once.
func TestSmallWindowIsTold(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) {
		c.Client.(*scripted).model.ContextWindow = 8192
		c.Compaction = func(llm.Model) compact.Settings { return compact.Defaults() }
	})
	for range 2 {
		_, _ = b.Compact(t.Context(), "")
	}
	var small *compact.ReserveError
	n := 0
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if p, ok := e.(*agent.Problem); ok && errors.As(p.Err, &small) {
			n++
		}
	}
	if n != 1 || small.Taken != 4096 {
		t.Errorf("told %d times, %+v; want once, with 4096 taken", n, small)
	}
}

// No summary is asked for, and paid, in a session whose program would pass over it; a
// hook may give what that takes.
func TestNoSummaryForAtomic(t *testing.T) {
	file := filepath.Join(t.TempDir(), ".atomic", "agent", "sessions", "s.jsonl")
	s, err := pith.OpenOrCreate(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, lines := &summaries{}, false
	b := beginIn(t, s, func(c *agent.Config) {
		compacting(asked)(c)
		c.Hooks = []agent.Hooks{{BeforeCompact: func(context.Context, agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			if !lines {
				return agent.CompactDecision{}, nil
			}
			return agent.CompactDecision{Compaction: &format.Compaction{Summary: "[User]: one", Details: []byte(`{"strategy":"verbatim-lines"}`)}}, nil
		}}}
	}, answers("a1", 1), answers("a2", 1))
	b.prompt("one")
	b.prompt("two")
	if _, err := b.Compact(t.Context(), ""); !errors.Is(err, pith.ErrNotStored) || asked.count() != 0 {
		t.Errorf("Compact = %v, and %d summaries were asked for; want none", err, asked.count())
	}
	lines = true
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Errorf("Compact with the lines of a hook = %v", err)
	}
}
