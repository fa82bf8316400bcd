package cli

import (
	"cmp"
	"math"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// totals are what all entries of a session, on all branches, add up to.
type totals struct {
	User        int `json:"user"`
	Assistant   int `json:"assistant"`
	ToolCalls   int `json:"toolCalls"`
	ToolResults int `json:"toolResults"`
	Messages    int `json:"messages"` // of any role

	Input      int64 `json:"input"` // not cached
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Output     int64 `json:"output"`
	Tokens     int64 `json:"tokens"`
	CostMicros int64 `json:"costMicros"` // millionths

	byModel map[string]*modelTotals
}

// modelTotals are what one model was used for.
type modelTotals struct {
	Model      jsText `json:"model"` // provider/id; "" where the entry does not say
	Calls      int    `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"costMicros"`
}

// addLine adds an entry as it stands in the file. The result of a tool, which
// may be large and seldom spent tokens, is decoded only if it did.
func (t *totals) addLine(line pith.Line) error {
	if line.Role == format.RoleToolResult {
		message, _ := jsonl.Lookup(line.Raw, "message")
		if _, spent := jsonl.Lookup(message, "usage"); !spent {
			t.addMessage(&format.ToolResult{})
			return nil
		}
	}
	e, err := format.DecodeEntry(line.Raw) // nothing of it is kept
	if err != nil {
		return err
	}
	t.add(e)
	return nil
}

func (t *totals) add(e format.Entry) {
	switch e := e.(type) {
	case *format.MessageEntry:
		t.addMessage(e.Message)
	case *format.Compaction:
		t.spend("", e.Usage)
	case *format.BranchSummary:
		t.spend("", e.Usage)
	case *format.UsageEntry:
		t.spend(modelName(e.Provider, e.Model), &e.Usage)
	}
}

func (t *totals) addMessage(m format.Message) {
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
		t.spend(modelName(m.Provider, m.Model), &m.Usage)
	case *format.ToolResult:
		t.ToolResults++
		t.spend("", m.Usage)
	}
}

func (t *totals) spend(model string, u *format.Usage) {
	if u == nil {
		return
	}
	sum := plus(plus(u.Input, u.Output), plus(u.CacheRead, u.CacheWrite))
	cost := u.Cost.TotalMicros()
	if sum == 0 && cost == 0 {
		return
	}
	t.Input, t.Output = plus(t.Input, u.Input), plus(t.Output, u.Output)
	t.CacheRead, t.CacheWrite = plus(t.CacheRead, u.CacheRead), plus(t.CacheWrite, u.CacheWrite)
	t.Tokens, t.CostMicros = plus(t.Tokens, sum), plus(t.CostMicros, cost)
	if t.byModel == nil {
		t.byModel = map[string]*modelTotals{}
	}
	of := t.byModel[model]
	if of == nil {
		of = &modelTotals{Model: jsText(model)}
		t.byModel[model] = of
	}
	of.Calls++
	of.Tokens, of.CostMicros = plus(of.Tokens, sum), plus(of.CostMicros, cost)
}

// plus adds without running over: a file may claim any number.
func plus(a, b int64) int64 {
	if b < 0 {
		return a
	}
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func modelName(provider, model string) string {
	if provider == "" {
		return model
	}
	return provider + "/" + model
}

// models are the totals of each model, the one that cost most first.
func (t *totals) models() []modelTotals {
	out := make([]modelTotals, 0, len(t.byModel))
	for _, m := range t.byModel {
		out = append(out, *m)
	}
	slices.SortFunc(out, func(a, b modelTotals) int {
		return cmp.Or(cmp.Compare(b.CostMicros, a.CostMicros), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Model, b.Model))
	})
	return out
}
