package conformance_test

import (
	"fmt"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// pi reads the session of a pith conversation as pith does after each step:
// turns, a failed response, a compaction, navigation with a summary and
// without, a fork, a clone.
func TestConversationInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		model := summarising(t)
		path := plainTalk(t, r, 77, 6)
		a := converse(t, path, model, 100)
		check := func(what string) {
			t.Helper()
			if t.Failed() {
				t.Fatalf("after %s", what)
			}
			r.compare(t, a.Session().File(), atLeaf)
		}
		ask := func(text string) {
			t.Helper()
			if _, err := a.Prompt(t.Context(), text); err != nil {
				t.Fatalf("Prompt(%q): %v", text, err)
			}
		}
		ask("the first question")
		check("a prompt")
		model.Answer(llmtest.Status(400, `{"error":{"message":"no"}}`))
		if _, err := a.Prompt(t.Context(), "a question that fails"); err == nil {
			t.Fatal("Prompt succeeded; want the error of the model")
		}
		check("an answer that failed")
		target := a.Session().LeafID()
		ask("again")
		if _, err := a.Compact(t.Context(), ""); err != nil {
			t.Fatal(err)
		}
		check("a compaction")
		ask("behind the compaction")
		check("a prompt behind it")
		n, err := a.Navigate(t.Context(), target, agent.NavigateOptions{Summarize: true, Label: "left"})
		if err != nil || n.SummaryID == "" {
			t.Fatalf("Navigate = %+v, %v", n, err)
		}
		check("a navigation with a summary")
		ask("on the other branch")
		check("a prompt there")
		for i, replace := range []func() (agent.Replacement, error){
			func() (agent.Replacement, error) { return a.Fork(t.Context(), secondQuestion(t, a.Session())) },
			func() (agent.Replacement, error) { return a.Clone(t.Context()) },
		} {
			ask(fmt.Sprint("before the replacement ", i))
			before := a.Session().File()
			if _, err := replace(); err != nil {
				t.Fatal(err)
			}
			ask("in the new session")
			check("a fork or a clone")
			r.compare(t, before, atLeaf)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		r.compare(t, path, atLeaf)
	})
}

// secondQuestion returns the second user message on the path, so that something
// is left before it.
func secondQuestion(t *testing.T, s *pith.Session) string {
	t.Helper()
	path, err := s.View().Path(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, pos := range path {
		e := s.View().At(pos)
		if e.Role == "user" {
			if seen++; seen == 2 {
				return e.ID
			}
		}
	}
	t.Fatal("there are fewer than two questions")
	return ""
}

// A position that pith leaves without a summary is where pi resumes.
func TestNavigationInPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		path := plainTalk(t, r, 78, 6)
		a := converse(t, path, summarising(t), 20000)
		ids := leafPath(t, a.Session())
		if _, err := a.Navigate(t.Context(), ids[len(ids)/2], agent.NavigateOptions{Exact: true}); err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		said := r.compare(t, path, atLeaf)
		if len(said.Path) < 2 || said.Path[len(said.Path)-2] != ids[len(ids)/2] {
			t.Errorf("pi stands at %v; want it behind %s", said.Path, ids[len(ids)/2])
		}
	})
}
