package agent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func (b *bench) navigate(target string, o agent.NavigateOptions) agent.Navigation {
	b.t.Helper()
	n, err := b.Navigate(b.t.Context(), target, o)
	if err != nil {
		b.t.Fatalf("Navigate(%s, %+v) = %v; want nil", target, o, err)
	}
	return n
}

func ptr[T any](v T) *T { return &v }

// case 81: navigating to a user message undoes it: the leaf is before it and
// its text is returned; the summary is there and has the label. case 82: the
// summary names the leaf that was left. (pitfalls 80, 119, 122)
func TestNavigateWithSummary(t *testing.T) {
	s := &summaries{}
	b := twoTurns(t, s, nil, answers("a3", 1))
	left := b.Conversation.Session().LeafID()
	n := b.navigate(b.entry("user two"), agent.NavigateOptions{Summarize: true, Instructions: "why", ReplaceInstructions: true, Label: "tried"})
	if n.EditorText != "two" || n.Cancelled || n.SummaryID == "" || n.LeafID != b.Conversation.Session().LeafID() {
		t.Errorf("Navigate = %+v; want the text and a summary", n)
	}
	path := b.said()
	if len(path) != 4 || !strings.HasPrefix(path[2], "branch_summary The user explored a different conversation branch") || path[3] != "label tried" {
		t.Errorf("path = %q; want the first turn, the summary, the label", path)
	}
	e, err := b.Conversation.Session().Entry(n.SummaryID)
	if err != nil {
		t.Fatal(err)
	}
	summary := e.(*format.BranchSummary)
	if summary.FromID != left || summary.FromHook == nil || *summary.FromHook || summary.Usage == nil {
		t.Errorf("summary %+v; want the leaf that was left, fromHook false, usage", summary)
	}
	if b.Conversation.Session().View().Label(n.SummaryID) != "tried" {
		t.Error("the label does not mark the summary")
	}
	if p := s.asked[0]; p.Instructions != "why" || !p.ReplaceInstructions {
		t.Errorf("prompt %+v; want the instructions", p)
	}
	same(t, "events", b.told(), "session_tree")
	b.prompt("another way")
	if got := b.said(); got[len(got)-2] != "user another way" {
		t.Errorf("path = %q; want the prompt behind the label", got)
	}
}

func TestNavigateWithoutSummary(t *testing.T) {
	custom := format.CustomMessage{CustomType: "ext", Content: format.BlockContent(&format.TextBlock{Text: "x"}, &format.TextBlock{Text: "y"}), Display: true}
	hidden := custom
	hidden.Display = false
	tests := map[string]struct {
		target func(b *bench) string
		o      agent.NavigateOptions
		text   string
		leaf   string // described; "" is before the first entry
		label  string // of the target
	}{
		"a response": {target: func(b *bench) string { return b.entry("assistant/stop a1") }, leaf: "assistant/stop a1"},
		"case 84: an answer, with a label": {
			target: func(b *bench) string { return b.entry("assistant/stop a1") }, o: agent.NavigateOptions{Label: "here"}, leaf: "label here", label: "here",
		},
		"a user's message":          {target: func(b *bench) string { return b.entry("user two") }, text: "two", leaf: "assistant/stop a1"},
		"a user's message, exactly": {target: func(b *bench) string { return b.entry("user two") }, o: agent.NavigateOptions{Exact: true}, leaf: "user two"},
		"before the first entry":    {target: func(*bench) string { return "" }},
		"case 89a: an extension's message": {target: func(b *bench) string {
			id, err := b.Conversation.Session().AppendCustomMessage(t.Context(), custom)
			if err != nil {
				b.t.Fatal(err)
			}
			b.client.add(answers("a3", 1))
			b.prompt("three")
			return id
		}, text: "xy", leaf: "assistant/stop a2"},
		"an extension's message that is not shown": {target: func(b *bench) string {
			id, err := b.Conversation.Session().AppendCustomMessage(t.Context(), hidden)
			if err != nil {
				b.t.Fatal(err)
			}
			b.client.add(answers("a3", 1))
			b.prompt("three")
			return id
		}, leaf: "assistant/stop a2"},
		"case 89b: a command of the user": {target: func(b *bench) string {
			id, err := b.Conversation.Session().AppendMessage(t.Context(), &format.BashExecution{Command: "ls", Timestamp: 1})
			if err != nil {
				b.t.Fatal(err)
			}
			b.client.add(answers("a3", 1))
			b.prompt("three")
			return id
		}, leaf: "bash ls"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := twoTurns(t, &summaries{}, nil)
			target := tt.target(b)
			n := b.navigate(target, tt.o)
			if n.EditorText != tt.text || n.SummaryID != "" {
				t.Errorf("Navigate = %+v; want the text %q", n, tt.text)
			}
			leaf := ""
			if v := b.Conversation.Session().View(); v.Leaf() >= 0 {
				e, err := v.Entry(v.Leaf())
				if err != nil {
					t.Fatal(err)
				}
				leaf = describe(e)
			}
			if leaf != tt.leaf || b.Conversation.Session().View().Label(target) != tt.label {
				t.Errorf("leaf %q, label %q; want %q, %q", leaf, b.Conversation.Session().View().Label(target), tt.leaf, tt.label)
			}
		})
	}
}

