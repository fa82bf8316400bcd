package agent_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
)

// An order records events and hooks in sequence. Events are sent while the
// session works on, so a hook that must come after one waits for it.
type order struct {
	mu      sync.Mutex // guards written
	written []string
	told    chan struct{} // closed when the start of a compaction is reported
}

func (o *order) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.written = append(o.written, what)
}

func (o *order) event(e agent.Event) {
	o.add(describeEvent(e))
	if _, ok := e.(*agent.CompactionStart); ok {
		close(o.told)
	}
}

func (o *order) hooks() agent.Hooks {
	return agent.Hooks{
		BeforeCompact: func(_ context.Context, e agent.BeforeCompactEvent) (agent.CompactDecision, error) {
			select {
			case <-o.told:
			case <-time.After(time.Minute):
				o.add("no compaction_start")
			}
			o.add(fmt.Sprintf("BeforeCompact %s %t", e.Reason, e.WillRetry))
			return agent.CompactDecision{}, nil
		},
		Compacted: func(_ context.Context, _ *pith.Session, e *agent.CompactionEnd) error {
			o.add(fmt.Sprintf("Compacted %s %t", e.Reason, e.WillRetry))
			return nil
		},
	}
}

// case 93: a compaction after a run is announced, passed to the hook, written
// and reported as ended, in this order, and no further request is made.
func TestOrderOfThreshold(t *testing.T) {
	o := &order{told: make(chan struct{})}
	b := begin(t, func(c *agent.Config) {
		compacting(&summaries{})(c)
		c.OnEvent, c.Hooks = o.event, []agent.Hooks{o.hooks()}
	}, answers("a1", below), answers("a2", above))
	b.prompt("one")
	b.prompt("two")
	o.mu.Lock()
	got := slices.Clone(o.written)
	o.mu.Unlock()
	same(t, "the end", got[max(len(got)-6, 0):], "agent_end", "compaction_start threshold", "BeforeCompact threshold false",
		"Compacted threshold false", "compaction_end threshold", "agent_settled")
	if n := len(b.client.asked()); n != 2 {
		t.Errorf("%d requests; want 2", n)
	}
}
