package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Messages as pi 0.87 records them. The declarations are those of the tools that
// tool makes.
const (
	systemBoth   = `{"role":"system","content":"","sections":{"preamble":"You are pi.","cwd":"<cwd>/a</cwd>"},"toolsAdded":[{"name":"read","description":"reads","parameters":{"type":"object"}},{"name":"bash","description":"runs","parameters":{"type":"object"}}],"timestamp":1}`
	systemNoBash = `{"role":"system","content":"","sections":{"preamble":"You only read."},"toolsRemoved":[{"name":"bash"}],"timestamp":2}`
)

func piTool(name, description string) agent.Tool {
	t := tool(name, "ran")
	t.Description, t.Parameters = description, []byte(`{ "type": "object" }`)
	return t
}

var piTools = []agent.Tool{piTool("read", "reads"), piTool("bash", "runs")}

// recorded returns a session in a file with those messages and a response after
// them.
func recorded(t *testing.T, messages ...string) *pith.Session {
	t.Helper()
	s, err := pith.Create(pith.Options{Cwd: t.TempDir(), Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if _, err := s.AppendModel(t.Context(), "test", "m1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendThinkingLevel(t.Context(), "off"); err != nil {
		t.Fatal(err)
	}
	for _, raw := range append(messages, `{"role":"user","content":"hello","timestamp":3}`) {
		m, err := format.DecodeMessage([]byte(raw))
		if err != nil {
			t.Fatalf("DecodeMessage(%s): %v", raw, err)
		}
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatalf("AppendMessage(%s): %v", raw, err)
		}
	}
	x := assistant("stop", 5, &format.TextBlock{Text: "hi"})
	x.Provider, x.Model, x.API = "test", "m1", "test-api"
	if _, err := s.AppendMessage(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	return s
}

func offered(r llm.Request) []string {
	var names []string
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// toolNames returns the names in a list of a system message, each after a sign.
func toolNames(sign string, raw json.RawMessage) string {
	var tools []struct{ Name string }
	if len(raw) > 0 && json.Unmarshal(raw, &tools) != nil {
		return sign + "?"
	}
	out := ""
	for _, t := range tools {
		out += sign + t.Name
	}
	return out
}

// The recorded prompt goes with requests, unless another one is given. (pitfall 85)
func TestRecordedPrompt(t *testing.T) {
	forced := "Be a pirate."
	tests := map[string]struct {
		messages []string
		change   func(*agent.Config)
		want     string
	}{
		"nothing recorded": {want: ""},
		"recorded":         {messages: []string{systemBoth}, want: "You are pi.\n\n<cwd>/a</cwd>"},
		"patched":          {messages: []string{systemBoth, systemNoBash}, want: "You only read.\n\n<cwd>/a</cwd>"},
		"given":            {messages: []string{systemBoth}, change: func(c *agent.Config) { c.System = forced }, want: forced},
		"given by a hook": {messages: []string{systemBoth}, change: func(c *agent.Config) {
			c.Hooks = []agent.Hooks{{BeforePrompt: func(_ context.Context, e agent.BeforePromptEvent) (agent.PromptDecision, error) {
				if e.System != "You are pi.\n\n<cwd>/a</cwd>" {
					t.Errorf("the hook is told the prompt %q", e.System)
				}
				return agent.PromptDecision{System: &forced}, nil
			}}}
		}, want: forced},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := recorded(t, tt.messages...)
			before := len(pathOf(t, s))
			b := beginIn(t, s, tt.change, answers("yes", 1))
			b.prompt("go")
			if got := b.client.asked()[0].System; got != tt.want {
				t.Errorf("the prompt of the request is %q; want %q", got, tt.want)
			}
			same(t, "what was written", b.path()[before:], "user go", "assistant/stop yes")
		})
	}
}

// Tools are those of the branch, after navigating as after opening. (pitfalls 84, 85)
func TestToolsOfTheBranch(t *testing.T) {
	s := recorded(t, systemBoth, systemNoBash)
	b := beginIn(t, s, withTools(piTools...), answers("one", 1), calls(1, "c1", "bash"), answers("two", 1))
	same(t, "tools after opening", b.ActiveTools(), "read")
	b.prompt("here")
	same(t, "tools of the request", offered(b.client.asked()[0]), "read")
	there := b.entry("assistant/stop one")

	if _, err := b.Navigate(t.Context(), b.entry("system +read +bash"), agent.NavigateOptions{}); err != nil {
		t.Fatalf("Navigate: %v", err)
	}
	same(t, "tools before the withdrawal", b.ActiveTools(), "read", "bash")
	b.prompt("and there")
	same(t, "path", b.said(), "system +read +bash", "user and there", "assistant/toolUse", "result c1 ran", "assistant/stop two")

	if _, err := b.Navigate(t.Context(), there, agent.NavigateOptions{}); err != nil {
		t.Fatalf("Navigate: %v", err)
	}
	after := b.ActiveTools()
	again := beginIn(t, reopen(t, b), withTools(piTools...))
	same(t, "tools after opening again", again.ActiveTools(), after...)
	same(t, "tools after navigating", after, "read")
}

// A tool that the branch has withdrawn cannot be called.
func TestWithdrawnToolIsNotRun(t *testing.T) {
	b := beginIn(t, recorded(t, systemBoth, systemNoBash), withTools(piTools...), calls(1, "c1", "bash"), answers("well", 1))
	b.prompt("go")
	if !slices.Contains(b.path(), "result c1 error Tool bash not found") {
		t.Errorf("path: %q; want a refused call", b.path())
	}
}

// A tool that the path does not know is offered, and recorded with the next
// prompt, once. Tools that this program does not have stay recorded. (pitfall 85)
func TestToolRegisteredLater(t *testing.T) {
	grep := piTool("grep", "searches")
	b := beginIn(t, recorded(t, systemBoth), withTools(piTools[0], grep), answers("one", 1), answers("two", 1))
	before := len(b.path())
	b.prompt("go")
	b.prompt("on")
	same(t, "what was written", b.path()[before:], "system +grep", "user go", "assistant/stop one", "user on", "assistant/stop two")
	same(t, "tools of the request", offered(b.client.asked()[0]), "read", "grep")

	again := beginIn(t, reopen(t, b), withTools(piTools[0], piTools[1], grep), answers("three", 1))
	same(t, "tools after opening again", again.ActiveTools(), "read", "bash", "grep")
	before = len(again.path())
	again.prompt("more")
	same(t, "what was written then", again.path()[before:], "user more", "assistant/stop three")
}

// A tool whose description changed is declared again, as in pi.
func TestToolDeclaredAnew(t *testing.T) {
	b := beginIn(t, recorded(t, systemBoth), withTools(piTool("read", "reads well")), answers("one", 1), answers("two", 1))
	before := len(b.path())
	b.prompt("go")
	b.prompt("on")
	same(t, "what was written", b.path()[before:], "system +read -read", "user go", "assistant/stop one", "user on", "assistant/stop two")
}

// A choice of tools is recorded where tools are, and opening finds it again.
// (pitfall 85)
func TestSetActiveTools(t *testing.T) {
	b := beginIn(t, recorded(t, systemBoth), withTools(piTools...), answers("one", 1), answers("two", 1))
	if err := b.SetActiveTools([]string{"write"}); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("SetActiveTools(write) = %v; want %v", err, pith.ErrInvalid)
	}
	if err := b.SetActiveTools([]string{"bash"}); err != nil {
		t.Fatalf("SetActiveTools: %v", err)
	}
	before := len(b.path())
	b.prompt("go")
	same(t, "what was written", b.path()[before:], "system -read", "user go", "assistant/stop one")
	again := beginIn(t, reopen(t, b), withTools(piTools...), answers("two", 1))
	same(t, "tools after opening again", again.ActiveTools(), "bash")
}