// case 85: to the leaf; case 86: forward, and from before the first entry.
func TestNavigateNowhere(t *testing.T) {
	b := twoTurns(t, &summaries{}, nil)
	n := b.navigate(b.Conversation.Session().LeafID(), agent.NavigateOptions{Summarize: true})
	if n.Cancelled || len(b.told()) != 0 {
		t.Errorf("Navigate to the leaf = %+v with events %q; want nothing", n, b.told())
	}
	if _, err := b.Navigate(t.Context(), "nothere", agent.NavigateOptions{}); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Navigate to an unknown entry = %v; want ErrNoEntry", err)
	}
	// Forward to a descendant there is nothing to summarise.
	b.navigate(b.entry("assistant/stop a1"), agent.NavigateOptions{})
	last := b.entry("assistant/stop a2")
	if n := b.navigate(last, agent.NavigateOptions{Summarize: true}); n.SummaryID != "" || n.LeafID != last {
		t.Errorf("Navigate forward = %+v; want %s and no summary", n, last)
	}
	// Neither is there from before the first entry.
	b.navigate("", agent.NavigateOptions{})
	if n := b.navigate(last, agent.NavigateOptions{Summarize: true}); n.SummaryID != "" || n.LeafID != last {
		t.Errorf("Navigate from before the first entry = %+v; want %s and no summary", n, last)
	}
}

// An error says where the navigation was to go, also where no entry is.
func TestNavigationErrorNamesPlace(t *testing.T) {
	s := &summaries{before: func(context.Context) error { return errors.New("boom") }}
	b := twoTurns(t, s, nil)
	first := b.entry("assistant/stop a1")
	for target, want := range map[string]string{"": "navigate before the first entry: ", first: "navigate to " + first + ": ", "nothere": "navigate to nothere: "} {
		_, err := b.Navigate(t.Context(), target, agent.NavigateOptions{Summarize: true})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Navigate(%q) = %v; want an error that begins with %q", target, err, want)
		}
	}
}

