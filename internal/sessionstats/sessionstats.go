// Package sessionstats counts the messages, tokens and cost of a session.
package sessionstats

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// Stats are the counts of a whole session: all branches, including compacted
// entries.
type Stats struct {
	File string `json:"sessionFile" empty:"null"`
	ID   string `json:"sessionId"`
	Name string `json:"sessionName" empty:"null"`

	UserMessages      int `json:"userMessages"`
	AssistantMessages int `json:"assistantMessages"`
	ToolCalls         int `json:"toolCalls"`
	ToolResults       int `json:"toolResults"`
	TotalMessages     int `json:"totalMessages"`

	Tokens Tokens `json:"tokens"`
	Spent  format.Spent
	Cost   Dollars `json:"cost"`
	// ByModel has one element for each model, the most expensive first, and one
	// named Tools/summaries for the spending of tools and summaries.
	ByModel []ModelStats `json:"models"`
	// Context is nil if the model or its context window is unknown.
	Context *ContextUsage `json:"contextUsage"`
}

// Dollars are an amount of money, as pi counts it.
type Dollars float64

// Tokens are token counts.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cacheRead"`
	CacheWrite int64 `json:"cacheWrite"`
	Total      int64 `json:"total"`
}

// ModelStats are the counts of one model.
type ModelStats struct {
	Name     string `json:"model"` // provider/model
	Messages int    `json:"messages"`
	Tokens   Tokens `json:"tokens"`
	Spent    format.Spent
	Cost     Dollars `json:"cost"`
}

// ContextUsage is the size of the context.
type ContextUsage struct {
	Tokens  int64   `json:"tokens"`
	Window  int64   `json:"contextWindow"`
	Percent float64 `json:"percent"`
	// Known is false after a compaction until the next response: Tokens is then
	// only an estimate (pitfall 107).
	Known bool `json:"known"`
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
	out.Cost = dollars(out.Spent)
	for _, m := range models {
		m.Cost = dollars(m.Spent)
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
	out.Context = &ContextUsage{Tokens: n, Window: window, Percent: math.Round(float64(n)/float64(window)*1e4) / 100, Known: counted}
	return out, err
}

func dollars(s format.Spent) Dollars { return Dollars(float64(s.Cost.Micros()) / 1e6) }

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