// A session without system messages stays without, whatever the tools are.
func TestNoSystemMessageWhereThereIsNone(t *testing.T) {
	b := beginIn(t, recorded(t), withTools(piTools...), answers("one", 1), answers("two", 1))
	b.prompt("go")
	if err := b.SetActiveTools(nil); err != nil {
		t.Fatalf("SetActiveTools: %v", err)
	}
	b.prompt("on")
	same(t, "tools of the requests", append(offered(b.client.asked()[0]), offered(b.client.asked()[1])...), "read", "bash")
	for _, e := range b.path() {
		if strings.HasPrefix(e, "system") {
			t.Errorf("path: %q; want no system message", b.path())
		}
	}
}

// A compaction does not bring back a tool that was withdrawn before it. (pitfall 85)
func TestWithdrawnOverACompaction(t *testing.T) {
	sum := &summaries{}
	b := beginIn(t, recorded(t, systemBoth, systemNoBash), func(c *agent.Config) {
		compacting(sum)(c)
		c.Tools = piTools
	}, answers(longText(50), 1), answers("two", 1))
	b.prompt(longText(50))
	if _, err := b.Compact(t.Context(), ""); err != nil && !errors.Is(err, compact.ErrNothing) {
		t.Fatalf("Compact: %v", err)
	}
	again := beginIn(t, reopen(t, b), withTools(piTools...), answers("three", 1))
	same(t, "tools after opening again", again.ActiveTools(), "read")
	again.prompt("more")
	if got, want := again.client.asked()[0].System, "You only read.\n\n<cwd>/a</cwd>"; got != want {
		t.Errorf("the prompt after the compaction is %q; want %q", got, want)
	}
	if !slices.ContainsFunc(again.path(), func(e string) bool { return strings.HasPrefix(e, "compaction") }) {
		t.Errorf("path: %q; want a compaction", again.path())
	}
}

// A session that continues after entries of others has the tools that they
// left. (pitfall 85)
func TestToolsBehindOthers(t *testing.T) {
	s := recorded(t, systemBoth)
	b := beginIn(t, s, withTools(piTools...), answers("mine", 1))
	other, err := pith.Open(t.Context(), s.File(), pith.Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	o := beginIn(t, other, withTools(piTools...), answers("theirs", 1))
	if err := o.SetActiveTools([]string{"read"}); err != nil {
		t.Fatalf("SetActiveTools: %v", err)
	}
	o.prompt("there")
	before := len(o.path())
	b.prompt("here")
	same(t, "what was written", b.path()[before:], "user here", "assistant/stop mine")
	same(t, "tools of the request", offered(b.client.asked()[0]), "read")
}