// The position survives a restart, and model and thinking level after navigating
// are those that opening there yields. (pitfalls 78, 84)
func TestNavigationAndReopening(t *testing.T) {
	second := &scripted{model: model("m2"), replies: []reply{answers("a2", 1)}}
	b := begin(t, func(c *agent.Config) {
		c.Resolve = func(_, id string) (llm.Client, error) {
			if id == "m1" {
				return c.Client, nil
			}
			return nil, errors.New("unknown")
		}
	}, answers("a1", 1))
	b.prompt("one")
	if err := b.SetModel(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := b.SetThinking(t.Context(), "high"); err != nil {
		t.Fatal(err)
	}
	b.prompt("two")
	b.navigate(b.entry("assistant/stop a1"), agent.NavigateOptions{})
	if b.Model().ID != "m1" || b.Thinking() != "off" {
		t.Errorf("after navigating back: model %s, thinking %s; want m1, off", b.Model().ID, b.Thinking())
	}
	b.navigate(b.entry("assistant/stop a2"), agent.NavigateOptions{})
	if b.Model().ID != "m1" || b.count("problem") != 1 {
		t.Errorf("model %s, events %q; want the old model and a problem, because m2 is not known", b.Model().ID, b.told())
	}
	b.navigate(b.entry("assistant/stop a1"), agent.NavigateOptions{})
	s := reopen(t, b)
	defer s.Close()
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.ModelID != "m1" || c.ThinkingLevel != "off" {
		t.Errorf("reopened: %+v, %s; want m1, off", c.Model, c.ThinkingLevel)
	}
}

// A summary that fails or is aborted leaves position and file unchanged. (pitfall
// 123)
func TestNavigationThatFails(t *testing.T) {
	boom := errors.New("boom")
	tests := map[string]struct {
		before func(b *bench) func(context.Context) error
		hooks  agent.Hooks
		want   agent.Navigation
		err    error
	}{
		"case 87: failed": {before: func(*bench) func(context.Context) error { return func(context.Context) error { return boom } }, err: boom},
		"case 87: aborted": {before: func(b *bench) func(context.Context) error {
			return func(ctx context.Context) error {
				b.Abort()
				<-ctx.Done()
				return ctx.Err()
			}
		}, want: agent.Navigation{Cancelled: true, Aborted: true}},
		"case 89: cancelled": {hooks: agent.Hooks{BeforeTree: func(context.Context, agent.BeforeTreeEvent) (agent.TreeDecision, error) {
			return agent.TreeDecision{}, agent.ErrCancelled
		}}, want: agent.Navigation{Cancelled: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &summaries{}
			b := twoTurns(t, s, func(c *agent.Config) { c.Hooks = []agent.Hooks{tt.hooks} }, answers("a3", 1))
			if tt.before != nil {
				s.before = tt.before(b)
			}
			leaf := b.Conversation.Session().LeafID()
			file := b.Conversation.Session().File()
			before, _ := os.ReadFile(file)
			n, err := b.Navigate(t.Context(), b.entry("user two"), agent.NavigateOptions{Summarize: true, Label: "l"})
			if tt.err == nil {
				tt.want.LeafID = leaf
			}
			if n != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Navigate = %+v, %v; want %+v, %v", n, err, tt.want, tt.err)
			}
			after, _ := os.ReadFile(file)
			if b.Conversation.Session().LeafID() != leaf || string(before) != string(after) {
				t.Error("position or file changed")
			}
			if b.Busy() != agent.ActivityIdle {
				t.Errorf("Busy() = %v; want idle", b.Busy()) // pitfall 81
			}
			b.prompt("still works")
		})
	}
}

// Navigation is refused while something is going on. (pitfall 81)
func TestNavigateWhileBusy(t *testing.T) {
	begun := make(chan struct{})
	b := twoTurns(t, &summaries{}, nil, hangs(begun))
	result := b.start("three")
	<-begun
	if _, err := b.Navigate(t.Context(), b.entry("user two"), agent.NavigateOptions{}); !isBusy(err) {
		t.Errorf("Navigate = %v; want ErrBusy", err)
	}
	b.Abort()
	<-result
}

// Messages typed while a branch is summarised are sent from the new position.
// (pitfall 83)
func TestQueuedDuringNavigation(t *testing.T) {
	s := &summaries{}
	b := twoTurns(t, s, nil, answers("a3", 1))
	s.before = func(context.Context) error {
		b.queue(b.FollowUp, "typed meanwhile")
		return nil
	}
	b.navigate(b.entry("user two"), agent.NavigateOptions{Summarize: true})
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := b.said()
	if len(got) != 5 || !strings.HasPrefix(got[2], "branch_summary") || got[3] != "user typed meanwhile" || got[4] != "assistant/stop a3" {
		t.Errorf("path = %q; want the message behind the summary", got)
	}
}

