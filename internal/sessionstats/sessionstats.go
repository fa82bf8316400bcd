// Package sessionstats counts the messages, tokens and cost of a session.
package sessionstats

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// Stats are the counts of a whole session: all branches, including compacted
// entries.
type Stats struct {
	File, ID, Name string

	UserMessages, AssistantMessages, ToolCalls, ToolResults int
	TotalMessages                                           int

	Tokens Tokens
	Spent  format.Spent
	// ByModel has one element for each model, the most expensive first, and one
	// named Tools/summaries for the spending of tools and summaries.
	ByModel []ModelStats
	// Context is nil if the model or its context window is unknown.
	Context *ContextUsage
}

// Tokens are token counts.
type Tokens struct{ Input, Output, CacheRead, CacheWrite, Total int64 }

// ModelStats are the counts of one model.
type ModelStats struct {
	Name     string // provider/model
	Messages int
	Tokens   Tokens
	Spent    format.Spent
}

// ContextUsage is the size of the context.
type ContextUsage struct {
	Tokens  int64
	Window  int64
	Percent float64
	// Known is false after a compaction until the next response: Tokens is then
	// only an estimate.
	Known bool
}

// Of counts the whole session of a conversation.
func Of(a *agent.Conversation) (Stats, error) {
	s := a.Session()
	out := Stats{File: s.File(), ID: s.ID(), Name: s.Name()}
	models := map[string]*ModelStats{}
	spend := func(name string, u *format.Usage, messages int) {
		if u == nil {
			return
		}
		m := models[name]
		if m == nil {
			m = &ModelStats{Name: name}
			models[name] = m
		}
		m.Messages += messages
		m.Tokens.add(u)
		out.Tokens.add(u)
		spent := prices.Estimate(name, time.Time{}, u.Spent())
		m.Spent, out.Spent = m.Spent.Plus(spent), out.Spent.Plus(spent)
	}
	for e, err := range s.View().Entries() {
		if err != nil {
			return Stats{}, err
		}
		out.count(e, spend)
	}
	for _, m := range models {
		out.ByModel = append(out.ByModel, *m)
	}
	slices.SortFunc(out.ByModel, func(x, y ModelStats) int {
		return cmp.Or(cmp.Compare(y.Spent.Cost, x.Spent.Cost), cmp.Compare(x.Name, y.Name))
	})
	window := a.Model().ContextWindow
	if window <= 0 {
		return out, nil
	}
	n, counted, err := a.ContextUsage()
	out.Context = &ContextUsage{Tokens: n, Window: window, Percent: float64(n) / float64(window) * 100, Known: counted}
	return out, err
}

// others is the name for the spending of tools and summaries.
const others = "Tools/summaries"

func (st *Stats) count(e format.Entry, spend func(name string, u *format.Usage, messages int)) {
	switch e := e.(type) {
	case *format.UsageEntry:
		spend(e.Provider+"/"+e.Model, &e.Usage, 0)
	case *format.Compaction:
		spend(others, e.Usage, 0)
	case *format.BranchSummary:
		spend(others, e.Usage, 0)
	case *format.MessageEntry:
		st.TotalMessages++
		switch m := e.Message.(type) {
		case *format.User:
			st.UserMessages++
		case *format.ToolResult:
			st.ToolResults++
			spend(others, m.Usage, 0)
		case *format.Assistant:
			st.AssistantMessages++
			for _, b := range m.Content.Blocks {
				if _, ok := b.(*format.ToolCallBlock); ok {
					st.ToolCalls++
				}
			}
			spend(m.Provider+"/"+cmp.Or(m.ResponseModel, m.Model), &m.Usage, 1)
		}
	}
}

func (t *Tokens) add(u *format.Usage) {
	t.Input += u.Input
	t.Output += u.Output
	t.CacheRead += u.CacheRead
	t.CacheWrite += u.CacheWrite
	t.Total += u.Input + u.Output + u.CacheRead + u.CacheWrite
}
