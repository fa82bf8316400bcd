package agent_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// The threshold of these tests: a window of 100000 less a reserve of 10000.
const (
	below = 90_000
	above = 90_001
)

// kinds are the entries without the texts of summaries.
func (b *bench) kinds() []string {
	b.t.Helper()
	out := b.said()
	for i, e := range out {
		if strings.HasPrefix(e, "compaction ") {
			out[i] = "compaction"
		}
	}
	return out
}

func TestThresholdAfterAnAnswer(t *testing.T) {
	s := &summaries{}
	b := begin(t, compacting(s), answers("a1", below), answers("a2", above), answers("a3", 50))
	b.prompt("one")
	if s.count() != 0 {
		t.Error("compacted at the threshold; want only above it")
	}
	b.forget()
	b.prompt("two")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/stop a2", "compaction")
	got := b.told()
	same(t, "events at the end", got[len(got)-4:], "agent_end", "compaction_start threshold", "compaction_end threshold", "agent_settled")
	// The count of the answer that stays is of the old context. (pitfall 105)
	b.prompt("three")
	same(t, "path", b.kinds()[5:], "user three", "assistant/stop a3")
}

// case 98: tool results that make the context too large are compacted before
// the next request.
func TestThresholdBetweenTurns(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Tools = []agent.Tool{tool("read", "x")}
	}, answers("a1", 1), calls(above, "c1", "read"), answers("a2", 50))
	b.prompt("one")
	b.forget()
	b.prompt("two")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/toolUse", "result c1 x", "compaction", "assistant/stop a2")
	var got []string
	for _, e := range b.told() {
		if strings.HasPrefix(e, "turn_") || strings.HasPrefix(e, "compaction_") {
			got = append(got, e)
		}
	}
	same(t, "events", got, "turn_start", "turn_end", "compaction_start threshold", "compaction_end threshold", "turn_start", "turn_end")
	last := b.client.asked()[2].Messages
	if first, ok := last[0].(*format.User); !ok || !strings.Contains(first.Content.PlainText(), "<summary>") {
		t.Errorf("the request after the compaction begins with %s; want the summary", last[0].Raw())
	}
}

// case 99: an answer that was aborted is looked at before the next prompt.
func TestThresholdBeforeAPrompt(t *testing.T) {
	var b *bench
	b = begin(t, compacting(&summaries{}), answers("a1", 1), func(ctx context.Context, _ llm.Request, _ func(llm.Event)) (*format.Assistant, error) {
		b.Abort()
		<-ctx.Done()
		return assistant("aborted", above), ctx.Err()
	}, answers("a3", 5))
	b.prompt("one")
	if _, err := b.Prompt(t.Context(), "two"); !errors.Is(err, agent.ErrAborted) {
		t.Fatal(err)
	}
	if b.count("compaction_start") != 0 {
		t.Error("compacted after an abort; want no check then")
	}
	b.prompt("three")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/aborted", "compaction", "user three", "assistant/stop a3")
}

func TestNoAutomaticCompaction(t *testing.T) {
	other := model("m1")
	other.ContextWindow = 0
	tests := map[string]func(*agent.Config){
		"disabled":       func(c *agent.Config) { c.Compaction = func(llm.Model) compact.Settings { return compact.Settings{} } },
		"window unknown": func(c *agent.Config) { c.Client.(*scripted).model = other },
		"no summarizer":  func(c *agent.Config) { c.Summarizer = nobody },
		"reserve larger than the window, context small": func(c *agent.Config) { // pitfall 108
			c.Client.(*scripted).model.ContextWindow = 8_000_000
			c.Compaction = func(llm.Model) compact.Settings {
				return compact.Settings{Enabled: true, ReserveTokens: 16_000_000}
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			b := begin(t, func(c *agent.Config) {
				compacting(&summaries{})(c)
				change(c)
			}, answers("a1", 1), answers("a2", 1_000_000), answers("a3", 1))
			for _, text := range []string{"one", "two", "three"} {
				b.prompt(text)
			}
			if b.count("compaction_start") != 0 || b.count("compaction_end") != 0 {
				t.Errorf("events %q; want no compaction", b.told())
			}
		})
	}
}

// Usage of zero, or of only a part, is ignored: the context is estimated.
// (pitfall 106)
func TestUsageThatCountsNothing(t *testing.T) {
	for name, usage := range map[string]format.Usage{
		"zero":    {},
		"partial": {Raw: []byte(`{"input":3}`)},
	} {
		t.Run(name, func(t *testing.T) {
			reply := func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
				m := assistant("stop", 0, &format.TextBlock{Text: "a2"})
				m.Usage = usage
				return m, nil
			}
			b := begin(t, compacting(&summaries{}), answers("a1", 0), reply)
			b.prompt(longText(60_000))
			b.forget()
			b.prompt(longText(60_000))
			if b.count("compaction_end threshold") != 1 {
				t.Errorf("events %q; want a compaction", b.told())
			}
		})
	}
}

