package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
)

// A second Close returns when the first has closed the session, not before.
func TestCloseWaitsForClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := pith.InMemory(pith.Options{Cwd: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		a, err := agent.New(s, agent.Config{Hooks: []agent.Hooks{{
			Shutdown: func(context.Context, agent.SwitchEvent) error {
				<-release
				return nil
			},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		var returned atomic.Int32
		for range 3 {
			go func() {
				if err := a.Close(); err != nil {
					t.Errorf("Close = %v; want nil", err)
				}
				returned.Add(1)
			}()
		}
		synctest.Wait()
		if n := returned.Load(); n != 0 {
			t.Errorf("%d of 3 calls of Close returned while a Shutdown hook still runs; want none", n)
		}
		close(release)
		synctest.Wait()
		if n := returned.Load(); n != 3 {
			t.Errorf("%d of 3 calls of Close returned; want all", n)
		}
	})
}

// Close aborts running tools first: the Shutdown hook and the file have their
// results, as in pi 1.5.2.
func TestCloseRecordsAbortedTools(t *testing.T) {
	begun := make(chan struct{})
	slow := toolDoing("slow", func(ctx context.Context, _ agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
		close(begun)
		<-ctx.Done()
		return agent.Text("so far"), ctx.Err()
	})
	var seen []string
	b := begin(t, func(c *agent.Config) {
		c.Tools = []agent.Tool{slow}
		c.Hooks = []agent.Hooks{{Shutdown: func(_ context.Context, e agent.SwitchEvent) error {
			seen = pathOf(t, e.Session)
			return nil
		}}}
	}, calls(1, "c1", "slow"))
	result := b.start("go")
	<-begun
	s := reopen(t, b)
	defer s.Close()
	if err := <-result; !errors.Is(err, agent.ErrAborted) {
		t.Errorf("Prompt = %v; want ErrAborted", err)
	}
	want := []string{"user go", "assistant/toolUse", "result c1 error so far Operation aborted"}
	same(t, "path in Shutdown", seen[2:], want...)
	same(t, "path in the file", pathOf(t, s)[2:], want...)
}
