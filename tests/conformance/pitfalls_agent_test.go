package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// While a compaction or a branch summary is written, navigation is rejected;
// afterwards it works again (pitfall 81). Running turns are tested in package
// agent.
func TestNavigationWaitsForSummaries(t *testing.T) {
	path := plainTalk(t, rig{dir: t.TempDir(), cwd: "/home/u/p"}, 81, 6)
	s := openPith(t, path, pith.Options{})
	ids := leafPath(t, s)
	var a *agent.Conversation
	var refused []error
	summarizer := compact.SummarizerFunc(func(ctx context.Context, _ compact.Prompt) (string, error) {
		_, err := a.Navigate(ctx, ids[1], agent.NavigateOptions{})
		refused = append(refused, err)
		return "a summary", nil
	})
	a, err := agent.New(s, agent.Config{
		Client:     summarising(t).Anthropic(),
		Compaction: func(llm.Model) compact.Settings { return ourSettings(100) },
		Summarizer: func(llm.Client) compact.Summarizer { return summarizer },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for what, do := range map[string]func() error{
		"a compaction": func() error { _, err := a.Compact(t.Context(), ""); return err },
		"the summary of a branch": func() error {
			_, err := a.Navigate(t.Context(), ids[2], agent.NavigateOptions{Summarize: true, Exact: true})
			return err
		},
	} {
		refused = nil
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(refused) == 0 {
			t.Errorf("%s asked for no summary", what)
		}
		for _, err := range refused {
			if !isBusy(err) {
				t.Errorf("Navigate during %s = %v; want ErrBusy", what, err)
			}
		}
		if _, err := a.Navigate(t.Context(), ids[len(ids)-1], agent.NavigateOptions{Exact: true}); err != nil {
			t.Errorf("Navigate after %s = %v; want nil", what, err)
		}
	}
}

// Text that an edit hid or replaced no longer reaches a model: neither with a
// prompt, nor in a summary of a compaction or of an abandoned branch (pitfall
// 93).
func TestEditsInEveryRequest(t *testing.T) {
	const hidden, before, after = "hiddenword", "wordbefore", "wordafter"
	for what, ask := range map[string]func(a *agent.Conversation, root string) error{
		"a prompt":     func(a *agent.Conversation, _ string) error { _, err := a.Prompt(t.Context(), "go on"); return err },
		"a compaction": func(a *agent.Conversation, _ string) error { _, err := a.Compact(t.Context(), ""); return err },
		"a branch that is left": func(a *agent.Conversation, root string) error {
			_, err := a.Navigate(t.Context(), root, agent.NavigateOptions{Summarize: true, Exact: true})
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			long := strings.Repeat("more to say ", 200)
			s := open(t, plainHead+messageLine("aaaa0001", "null", "the root")+messageLine("aaaa0002", "aaaa0001", hidden+" "+long)+
				messageLine("aaaa0003", "aaaa0002", before+" "+long)+messageLine("aaaa0004", "aaaa0003", "the end "+long))
			replacement := format.TextContent(after + " " + long)
			if _, err := s.AppendContextEdit(t.Context(), "aaaa0002", nil); err != nil {
				t.Fatal(err)
			}
			if _, err := s.AppendContextEdit(t.Context(), "aaaa0003", &replacement); err != nil {
				t.Fatal(err)
			}
			closePith(t, s)
			model := summarising(t)
			if err := ask(converse(t, s.File(), model, 100), "aaaa0001"); err != nil {
				t.Fatal(err)
			}
			sent := requestsOf(model)
			for word, want := range map[string]bool{hidden: false, before: false, after: true} {
				if got := strings.Contains(sent, word); got != want {
					t.Errorf("the model was sent %s: %t, want %t", word, got, want)
				}
			}
		})
	}
}

// requestsOf is all that a model was sent.
func requestsOf(model *llmtest.Server) string {
	var all strings.Builder
	for _, r := range model.Requests() {
		all.Write(r.Body)
	}
	return all.String()
}

func isBusy(err error) bool {
	_, ok := errors.AsType[*agent.BusyError](err)
	return ok
}