// Compactions that do not help end after two, with a message. (pitfall 109)
func TestNoProgress(t *testing.T) {
	s := &summaries{}
	huge := longText(95_000)
	b := begin(t, func(c *agent.Config) {
		compacting(s)(c)
		c.Summarizer = func(llm.Client) compact.Summarizer {
			return compact.SummarizerFunc(func(ctx context.Context, p compact.Prompt) (string, error) {
				_, _ = s.Summarize(ctx, p)
				return huge, nil
			})
		}
	})
	for range 8 {
		b.client.add(answers("a", above))
		b.prompt("go on")
	}
	if n := b.count("compaction_start threshold"); n != 2 {
		t.Errorf("%d compactions; want 2", n)
	}
	if n := b.count("compaction_end threshold: compaction cannot make the context small enough"); n != 1 {
		t.Errorf("told %d times that compaction does not help; want once: %q", n, b.told())
	}
	b.client.add(answers("small", 5), answers("large", above))
	b.prompt("now it is small")
	b.prompt("and large again")
	if n := b.count("compaction_start threshold"); n != 3 {
		t.Errorf("%d compactions after the context was small again; want 3", n)
	}
}

// case 100: a failing summary does not stop the conversation.
func TestAutomaticCompactionFails(t *testing.T) {
	s := &summaries{before: func(context.Context) error { return errors.New("no credit") }}
	b := begin(t, compacting(s), answers("a1", 1), answers("a2", above), answers("a3", 5))
	b.prompt("one")
	b.prompt("two")
	found := false
	for _, e := range b.told() {
		found = found || strings.HasPrefix(e, "compaction_end threshold: ") && strings.Contains(e, "no credit")
	}
	if !found {
		t.Errorf("events %q; want the failure", b.told())
	}
	s.before = nil
	b.prompt("three")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/stop a2", "compaction", "user three", "assistant/stop a3")
}

const tooLong = "prompt is too long: 213462 tokens > 200000 maximum"

// case 94: an overflow is recovered from once for each input: the failed answer is
// hidden, the conversation compacted and the same asked again.
func TestOverflowRecovery(t *testing.T) {
	var retries []bool
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Hooks = []agent.Hooks{{BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			retries = append(retries, e.WillRetry && e.Reason == agent.ReasonOverflow)
			return agent.CompactDecision{}, nil
		}}}
	}, answers("a1", 1), fails(llm.Overflow, tooLong), answers("a2", 5))
	b.prompt("one")
	b.forget()
	b.prompt("two")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/error", "omit", "compaction", "assistant/stop a2")
	same(t, "events", b.told(), "agent_start", "turn_start", "message_start user", "message_end user",
		"message_start assistant", "message_update", "message_end assistant", "turn_end", "agent_end",
		"entry_appended", "compaction_start overflow", "compaction_end overflow will retry",
		"agent_start", "turn_start", "message_start assistant", "message_update", "message_update", "message_end assistant", "turn_end", "agent_end",
		"agent_settled")
	if len(retries) != 1 || !retries[0] {
		t.Errorf("BeforeCompact was told %v; want an overflow that will be retried", retries)
	}
}

// case 95: an overflow after a recovery is only reported, and reported again
// before the next prompt.
func TestOverflowTwice(t *testing.T) {
	b := begin(t, compacting(&summaries{}), answers("a1", 1), answers("a2", 1),
		fails(llm.Overflow, tooLong), fails(llm.Overflow, tooLong), answers("a3", 5))
	b.prompt("one")
	b.prompt("two")
	b.forget()
	var failed *agent.AnswerError
	if _, err := b.Prompt(t.Context(), "three"); !errors.As(err, &failed) {
		t.Fatalf("Prompt = %v; want an AnswerError", err)
	}
	const gaveUp = "compaction_end overflow: context overflow recovery failed after one"
	told := func() (n int) {
		for _, e := range b.told() {
			if strings.HasPrefix(e, gaveUp) {
				n++
			}
		}
		return n
	}
	if b.count("compaction_start overflow") != 1 || told() != 1 {
		t.Errorf("events %q; want one recovery and one that is given up", b.told())
	}
	// The next prompt says so again, and is sent.
	b.prompt("four")
	if told() != 2 {
		t.Errorf("events %q; want it to be told again", b.told())
	}
}

// case 101: with nothing to compact the failed answer is hidden and nothing is asked
// again.
func TestOverflowWithNothingToCompact(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Compaction = nil
	}, fails(llm.Overflow, tooLong))
	if _, err := b.Prompt(t.Context(), "one"); llm.ClassOf(err) != llm.Overflow {
		t.Errorf("Prompt = %v; want the overflow", err)
	}
	same(t, "path", b.kinds(), "user one", "assistant/error", "omit")
	if b.count("compaction_start") != 0 || b.count("compaction_end") != 0 || b.count("entry_appended") != 1 || len(b.client.asked()) != 1 {
		t.Errorf("events %q, %d requests; want one entry, none of a compaction, one request", b.told(), len(b.client.asked()))
	}
}

