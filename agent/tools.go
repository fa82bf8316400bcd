package agent

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A Tool does something that a model asks for.
type Tool interface {
	// Spec says what the model is told and how calls run. It does not change.
	Spec() ToolSpec
	// Run does one call and returns its result. It must return soon after ctx ends.
	// The arguments are a JSON object; whether they fit the schema is for the tool
	// to check. An error becomes a result that says so to the model, as does a
	// panic. update tells what there is so far, for display; it may be called from
	// any goroutine, but not after Run has returned.
	Run(ctx context.Context, call ToolCall, update func(ToolOutput)) (ToolOutput, error)
}

// A ToolSpec describes a tool.
type ToolSpec struct {
	llm.Tool
	// Sequential means that calls of one answer run one after another, in order,
	// if one of them is of this tool. Otherwise they run side by side.
	Sequential bool
}

// A ToolCall is one call of a tool.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// A ToolOutput is what a tool returns.
type ToolOutput struct {
	Content []format.Block  // text and pictures, for the model
	Details json.RawMessage // for display, in the tool's own form; nil for none
	IsError bool
	Usage   *format.Usage // what the tool spent on models of its own
}

// Text is an output that is text.
func Text(s string) ToolOutput {
	return ToolOutput{Content: []format.Block{&format.TextBlock{Text: s}}}
}

// A ToolFunc is a tool that is a function.
type ToolFunc struct {
	ToolSpec
	Func func(ctx context.Context, call ToolCall, update func(ToolOutput)) (ToolOutput, error)
}

// Spec implements [Tool].
func (t ToolFunc) Spec() ToolSpec { return t.ToolSpec }

// Run implements [Tool].
func (t ToolFunc) Run(ctx context.Context, call ToolCall, update func(ToolOutput)) (ToolOutput, error) {
	return t.Func(ctx, call, update)
}
