package agent_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// After any sequence of operations, every call that counts has its result, in
// order; the file matches memory; and the session is idle again.
func TestAnyOrderOfThings(t *testing.T) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			var b *bench
			b = begin(t, func(c *agent.Config) {
				compacting(&summaries{})(c)
				c.Tools = []agent.Tool{tool("read", "x"), toolDoing("stop", func(context.Context, agent.ToolCall, func(agent.ToolOutput)) (agent.ToolOutput, error) {
					b.Abort()
					return agent.Text("stopped"), nil
				})}
			})
			for range 20 {
				step(t, b, rnd)
				checkSession(t, b)
			}
		})
	}
}

// step does one random thing. Only errors that can be expected may come.
func step(t *testing.T, b *bench, rnd *rand.Rand) {
	t.Helper()
	var err error
	switch rnd.IntN(8) {
	case 0:
		_, err = b.Compact(t.Context(), "")
	case 1:
		_, err = b.Navigate(t.Context(), someEntry(t, b, rnd), agent.NavigateOptions{Summarize: rnd.IntN(2) == 0, Exact: rnd.IntN(3) == 0})
	case 2:
		_, err = b.Clone(t.Context())
	default:
		b.client.mu.Lock()
		b.client.replies = nil
		for range rnd.IntN(4) {
			b.client.replies = append(b.client.replies, someReply(rnd))
		}
		b.client.mu.Unlock()
		b.client.add(answers("done", rnd.Int64N(above+1)))
		_, err = b.Prompt(t.Context(), "say")
	}
	var failed *agent.AnswerError
	if err != nil && !errors.As(err, &failed) && !errors.Is(err, agent.ErrAborted) && !errors.Is(err, compact.ErrNothing) && !errors.Is(err, pith.ErrInvalid) {
		t.Fatalf("unexpected error: %v", err)
	}
}

func someReply(rnd *rand.Rand) reply {
	switch rnd.IntN(6) {
	case 0:
		return fails(llm.Overflow, tooLong)
	case 1:
		return cut(10)
	case 2:
		return calls(1, fmt.Sprint("a", rnd.Uint32()), "read", fmt.Sprint("b", rnd.Uint32()), "stop", fmt.Sprint("c", rnd.Uint32()), "none")
	}
	return calls(rnd.Int64N(above+1), fmt.Sprint("d", rnd.Uint32()), "read", fmt.Sprint("e", rnd.Uint32()), "read")
}

func someEntry(t *testing.T, b *bench, rnd *rand.Rand) string {
	t.Helper()
	var ids []string
	for e, err := range b.Conversation.Session().View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		// A position between a call and its results is the user's choice, not the
		// agent's doing.
		if m, ok := e.(*format.MessageEntry); ok && (m.Message.Role() == format.RoleUser || describe(e) == "assistant/stop done") {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return ids[rnd.IntN(len(ids))]
}

func checkSession(t *testing.T, b *bench) {
	t.Helper()
	if b.Busy() != agent.ActivityIdle {
		t.Fatalf("Busy() = %v; want idle", b.Busy())
	}
	s := b.Conversation.Session()
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		t.Fatal(err)
	}
	var open []string // calls without a result yet
	for _, pos := range path {
		e, err := v.Entry(pos)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		switch m := m.Message.(type) {
		case *format.ToolResult:
			if len(open) == 0 || open[0] != m.ToolCallID {
				t.Fatalf("a result of %s where one of %v is due, in %q", m.ToolCallID, open, b.path())
			}
			open = open[1:]
		default:
			if len(open) > 0 {
				t.Fatalf("calls %v have no result in %q", open, b.path())
			}
			if a, ok := m.(*format.Assistant); ok && a.StopReason != "error" && a.StopReason != "aborted" {
				for _, block := range a.Content.Blocks {
					if c, ok := block.(*format.ToolCallBlock); ok {
						open = append(open, c.ID)
					}
				}
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("calls %v have no result in %q", open, b.path())
	}
	if !s.Written() {
		return
	}
	disk, err := pith.Open(t.Context(), s.File(), pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if disk.View().Len() != s.View().Len() {
		t.Fatalf("%d entries on disk, %d in memory", disk.View().Len(), s.View().Len())
	}
	onDisk, err := disk.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if inMemory, _ := s.View().PathIDs(s.LeafID()); !slices.Equal(onDisk, inMemory) {
		t.Fatal("the path on disk is another one")
	}
}