// case 96: a whole answer that counts more than the window stays.
func TestSilentOverflow(t *testing.T) {
	b := begin(t, compacting(&summaries{}), answers("a1", 1), answers("a2", 150_000))
	b.prompt("one")
	b.prompt("two")
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/stop a2", "compaction")
	if b.count("compaction_end overflow will retry") != 0 || b.count("compaction_end overflow") != 1 || len(b.client.asked()) != 2 {
		t.Errorf("events %q, %d requests; want a compaction without a retry, and no third request", b.told(), len(b.client.asked()))
	}
}

func cut(output int64) reply {
	return func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
		m := assistant("length", 0, &format.TextBlock{Text: "and so"})
		m.Usage = format.Usage{Input: 1, Output: output, TotalTokens: 1 + output}
		return m, nil
	}
}

// Without a summarizer, a truncated response is not hidden.
func TestRecoverableLengthWithoutSummarizer(t *testing.T) {
	b := begin(t, func(c *agent.Config) { c.Summarizer = nobody }, cut(10))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/length and so")
}

// case 97: an answer that was cut off before its limit is asked for again, once.
func TestRecoverableLength(t *testing.T) {
	tests := map[string]struct {
		replies []reply
		want    []string
		failed  bool
	}{
		"recovered":    {[]reply{cut(10), answers("a2", 5)}, []string{"assistant/length and so", "omit", "compaction", "assistant/stop a2"}, false},
		"at its limit": {[]reply{cut(1000)}, []string{"assistant/length and so"}, false},
		"twice":        {[]reply{cut(10), cut(10)}, []string{"assistant/length and so", "omit", "compaction", "assistant/length and so"}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := begin(t, compacting(&summaries{}), append([]reply{answers("a1", 1)}, tt.replies...)...)
			b.prompt("one")
			b.prompt("two")
			same(t, "path", b.kinds()[3:], tt.want...)
			told := false
			for _, e := range b.told() {
				told = told || strings.Contains(e, "truncated response recovery failed")
			}
			if told != tt.failed {
				t.Errorf("events %q; want failed = %t", b.told(), tt.failed)
			}
		})
	}
}

// The error of another model, and throttling, do not count as an overflow.
// (pitfall 116)
func TestNoOverflow(t *testing.T) {
	b := begin(t, compacting(&summaries{}), answers("a1", 1), fails(llm.Final, "rate limit: too many tokens"), fails(llm.Final, tooLong))
	b.prompt("one")
	if _, err := b.Prompt(t.Context(), "two"); err == nil {
		t.Fatal("Prompt = nil; want an error")
	}
	if b.count("compaction_start") != 0 {
		t.Errorf("events %q; want no compaction for throttling", b.told())
	}
	// The third answer overflows, but by then another model is asked.
	b2 := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Compaction = func(m llm.Model) compact.Settings {
			return compact.Settings{Enabled: m.ID == "m2", ReserveTokens: 10_000}
		}
	}, answers("a1", 1), fails(llm.Overflow, tooLong))
	b2.prompt("one")
	if _, err := b2.Prompt(t.Context(), "two"); err == nil {
		t.Fatal("Prompt = nil; want an error")
	}
	if err := b2.SetModel(t.Context(), &scripted{model: model("m2"), replies: []reply{answers("a3", 1)}}); err != nil {
		t.Fatal(err)
	}
	b2.prompt("three")
	if b2.count("compaction_start") != 0 {
		t.Errorf("events %q; want no compaction for another model's error", b2.told())
	}
}

// A session that another program left with an overflow is compacted before the next
// prompt.
func TestOverflowLeftByOthers(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Compaction = func(llm.Model) compact.Settings { return compact.Settings{} }
	}, answers("a1", 1), fails(llm.Overflow, tooLong))
	b.prompt("one")
	if _, err := b.Prompt(t.Context(), "two"); err == nil {
		t.Fatal("Prompt = nil; want an error")
	}
	r := beginIn(t, reopen(t, b), compacting(&summaries{}), answers("a3", 1))
	r.prompt("three")
	same(t, "path", r.kinds()[3:], "assistant/error", "omit", "compaction", "user three", "assistant/stop a3")
}

// Abort ends an automatic compaction and the run with it. (pitfall 114)
func TestAbortAutomaticCompaction(t *testing.T) {
	var b *bench
	b = begin(t, compacting(&summaries{before: func(ctx context.Context) error {
		b.Abort()
		<-ctx.Done()
		return ctx.Err()
	}}), answers("a1", 1), answers("a2", above))
	b.prompt("one")
	if _, err := b.Prompt(t.Context(), "two"); !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	if b.count("compaction_end threshold aborted") != 1 {
		t.Errorf("events %q; want an aborted compaction", b.told())
	}
	same(t, "path", b.kinds(), "user one", "assistant/stop a1", "user two", "assistant/stop a2")
}
