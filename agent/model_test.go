package agent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func TestSetModelThinkingName(t *testing.T) {
	var names []string
	b := begin(t, func(c *agent.Config) {
		c.Hooks = []agent.Hooks{{Renamed: func(_ context.Context, s *pith.Session) error {
			names = append(names, s.Name())
			return nil
		}}}
	}, answers("a1", 1))
	b.prompt("one")
	second := &scripted{model: model("m2"), replies: []reply{answers("a2", 1)}}
	if err := b.SetModel(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if err := b.SetThinking(t.Context(), "high"); err != nil {
		t.Fatal(err)
	}
	if err := b.SetThinking(t.Context(), "high"); err != nil { // no change, no entry
		t.Fatal(err)
	}
	if err := b.SetName(t.Context(), "a\nname"); err != nil {
		t.Fatal(err)
	}
	b.prompt("two")
	same(t, "path", b.said(), "user one", "assistant/stop a1", "model_change m2", "thinking high", "session_info", "user two", "assistant/stop a2")
	same(t, "names told", names, "a name")
	if r := second.asked(); len(r) != 1 || r[0].Thinking != "high" {
		t.Errorf("the second model was asked %+v; want once, with high", r)
	}
	for _, name := range []string{"model_changed", "thinking_level_changed", "session_info_changed"} {
		if b.count(name) != 1 {
			t.Errorf("%d events %s; want 1", b.count(name), name)
		}
	}
	if err := b.SetThinking(t.Context(), "very"); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("SetThinking(very) = %v; want ErrInvalid", err)
	}
	if err := b.SetModel(t.Context(), nil); !errors.Is(err, agent.ErrNoModel) {
		t.Errorf("SetModel(nil) = %v; want ErrNoModel", err)
	}
}

// Without a client the one that the session names is used, with its thinking level.
func TestResumeTakesWhatTheSessionNames(t *testing.T) {
	b := begin(t, func(c *agent.Config) { c.Thinking = "medium" }, answers("a1", 1))
	b.prompt("one")
	client := b.client
	s := reopen(t, b)
	client.add(answers("a2", 1))
	asked := ""
	r := beginIn(t, s, func(c *agent.Config) {
		c.Client = nil
		c.Resolve = func(provider, id string) (llm.Client, error) {
			asked = provider + "/" + id
			return client, nil
		}
	})
	if asked != "test/m1" || r.Model().ID != "m1" || r.Thinking() != "medium" {
		t.Errorf("resolved %q, model %q, thinking %q; want test/m1, m1, medium", asked, r.Model().ID, r.Thinking())
	}
	r.prompt("two")
	same(t, "path", r.said(), "user one", "assistant/stop a1", "user two", "assistant/stop a2")
}

func TestPromptHooks(t *testing.T) {
	b := begin(t, func(c *agent.Config) {
		c.System = "base"
		c.Hooks = []agent.Hooks{
			{BeforePrompt: func(_ context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
				system := e.System + " and " + e.Text
				return agent.PromptDecision{System: &system, Messages: []format.CustomMessage{{CustomType: "x", Content: format.TextContent("first")}}}, nil
			}},
			{BeforePrompt: func(context.Context, agent.BeforePromptEvent) (agent.PromptDecision, error) {
				return agent.PromptDecision{Messages: []format.CustomMessage{{CustomType: "y", Content: format.TextContent("second")}}}, nil
			}},
			{BeforeMessage: func(_ context.Context, m format.Message) (format.Message, error) {
				if m.Role() == format.RoleAssistant {
					return format.WithContent(m, format.BlockContent(&format.TextBlock{Text: "replaced"})), nil
				}
				return nil, nil
			}},
			{BeforeMessage: func(_ context.Context, m format.Message) (format.Message, error) {
				return format.NewUser("another role", start), nil
			}},
		}
	}, answers("a1", 1), answers("a2", 1))
	b.prompt("one")
	same(t, "path", b.said(), "user another role", "custom_message first", "custom_message second", "assistant/stop replaced")
	if got := b.client.asked()[0].System; got != "base and one" {
		t.Errorf("system = %q; want the hook's", got)
	}
	if b.count("extension_error") != 3 {
		t.Errorf("events %q; want an error for each message whose role the last hook changed", b.told())
	}
	b.prompt("two")
	if got := b.client.asked()[1].System; got != "base and two" {
		t.Errorf("system of the second run = %q; want it to begin anew", got)
	}
}

