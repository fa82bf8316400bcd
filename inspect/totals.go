package inspect

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/longline"
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
			lines.ReadLong = longline.ReadShort
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

// line adds an entry. A tool result, which may be large and rarely has usage,
// is decoded only if it has.
func (t *Totals) line(line pith.Line) {
	if line.Role == format.RoleToolResult && !spends(line.Raw) {
		t.message(&format.ToolResult{})
		return
	}
	if line.Type == format.TypeMessage && line.Role == format.RoleAssistant && t.answer(line) {
		return
	}
	entry, err := format.DecodeEntry(line.Raw) // it is not retained
	if err != nil {
		return // opening ensured that it can be decoded
	}
	if m, ok := entry.(*format.MessageEntry); ok {
		t.message(m.Message)
	}
	s, model := prices.Entry(entry)
	t.spend(model, s)
}

// spends reports whether the message of a line has usage. For most lines a
// search for the word is enough, which only an escape can hide.
func spends(line []byte) bool {
	if !bytes.Contains(line, []byte(`"usage"`)) && !bytes.Contains(line, []byte(`\u`)) {
		return false
	}
	message, _ := jsonl.Lookup(line, "message")
	_, ok := jsonl.Lookup(message, "usage")
	return ok
}

// answer adds a response without decoding its text, which is most of it. It
// returns false if the message is not an object.
func (t *Totals) answer(line pith.Line) bool {
	m, ok := journal.MessageOf(line.Raw)
	if !ok {
		return false
	}
	t.Messages++
	t.Assistant++
	for raw := range jsonl.Elements(m.Content) {
		block, _ := journal.ReadBlock(raw)
		if word, _ := jsonl.String(block.Type); word == "toolCall" {
			t.ToolCalls++
		}
	}
	if s := format.DecodeSpent(m.Usage); !s.IsZero() {
		provider, _ := jsonl.String(m.Provider)
		model, _ := jsonl.String(m.Model)
		name := format.ModelName(provider, model)
		t.spend(name, prices.Estimate(name, line.Time, s))
	}
	return true
}

// message counts a message without its usage.
func (t *Totals) message(m format.Message) {
	t.Messages++
	switch m := m.(type) {
	case *format.User:
		t.User++
	case *format.Assistant:
		t.Assistant++
		for _, b := range m.Content.Blocks {
			if _, ok := b.(*format.ToolCallBlock); ok {
				t.ToolCalls++
			}
		}
	case *format.ToolResult:
		t.ToolResults++
	}
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
