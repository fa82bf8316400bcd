package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// Results for calls that produced no output.
const (
	saysAborted  = "Operation aborted"
	saysCutOff   = "Tool call %q was not run: the response reached its token limit, so the arguments may be incomplete. Call it again with complete arguments."
	saysNoTool   = "Tool %s not found"
	saysNoObject = "the arguments of %s are not a JSON object"
	saysNoReturn = "%s did not return"
)

// callTools runs the calls of the response and writes their results in the
// order of the calls, each as soon as the previous ones are written.
func (r *run) callTools(ctx context.Context) error {
	calls := callsOf(r.last.message)
	if len(calls) == 0 {
		return nil
	}
	if r.last.message.StopReason == cutOff {
		return r.refuse(ctx, calls)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	oneByOne := r.a.tools.sequential(calls)
	outputs := make([]<-chan ToolOutput, len(calls))
	if !oneByOne {
		for i, call := range calls {
			outputs[i] = r.start(ctx, call)
		}
	}
	var failure error
	for i, call := range calls {
		if oneByOne {
			outputs[i] = r.start(ctx, call)
		}
		output := <-outputs[i]
		if failure != nil {
			continue // cancel was called, so running calls end
		}
		if failure = r.writeResult(ctx, call, output); failure != nil {
			cancel()
		}
	}
	return failure
}

// start runs a call. It delivers an output even if the tool exits its
// goroutine.
func (r *run) start(ctx context.Context, call ToolCall) <-chan ToolOutput {
	done := make(chan ToolOutput, 1)
	go func() {
		output := failure(fmt.Sprintf(saysNoReturn, call.Name))
		defer func() { done <- output }()
		output = r.call(ctx, call)
	}()
	return done
}

func callsOf(m *format.Assistant) []ToolCall {
	var calls []ToolCall
	for _, b := range m.Content.Blocks {
		if c, ok := b.(*format.ToolCallBlock); ok {
			calls = append(calls, ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
	}
	return calls
}

// refuse writes error results for calls that must not run.
func (r *run) refuse(ctx context.Context, calls []ToolCall) error {
	for _, call := range calls {
		r.a.events.emit(&ToolProgress{Call: call})
		output := failure(fmt.Sprintf(saysCutOff, call.Name))
		r.a.events.emit(&ToolProgress{call, &output, true})
		if err := r.writeResult(ctx, call, output); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) call(ctx context.Context, call ToolCall) ToolOutput {
	r.a.events.emit(&ToolProgress{Call: call})
	output := r.output(ctx, call)
	if output.Details != nil && !jsonl.Valid(output.Details) {
		output = failure(fmt.Sprintf("%s returned details that are not JSON", call.Name))
	}
	r.a.events.emit(&ToolProgress{call, &output, true})
	return output
}

// output returns the output of a call, or an error result.
func (r *run) output(ctx context.Context, call ToolCall) ToolOutput {
	tool := r.a.tools.byName[call.Name]
	if tool == nil || !r.offered[call.Name] {
		return failure(fmt.Sprintf(saysNoTool, call.Name))
	}
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage(`{}`)
	}
	if !jsonl.Valid(call.Arguments) || jsonl.KindOf(call.Arguments) != '{' {
		return failure(fmt.Sprintf(saysNoObject, call.Name))
	}
	if ctx.Err() != nil {
		return failure(saysAborted)
	}
	output, err := r.runTool(ctx, tool, call)
	switch {
	case err == nil:
		return output
	case ctx.Err() != nil:
		return interrupted(output)
	}
	return failure(err.Error())
}

// runTool runs a tool; it returns a panic as an error.
func (r *run) runTool(ctx context.Context, tool *Tool, call ToolCall) (output ToolOutput, err error) {
	var mu sync.Mutex // guards over
	over := false
	defer func() {
		mu.Lock()
		over = true
		mu.Unlock()
		if p := recover(); p != nil {
			output, err = ToolOutput{}, fmt.Errorf("%s panicked: %v", call.Name, p)
		}
	}()
	return tool.Run(ctx, call, func(partial ToolOutput) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			r.a.events.emit(&ToolProgress{Call: call, Output: &partial})
		}
	})
}

// interrupted returns the output of an aborted call: its partial output,
// followed by a note.
func interrupted(output ToolOutput) ToolOutput {
	end := failure(saysAborted)
	end.Content = append(append([]format.Block(nil), output.Content...), end.Content...)
	if output.Details != nil {
		end.Details = output.Details
	}
	end.Usage = output.Usage
	return end
}

func failure(text string) ToolOutput {
	output := Text(text)
	output.IsError, output.Details = true, json.RawMessage(`{}`)
	return output
}

func (r *run) writeResult(ctx context.Context, call ToolCall, output ToolOutput) error {
	m := &format.ToolResult{
		ToolCallID: call.ID, ToolName: call.Name, Content: format.BlockContent(output.Content...), Details: output.Details,
		IsError: output.IsError, Usage: output.Usage, Timestamp: r.a.config.Now().UnixMilli(),
	}
	m = hookMessage(ctx, &r.a.hooks, m)
	r.a.events.emit(&MessageStart{Role: m.Role(), Message: m})
	id, err := r.finish(ctx, m)
	if err != nil {
		return err
	}
	r.last.results = append(r.last.results, toolResult{id, m})
	return nil
}