// Changes to a context are reported once.
func TestRepairedContextIsTold(t *testing.T) {
	b := begin(t, nil, answers("a1", 1), answers("a2", 1))
	s := b.Conversation.Session()
	m, _ := calls(1, "c1", "read")(t.Context(), llm.Request{}, nil)
	for _, m := range []format.Message{format.NewUser("go", start), m} {
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	b.prompt("after a crash")
	b.prompt("and again")
	if n := b.count("context_repaired"); n != 1 {
		t.Errorf("told %d times; want once", n)
	}
}

// A level that a model does not have is the nearest one that it has, and comes back
// with the next model that has it. What is in force is recorded, once.
func TestThinkingFollowsTheModel(t *testing.T) {
	b := begin(t, nil, answers("a1", 1), answers("a2", 1))
	b.prompt("one")
	b.forget()
	plain, little := &scripted{model: model("plain")}, &scripted{model: model("little")}
	plain.model.Reasoning = false
	little.model.Levels = []string{"low", "medium"}
	steps := []struct {
		do   func() error
		want string
	}{
		{func() error { return b.SetThinking(t.Context(), "max") }, "high"},
		{func() error { return b.SetThinking(t.Context(), "high") }, "high"},
		{func() error { return b.SetModel(t.Context(), plain) }, "off"},
		{func() error { return b.SetThinking(t.Context(), "minimal") }, "off"},
		{func() error { return b.SetModel(t.Context(), little) }, "low"},
		{func() error { return b.SetThinking(t.Context(), "high") }, "medium"},
		{func() error { return b.SetModel(t.Context(), plain) }, "off"},
		{func() error { return b.SetModel(t.Context(), b.client) }, "high"},
	}
	for i, step := range steps {
		if err := step.do(); err != nil || b.Thinking() != step.want {
			t.Fatalf("step %d: %v, thinking %q; want %q", i+1, err, b.Thinking(), step.want)
		}
	}
	same(t, "path", b.path()[4:], "thinking high", "model_change plain", "thinking off", "model_change little", "thinking low",
		"thinking medium", "model_change plain", "thinking off", "model_change m1", "thinking high")
	b.prompt("two") // all events have arrived when it ends
	if n := b.count("thinking_level_changed"); n != 6 {
		t.Errorf("%d events thinking_level_changed; want 6", n)
	}
}

// At a prompt a level is recorded only if the branch has one that means another
// level to the model, as in pi.
func TestThinkingRecordedAtPrompt(t *testing.T) {
	tests := map[string]struct {
		recorded, asked string // "" for none
		runs            string
		want            []string // written at the prompt
	}{
		"same":                {"medium", "", "medium", nil},
		"same after clamping": {"xhigh", "", "high", nil},
		"another":             {"xhigh", "low", "low", []string{"thinking low"}},
		"none":                {"", "low", "low", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			before := []string{"model_change m1"}
			if _, err := s.AppendModel(t.Context(), "test", "m1"); err != nil {
				t.Fatal(err)
			}
			if tt.recorded != "" {
				if _, err := s.AppendThinkingLevel(t.Context(), tt.recorded); err != nil {
					t.Fatal(err)
				}
				before = append(before, "thinking "+tt.recorded)
			}
			b := beginIn(t, s, func(c *agent.Config) { c.Thinking = tt.asked }, answers("a1", 1))
			if got := b.Thinking(); got != tt.runs {
				t.Errorf("Thinking() = %q; want %q", got, tt.runs)
			}
			same(t, "path", b.path(), before...)
			b.prompt("one")
			same(t, "path", b.path(), slices.Concat(before, tt.want, []string{"user one", "assistant/stop a1"})...)
		})
	}
}

// Choosing the current model again writes nothing.
func TestSetSameModel(t *testing.T) {
	b := begin(t, nil, answers("a1", 1))
	b.prompt("one")
	b.forget()
	before := b.path()
	for range 2 {
		if err := b.SetModel(t.Context(), &scripted{model: model("m1")}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "path after the same model", b.path(), before...)
	for range 2 {
		if err := b.SetModel(t.Context(), &scripted{model: model("m2")}); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "path after another model", b.path(), append(before, "model_change m2")...)
	if err := b.Close(); err != nil { // delivers all events
		t.Fatal(err)
	}
	same(t, "events", b.told(), "model_changed")
}
