package agent_test

import (
	"context"
	"testing"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
)

// summaryEntry is the entry of a summary that a navigation wrote.
func (b *bench) summaryEntry(n agent.Navigation) *format.BranchSummary {
	b.t.Helper()
	e, err := b.Conversation.Session().Entry(n.SummaryID)
	if err != nil {
		b.t.Fatalf("Entry(%q): %v", n.SummaryID, err)
	}
	summary, ok := e.(*format.BranchSummary)
	if !ok {
		b.t.Fatalf("Entry(%q) = %s; want a branch_summary", n.SummaryID, describe(e))
	}
	return summary
}

// case 78: a branch without messages is recorded as such, without asking a
// model.
func TestNavigateFromNothingSaid(t *testing.T) {
	s := &summaries{}
	b := twoTurns(t, s, nil)
	answer := b.entry("assistant/stop a2")
	if err := b.SetName(t.Context(), "n"); err != nil {
		t.Fatal(err)
	}
	e := b.summaryEntry(b.navigate(answer, agent.NavigateOptions{Summarize: true}))
	if e.Summary != "No content to summarize" || string(e.Details) != `{"readFiles":[],"modifiedFiles":[]}` || e.FromHook == nil || *e.FromHook || e.ParentID != answer {
		t.Errorf("summary %s; want one below %s that says there is nothing, empty lists, fromHook false", e.Raw, answer)
	}
	if s.count() != 0 {
		t.Errorf("the summarizer was asked %d times; want 0", s.count())
	}
}

// case 83: a summary before the first entry, and one by a hook from there.
func TestSummaryAtTheRoot(t *testing.T) {
	var decision agent.TreeDecision
	b := twoTurns(t, &summaries{}, withHooks(agent.Hooks{BeforeTree: func(context.Context, agent.BeforeTreeEvent) (agent.TreeDecision, error) {
		return decision, nil
	}}))
	left, first := b.Conversation.Session().LeafID(), b.entry("assistant/stop a1")
	if e := b.summaryEntry(b.navigate("", agent.NavigateOptions{Summarize: true})); e.ParentID != "" || e.FromID != left {
		t.Errorf("summary below %q from %q; want below none, from %s", e.ParentID, e.FromID, left)
	}
	b.navigate("", agent.NavigateOptions{})
	decision.Summary = &format.BranchSummary{Summary: "mine"}
	if e := b.summaryEntry(b.navigate(first, agent.NavigateOptions{Summarize: true})); e.ParentID != first || e.FromID != "root" {
		t.Errorf("summary below %q from %q; want below %s, from root", e.ParentID, e.FromID, first)
	}
}