// case 88: a summary of a hook.
func TestTreeHooks(t *testing.T) {
	s := &summaries{}
	var asked []agent.BeforeTreeEvent
	var told []*agent.Navigated
	decision := agent.TreeDecision{Summary: &format.BranchSummary{Summary: "mine", Details: []byte(`{"d":1}`)}, Label: ptr("hooked")}
	b := twoTurns(t, s, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{
			BeforeTree: func(_ context.Context, e agent.BeforeTreeEvent) (agent.TreeDecision, error) {
				asked = append(asked, e)
				return decision, nil
			},
			Tree: func(_ context.Context, _ *pith.Session, e *agent.Navigated) error {
				told = append(told, e)
				return nil
			},
		}}
	})
	left, target := b.Conversation.Session().LeafID(), b.entry("assistant/stop a1")
	// Without a wish for a summary the hook's is not used, but its label is.
	b.navigate(target, agent.NavigateOptions{})
	if b.Conversation.Session().View().Label(target) != "hooked" || told[0].Summary != nil || told[0].OldLeafID != left {
		t.Errorf("label %q, told %+v; want the label alone", b.Conversation.Session().View().Label(target), told[0])
	}
	if e := asked[0]; e.TargetID != target || e.Branch.CommonAncestorID != target || len(e.Branch.EntryIDs) != 2 {
		t.Errorf("BeforeTree was asked %+v; want two entries above the target", e)
	}
	b.navigate(left, agent.NavigateOptions{})
	n := b.navigate(target, agent.NavigateOptions{Summarize: true})
	e := told[2].Summary
	if s.count() != 0 || e == nil || e.ID != n.SummaryID || e.Summary != "mine" || e.FromHook == nil || !*e.FromHook || string(e.Details) != `{"d":1}` {
		t.Errorf("told %+v with %d summaries; want the hook's summary as it is", told[2], s.count())
	}
	// Instructions of a hook go to the summarizer.
	decision = agent.TreeDecision{Instructions: ptr("names"), ReplaceInstructions: ptr(true), Label: ptr("")}
	b.navigate(left, agent.NavigateOptions{})
	b.navigate(target, agent.NavigateOptions{Summarize: true, Instructions: "mine", Label: "l"})
	if p := s.asked[0]; p.Instructions != "names" || !p.ReplaceInstructions {
		t.Errorf("prompt %+v; want the hook's instructions", p)
	}
	if got := b.path(); strings.HasPrefix(got[len(got)-1], "label") {
		t.Errorf("path %q; want no label, because the hook cleared it", got)
	}
}

// A Tree hook may prompt and navigate again, as in pi 1.5.2.
func TestTreeHookGoesOn(t *testing.T) {
	var b *bench
	var first string
	var busy []agent.Activity
	hook := func(ctx context.Context, s *pith.Session, e *agent.Navigated) error {
		busy = append(busy, b.Busy())
		if e.NewLeafID != s.LeafID() {
			return fmt.Errorf("told of leaf %s; it is %s", e.NewLeafID, s.LeafID())
		}
		if len(busy) > 1 {
			return nil
		}
		if _, err := b.Prompt(ctx, "from the hook"); err != nil {
			return err
		}
		_, err := b.Navigate(ctx, first, agent.NavigateOptions{})
		return err
	}
	b = twoTurns(t, &summaries{}, withHooks(agent.Hooks{Tree: hook}), answers("a3", 1), answers("a4", 1))
	first = b.entry("assistant/stop a1")
	left := b.Conversation.Session().LeafID()
	b.forget()
	n := b.navigate(b.entry("user two"), agent.NavigateOptions{Exact: true})
	if at := b.Conversation.Session().LeafID(); n.LeafID != b.entry("user two") || n.Cancelled || at != first {
		t.Errorf("Navigate = %+v, leaf %s; want %s, then %s by the hook", n, at, b.entry("user two"), first)
	}
	if !slices.Equal(busy, []agent.Activity{agent.ActivityIdle, agent.ActivityIdle}) {
		t.Errorf("busy with %v in the hook; want idle", busy)
	}
	var moves []string
	for _, e := range b.events {
		if e, ok := e.(*agent.Navigated); ok {
			moves = append(moves, e.OldLeafID+" "+e.NewLeafID)
		}
	}
	answer := b.entry("assistant/stop a3")
	same(t, "moves", moves, left+" "+n.LeafID, answer+" "+first)
	if n := b.count("problem"); n != 0 {
		t.Errorf("%d problems: %q; want none", n, b.told())
	}
	b.prompt("and on")
	same(t, "path", b.said(), "user one", "assistant/stop a1", "user and on", "assistant/stop a4")
}

// Close waits for a Tree hook, which can begin nothing more.
func TestCloseDuringTreeHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *bench
		inHook, closing := make(chan struct{}), make(chan struct{})
		var after error
		b = twoTurns(t, &summaries{}, withHooks(agent.Hooks{Tree: func(ctx context.Context, _ *pith.Session, _ *agent.Navigated) error {
			close(inHook)
			<-closing
			_, after = b.Prompt(ctx, "too late")
			return nil
		}}))
		target := b.entry("assistant/stop a1")
		go b.Navigate(t.Context(), target, agent.NavigateOptions{})
		<-inHook
		closed := make(chan error, 1)
		go func() { closed <- b.Close() }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Errorf("Close = %v while a Tree hook runs; want it to wait", err)
			return
		default:
		}
		close(closing)
		if err := <-closed; err != nil || !errors.Is(after, agent.ErrClosed) {
			t.Errorf("Close = %v, Prompt in the hook = %v; want nil, ErrClosed", err, after)
		}
	})
}
