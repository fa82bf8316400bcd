package agent_test

import (
	"context"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sessionstats"
	"github.com/pith-sessions/pith/llm"
)

func priced(text string, input, output int64, cost float64) reply {
	return func(context.Context, llm.Request, func(llm.Event)) (*format.Assistant, error) {
		m := assistant("stop", 0, &format.TextBlock{Text: text})
		m.Usage = format.Usage{Input: input, Output: output, TotalTokens: input + output, Cost: format.Cost{Total: cost}}
		return m, nil
	}
}

// Stats count the whole file: all branches, what was compacted away, and what
// summaries cost.
func TestStats(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.Compaction = func(llm.Model) compact.Settings { return compact.Settings{Enabled: true, KeepRecentTokens: 2} }
		c.Tools = []agent.Tool{tool("read", "x")}
	}, calls(0, "c1", "read", "c2", "read"), priced("a1", 100, 10, 0.5), priced("a2", 200, 20, 0.25), priced("a3", 300, 30, 1))
	b.prompt("one")
	b.prompt("two")
	b.navigate(b.entry("user two"), agent.NavigateOptions{})
	b.prompt("three")
	if err := b.SetName(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	got, err := sessionstats.Of(b.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if got.UserMessages != 3 || got.AssistantMessages != 4 || got.ToolCalls != 2 || got.ToolResults != 2 || got.TotalMessages != 9 || got.Name != "n" || got.File == "" {
		t.Errorf("Stats = %+v; want 3 user, 4 assistant, 2 calls, 2 results, 9 in all", got)
	}
	if got.Tokens.Input != 600 || got.Tokens.Output != 60 || got.Tokens.Total != 660 || got.Spent.Cost.Micros() != 1_750_000 {
		t.Errorf("tokens %+v, cost %d; want 600 in, 60 out, 1.75", got.Tokens, got.Spent.Cost.Micros())
	}
	if c := got.Context; c == nil || !c.Known || c.Tokens != 330 || c.Window != 100_000 {
		t.Errorf("context = %+v; want the 330 tokens of the last answer", c)
	}
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	got, err = sessionstats.Of(b.Conversation)
	if err != nil {
		t.Fatal(err)
	}
	if got.Tokens.Input != 607 || got.Spent.Cost.Micros() != 1_760_000 || len(got.ByModel) != 2 || got.ByModel[0].Name != "test/m1" || got.ByModel[1].Name != "Tools/summaries" {
		t.Errorf("after a compaction: %+v; want the summary's tokens under a name of its own", got)
	}
	// case 102: unknown until the next answer. (pitfall 107)
	if c := got.Context; c == nil || c.Known || c.Tokens == 0 || c.Tokens == 330 {
		t.Errorf("context after a compaction = %+v; want an estimate", c)
	}
	b.client.add(priced("a4", 15, 0, 0))
	b.prompt("four")
	if n, counted, err := b.ContextUsage(); err != nil || !counted || n != 15 {
		t.Errorf("context after the next answer = %d, %t, %v; want 15 tokens", n, counted, err)
	}
}

// Costs are rounded after they were added up: ten answers of less than a
// millionth have a price.
func TestStatsOfSmallCosts(t *testing.T) {
	var replies []reply
	for range 10 {
		replies = append(replies, priced("a", 1, 1, 0.0000004))
	}
	b := begin(t, nil, replies...)
	for range replies {
		b.prompt("q")
	}
	got, err := sessionstats.Of(b.Conversation)
	if err != nil || got.Spent.Cost.Micros() != 4 || len(got.ByModel) != 1 || got.ByModel[0].Spent.Cost.Micros() != 4 {
		t.Errorf("Stats of 10 answers at 0.0000004 = %+v, %v; want 4 millionths", got, err)
	}
}

// case 102: the share of a window of 10000.
func TestContextUsageAfterCompaction(t *testing.T) {
	b := twoTurns(t, &summaries{}, func(c *agent.Config) { c.Client.(*scripted).model.ContextWindow = 10_000 }, answers("a3", 15))
	if _, err := b.Compact(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if got, err := sessionstats.Of(b.Conversation); err != nil || got.Context == nil || got.Context.Known || got.Context.Window != 10_000 {
		t.Errorf("context after a compaction = %+v, %v; want unknown, of 10000", got.Context, err)
	}
	b.prompt("three")
	if got, err := sessionstats.Of(b.Conversation); err != nil || got.Context == nil || !got.Context.Known || got.Context.Tokens != 15 || got.Context.Percent != 0.15 {
		t.Errorf("context after the next answer = %+v, %v; want 15 tokens, 0.15 percent", got.Context, err)
	}
}

// case 103: what was compacted away is counted, with what the summary has cost.
func TestStatsAfterCompaction(t *testing.T) {
	b := begin(t, compacting(&summaries{}), priced("a1", 100, 10, 0.5), priced("a2", 200, 20, 0.25))
	if _, err := b.Conversation.Session().AppendMessage(t.Context(), &format.System{Content: format.TextContent("be brief"), Timestamp: start.UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	b.prompt("one")
	b.prompt("two")
	c, err := b.Compact(t.Context(), "")
	if err != nil || c.FirstKeptEntryID != b.entry("assistant/stop a2") {
		t.Fatalf("Compact = %+v, %v; want the last answer alone to be kept", c, err)
	}
	got, err := sessionstats.Of(b.Conversation)
	if err != nil || got.UserMessages != 2 || got.AssistantMessages != 2 || got.TotalMessages != 5 {
		t.Errorf("Stats = %+v, %v; want 2 user, 2 assistant, 5 in all", got, err)
	}
	if want := (sessionstats.Tokens{Input: 307, Output: 33, Total: 340}); got.Tokens != want || got.Spent.Cost.Micros() != 760_000 {
		t.Errorf("tokens %+v, cost %d; want %+v, 760000", got.Tokens, got.Spent.Cost.Micros(), want)
	}
}

func TestStatsWithoutAModel(t *testing.T) {
	b := begin(t, func(c *agent.Config) { c.Client = nil })
	got, err := sessionstats.Of(b.Conversation)
	if err != nil || got.Context != nil || got.TotalMessages != 0 {
		t.Errorf("Stats = %+v, %v; want nothing", got, err)
	}
}
