package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

func toolDoing(name string, run func(ctx context.Context, call agent.ToolCall, update func(agent.ToolOutput)) (agent.ToolOutput, error)) agent.Tool {
	return agent.Tool{Tool: spec(name), Run: run}
}

func withTools(tools ...agent.Tool) func(*agent.Config) {
	return func(c *agent.Config) { c.Tools = tools }
}

// Each call gets a result, whatever happens to it.
func TestCallsThatGiveNothing(t *testing.T) {
	tests := map[string]struct {
		tool  agent.Tool
		reply reply
		want  string
	}{
		"unknown tool": {tool("read", "x"), calls(1, "c1", "write"), "result c1 error Tool write not found"},
		"arguments that are no object": {
			tool("read", "x"), callsWith(1, `["a"]`, "c1", "read"), "result c1 error the arguments of read are not a JSON object",
		},
		"an error": {toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			return agent.ToolOutput{}, errors.New("no such file")
		}), calls(1, "c1", "read"), "result c1 error no such file"},
		"a panic": {toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			panic("oops")
		}), calls(1, "c1", "read"), "result c1 error read panicked: oops"},
		"a goroutine that ends": {toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			runtime.Goexit()
			return agent.ToolOutput{}, nil
		}), calls(1, "c1", "read"), "result c1 error read did not return"},
		"details that are no JSON": {toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			return agent.ToolOutput{Details: json.RawMessage(`{`)}, nil
		}), calls(1, "c1", "read"), "result c1 error read returned details that are not JSON"},
		"its own error": {toolDoing("read", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
			out := agent.Text("exit 1")
			out.IsError = true
			return out, nil
		}), calls(1, "c1", "read"), "result c1 error exit 1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := begin(t, withTools(tt.tool), tt.reply, answers("done", 1))
			b.prompt("go")
			same(t, "path", b.said(), "user go", "assistant/toolUse", tt.want, "assistant/stop done")
		})
	}
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	var got string
	b := begin(t, withTools(toolDoing("ls", func(_ context.Context, call agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
		got = string(call.Arguments)
		return agent.Text("a"), nil
	})), callsWith(1, "", "c1", "ls"), answers("done", 1))
	b.prompt("go")
	if got != "{}" {
		t.Errorf("arguments = %q; want {}", got)
	}
}

// Results are in the order of the calls, whichever ends first. (pitfall 91)
func TestParallelResultsKeepTheOrderOfCalls(t *testing.T) {
	second := make(chan struct{})
	run := func(_ context.Context, call agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
		if call.ID == "c1" {
			<-second // ends only when the other has ended: they run side by side
		} else {
			defer close(second)
		}
		return agent.Text(call.ID), nil
	}
	b := begin(t, withTools(toolDoing("read", run)), calls(1, "c1", "read", "c2", "read"), answers("done", 1))
	b.prompt("go")
	same(t, "path", b.said(), "user go", "assistant/toolUse", "result c1 c1", "result c2 c2", "assistant/stop done")
}

func TestSequentialCallsRunOneAfterAnother(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	count := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		running += by
		most = max(most, running)
	}
	run := func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
		count(1)
		defer count(-1)
		return agent.Text("ok"), nil
	}
	edit := toolDoing("edit", run)
	edit.Sequential = true
	b := begin(t, withTools(edit, toolDoing("read", run)), calls(1, "c1", "read", "c2", "edit", "c3", "read"), answers("done", 1))
	b.prompt("go")
	if most != 1 {
		t.Errorf("%d calls ran at once; want 1", most)
	}
	var starts []string
	for _, e := range b.told() {
		if id, ok := strings.CutPrefix(e, "tool_execution_start "); ok {
			starts = append(starts, id)
		}
	}
	same(t, "starts", starts, "c1", "c2", "c3")
}

// An abort leaves a result for every call: one that ran says what it had, one that
// never began says so. (pitfalls 82, 90)
func TestAbortedCallsLeaveResults(t *testing.T) {
	for name, sequential := range map[string]bool{"one after another": true, "side by side": false} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{}, 2)
			slow := toolDoing("slow", func(ctx context.Context, _ agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
				begun <- struct{}{}
				<-ctx.Done()
				return agent.Text("so far"), ctx.Err()
			})
			slow.Sequential = sequential
			b := begin(t, withTools(slow), calls(1, "c1", "slow", "c2", "slow"), answers("never", 1))
			result := b.start("go")
			<-begun
			if !sequential {
				<-begun
			}
			b.Abort()
			if err := <-result; !errors.Is(err, agent.ErrAborted) {
				t.Errorf("Prompt = %v; want ErrAborted", err)
			}
			got := b.said()
			if len(got) != 4 || got[2] != "result c1 error so far Operation aborted" || !strings.HasSuffix(got[3], "Operation aborted") {
				t.Errorf("path = %q; want a result that says so for both calls", got)
			}
			if n := len(b.client.asked()); n != 1 {
				t.Errorf("%d requests; want none after the abort", n)
			}
		})
	}
}

// Calls of an answer that was cut off do not run.
func TestCallsOfACutOffAnswer(t *testing.T) {
	ran := false
	b := begin(t, withTools(toolDoing("write", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
		ran = true
		return agent.Text("x"), nil
	})), func(ctx context.Context, r llm.Request, observe func(llm.Event)) (*format.Assistant, error) {
		m, err := calls(1, "c1", "write")(ctx, r, observe)
		m.StopReason, m.Usage.Output = "length", 5000
		return m, err
	}, answers("done", 1))
	b.prompt("go")
	got := b.said()
	if ran || len(got) != 4 || !strings.HasPrefix(got[2], `result c1 error Tool call "write" was not run`) {
		t.Errorf("ran = %t, path = %q; want a result that says that it did not run", ran, got)
	}
}

func TestToolUpdates(t *testing.T) {
	var late func(agent.ToolOutput)
	b := begin(t, withTools(toolDoing("read", func(_ context.Context, _ agent.ToolCall, update func(agent.ToolOutput)) (agent.ToolOutput, error) {
		update(agent.Text("part"))
		late = update
		return agent.ToolOutput{Content: agent.Text("all").Content, Details: json.RawMessage(`{"lines":2}`)}, nil
	})), calls(1, "c1", "read"), answers("done", 1))
	b.prompt("go")
	late(agent.Text("too late"))
	if n := b.count("tool_execution_update"); n != 1 {
		t.Errorf("%d updates told; want 1", n)
	}
	e, err := b.Conversation.Session().Entry(b.entry("result c1 all"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(e.(*format.MessageEntry).Message.(*format.ToolResult).Details); got != `{"lines":2}` {
		t.Errorf("details = %s", got)
	}
}

func TestToolNames(t *testing.T) {
	for name, tools := range map[string][]agent.Tool{"twice": {tool("a", ""), tool("a", "")}, "none": {tool("", "")}} {
		s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := agent.New(s, agent.Config{Tools: tools}); !errors.Is(err, pith.ErrInvalid) {
			t.Errorf("%s: New = %v; want ErrInvalid", name, err)
		}
	}
}
