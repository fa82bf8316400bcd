package agent

import (
	"cmp"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Stats are what a session holds and has cost: all branches, and what was
// compacted away too.
type Stats struct {
	File, ID, Name string

	UserMessages, AssistantMessages, ToolCalls, ToolResults int
	TotalMessages                                           int // entries that are messages

	Tokens     Tokens
	CostMicros int64 // millionths of the currency of the providers' price lists
	// ByModel are the models that were asked, the dearest first. What tools and
	// summaries spent has the name Tools/summaries.
	ByModel []ModelStats
	// Context is nil when the model or its window is not known.
	Context *ContextUsage
}

// Tokens are counts of tokens.
type Tokens struct{ Input, Output, CacheRead, CacheWrite, Total int64 }

// ModelStats are what one model was used for.
type ModelStats struct {
	Name       string // provider/model
	Messages   int
	Tokens     Tokens
	CostMicros int64

	spent format.Spent
}

// ContextUsage is how full the context is.
type ContextUsage struct {
	Tokens  int64
	Window  int64
	Percent float64
	// Known is false after a compaction, until the next answer: then Tokens is
	// an estimate of everything.
	Known bool
}

// Stats reads the whole session.
func (a *Conversation) Stats() (Stats, error) {
	s := a.Session()
	out := Stats{File: s.File(), ID: s.ID(), Name: s.Name()}
	models := map[string]*ModelStats{}
	var spent format.Spent
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
		m.spent, spent = m.spent.Plus(u.Spent()), spent.Plus(u.Spent())
	}
	for e, err := range s.View().Entries() {
		if err != nil {
			return Stats{}, err
		}
		out.count(e, spend)
	}
	out.CostMicros = spent.Cost.Micros() // rounded once, after all was added
	for _, m := range models {
		m.CostMicros = m.spent.Cost.Micros()
		out.ByModel = append(out.ByModel, *m)
	}
	slices.SortFunc(out.ByModel, func(x, y ModelStats) int {
		return cmp.Or(cmp.Compare(y.spent.Cost, x.spent.Cost), cmp.Compare(x.Name, y.Name))
	})
	var err error
	out.Context, err = a.ContextUsage()
	return out, err
}

// others is the name of what tools and summaries spent.
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
			st.ToolCalls += len(callsOf(m))
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

// ContextUsage is how full the context is; nil when the model or its window is
// not known.
func (a *Conversation) ContextUsage() (*ContextUsage, error) {
	m := a.Model()
	if m.ContextWindow <= 0 {
		return nil, nil
	}
	size, err := a.compactor.measure()
	if err != nil {
		return nil, err
	}
	u := &ContextUsage{Tokens: size.Tokens, Window: m.ContextWindow, Known: true}
	u.Percent = float64(u.Tokens) / float64(u.Window) * 100
	if size.UsageEntryID == "" {
		u.Known, err = answeredSinceCompaction(a.Session())
	}
	return u, err
}

// answeredSinceCompaction is false when there is a compaction on the path and no
// counted answer behind it.
func answeredSinceCompaction(s *pith.Session) (bool, error) {
	for e, err := range back(s) {
		if err != nil {
			return false, err
		}
		switch e := e.(type) {
		case *format.Compaction:
			return false, nil
		case *format.MessageEntry:
			if counted(e.Message) {
				return true, nil
			}
		}
	}
	return true, nil
}

// counted reports whether a message is an answer whose tokens a provider counted.
func counted(m format.Message) bool {
	x, ok := m.(*format.Assistant)
	return ok && x.StopReason != failed && x.StopReason != abandoned && countOf(x) > 0
}
