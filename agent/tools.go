package agent

import (
	"context"
	"encoding/json"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

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
