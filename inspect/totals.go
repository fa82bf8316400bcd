package inspect

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/prices"
)

// Totals are sums over all entries of a session, on all branches.
type Totals struct {
	User        int `json:"user"`
	Assistant   int `json:"assistant"`
	ToolCalls   int `json:"toolCalls"`
	ToolResults int `json:"toolResults"`
	Messages    int `json:"messages"` // any role
	format.Spent

	byModel map[string]*ModelCost
}

// mostWorkers limits how many processors Count uses.
const mostWorkers = 4

// Count sums all entries of a session: messages, and the usage of model calls
// in the conversation or outside it.
func Count(ctx context.Context, s *pith.Session) (*Totals, error) {
	n := s.View().Len()
	parts := make([]Totals, max(1, min(n/1000, runtime.GOMAXPROCS(0), mostWorkers)))
	errs := make([]error, len(parts))
	var all sync.WaitGroup
	for w := range parts {
		all.Go(func() {
			lines := s.View().Reader()
			for pos := w * n / len(parts); pos < (w+1)*n/len(parts) && errs[w] == nil; pos++ {
				line, err := lines.Line(pos)
				if err = cmp.Or(err, ctx.Err()); err == nil {
					parts[w].line(line)
				}
				errs[w] = err
			}
		})
	}
	all.Wait()
	t := &Totals{}
	for i := range parts {
		t.merge(&parts[i])
	}
	return t, cmp.Or(errs...)
}

func (t *Totals) merge(o *Totals) {
	t.User += o.User
	t.Assistant += o.Assistant
	t.ToolCalls += o.ToolCalls
	t.ToolResults += o.ToolResults
	t.Messages += o.Messages
	t.Spent = t.Plus(o.Spent)
	for name, m := range o.byModel {
		of := t.model(name)
		of.Calls += m.Calls
		of.Spent = of.Plus(m.Spent)
	}
}

// line adds an entry. Of a message only the members that count are read.
func (t *Totals) line(line pith.Line) {
	if line.Type != format.TypeMessage {
		entry, err := format.DecodeEntry(line.Raw) // it is not retained
		if err == nil {                            // opening ensured that it can be decoded
			s, model := prices.Entry(entry)
			t.spend(model, s)
		}
		return
	}
	t.Messages++
	m := journal.MessageOf(line.Raw)
	model := ""
	switch m.Speaker() {
	case journal.RoleUser:
		t.User++
		return
	case journal.RoleAssistant:
		t.Assistant++
		for _, block := range journal.Blocks(m.Content) {
			if string(jsonl.TextOf(block.Type)) == "toolCall" {
				t.ToolCalls++
			}
		}
		model = format.ModelName(string(jsonl.TextOf(m.Provider)), string(jsonl.TextOf(m.Model)))
	case journal.RoleToolResult:
		t.ToolResults++
	default:
		return
	}
	t.spend(model, prices.Estimate(model, line.Time, format.DecodeSpent(m.Usage)))
}

func (t *Totals) spend(model string, s format.Spent) {
	if s.IsZero() {
		return
	}
	t.Spent = t.Plus(s)
	of := t.model(model)
	of.Calls++
	of.Spent = of.Plus(s)
}

func (t *Totals) model(name string) *ModelCost {
	if t.byModel == nil {
		t.byModel = map[string]*ModelCost{}
	}
	if t.byModel[name] == nil {
		t.byModel[name] = &ModelCost{Model: Text(name)}
	}
	return t.byModel[name]
}

// Models returns the totals of each model, the most expensive first.
func (t *Totals) Models() []ModelCost {
	out := make([]ModelCost, 0, len(t.byModel))
	for _, m := range t.byModel {
		out = append(out, *m)
	}
	slices.SortFunc(out, dearestFirst)
	return out
}
