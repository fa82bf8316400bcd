package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// ActiveTools returns the names of the tools that the next request offers, in the
// order of [Config.Tools].
//
// They depend on the branch. If the path records tools, as sessions of pi since
// 0.86 do, a tool that the path has withdrawn is not offered, and one that the path
// does not know is. Otherwise all are offered. They are chosen again when the leaf
// moves or the session is replaced.
func (a *Conversation) ActiveTools() []string { return a.tools.names() }

// SetActiveTools chooses which tools of [Config.Tools] the next requests offer. A
// session that records tools records the change with the next request; in others it
// lasts until the leaf moves or the session is replaced.
func (a *Conversation) SetActiveTools(names []string) error { return a.tools.choose(names) }

// A toolset holds the tools of a conversation, and which of them are offered.
type toolset struct {
	all    []Tool // in the order of the configuration
	byName map[string]*Tool

	mu     sync.Mutex      // guards active
	active map[string]bool // tools that are offered
}

func (t *toolset) init(tools []Tool) error {
	t.all, t.byName = tools, make(map[string]*Tool, len(tools))
	for i := range tools {
		name := tools[i].Name
		if name == "" {
			return invalidf("tool", "", "a tool has no name")
		}
		if t.byName[name] != nil {
			return invalidf("tool", name, "two tools are named %q", name)
		}
		if tools[i].Run == nil {
			return invalidf("tool", name, "the tool %q has no Run function", name)
		}
		t.byName[name] = &tools[i]
	}
	return nil
}

func (t *toolset) names() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for _, tool := range t.all {
		if t.active[tool.Name] {
			names = append(names, tool.Name)
		}
	}
	return names
}

func (t *toolset) choose(names []string) error {
	active := make(map[string]bool, len(names))
	for _, name := range names {
		if t.byName[name] == nil {
			return invalidf("tool", name, "unknown tool %q", name)
		}
		active[name] = true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = active
	return nil
}

// adopt offers the tools that are in force on the branch.
func (t *toolset) adopt(c *pith.Context) error {
	active := make(map[string]bool, len(t.all))
	for name := range t.byName {
		active[name] = true
	}
	if len(t.all) > 0 { // otherwise nothing needs to be read
		state, _, err := c.System()
		if err != nil {
			return err
		}
		for _, name := range state.Withdrawn {
			delete(active, name)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = active
	return nil
}

func (t *toolset) sequential(calls []ToolCall) bool {
	return slices.ContainsFunc(calls, func(c ToolCall) bool {
		tool := t.byName[c.Name]
		return tool != nil && tool.Sequential
	})
}

// changes returns the message that updates the recorded tools to the offered
// ones, or nil if they are up to date. Like pi, it withdraws and adds a tool
// whose declaration differs.
func (t *toolset) changes(state format.SystemState, now time.Time) *format.System {
	recorded := make(map[string]json.RawMessage, len(state.Tools))
	for _, d := range state.Tools {
		recorded[d.Name] = d.Raw
	}
	active := t.names()
	var added, removed [][]byte
	for _, tool := range t.all {
		before, known := recorded[tool.Name]
		offered := slices.Contains(active, tool.Name)
		if known && (!offered || !declares(before, tool.Tool)) {
			removed = append(removed, named(tool.Name))
		}
		if offered && (!known || !declares(before, tool.Tool)) {
			added = append(added, declaration(tool.Tool))
		}
	}
	if added == nil && removed == nil {
		return nil
	}
	return &format.System{
		Content: format.TextContent(""), ToolsAdded: list(added), ToolsRemoved: list(removed), Timestamp: now.UnixMilli(),
	}
}

// declaration returns a tool as pi records it.
func declaration(t llm.Tool) []byte {
	out := jsonl.AppendString([]byte(`{"name":`), t.Name)
	out = jsonl.AppendString(append(out, `,"description":`...), t.Description)
	out = append(append(out, `,"parameters":`...), parameters(t)...)
	return append(out, '}')
}

func named(name string) []byte { return append(jsonl.AppendString([]byte(`{"name":`), name), '}') }

func parameters(t llm.Tool) []byte {
	if len(t.Parameters) == 0 || !jsonl.Valid(t.Parameters) {
		return []byte(`{}`)
	}
	return jsonl.AppendCompact(nil, t.Parameters)
}

// declares reports whether a recorded declaration matches a tool.
func declares(recorded json.RawMessage, t llm.Tool) bool {
	schema, _ := jsonl.Lookup(recorded, "parameters")
	return jsonl.LookupString(recorded, "description") == t.Description && bytes.Equal(jsonl.AppendCompact(nil, schema), parameters(t))
}

// list returns a JSON array, or nil if it would be empty.
func list(elements [][]byte) json.RawMessage {
	if len(elements) == 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

// A Tool is a function that a model can call.
type Tool struct {
	llm.Tool // how the model sees it
	// Sequential runs the calls of a response one after another, in order, if
	// one of them calls this tool. Otherwise they run concurrently.
	Sequential bool
	// Run executes one call. It must return soon after ctx ends. The arguments are a
	// JSON object; the tool checks them against its schema. An error or a panic
	// becomes a result that reports it to the model. Run may call update with
	// partial output, from any goroutine, until it returns.
	Run func(ctx context.Context, call ToolCall, update func(ToolOutput)) (ToolOutput, error)
}

// A ToolCall is one call of a tool.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// A ToolOutput is the output of a tool.
type ToolOutput struct {
	Content []format.Block  // text and images, for the model
	Details json.RawMessage // for display; its form depends on the tool; may be nil
	IsError bool
	Usage   *format.Usage // tokens that the tool itself spent on models
}

// Text returns an output that consists of text.
func Text(s string) ToolOutput {
	return ToolOutput{Content: []format.Block{&format.TextBlock{Text: s}}}
}
