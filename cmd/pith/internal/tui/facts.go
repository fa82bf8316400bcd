package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

type factsReady struct {
	open  *opened
	stats agent.Stats
	err   error
}

// showFacts tells what the session holds and has cost.
func (a *App) showFacts() tea.Cmd {
	o := a.open
	return func() tea.Msg {
		stats, err := o.live.Stats()
		return factsReady{o, stats, err}
	}
}

func (a *App) takeFacts(msg factsReady) tea.Cmd {
	switch {
	case msg.open != a.open:
		return nil
	case msg.err != nil:
		return a.sayError(msg.err)
	}
	st := msg.stats
	file := st.File
	if file == "" || !msg.open.session().Written() {
		file = "not saved yet"
	}
	facts := []hint{{"File:", a.homely(file)}, {"ID:", st.ID}}
	if st.Name != "" {
		facts = append([]hint{{"Name:", st.Name}}, facts...)
	}
	facts = append(facts,
		hint{"Messages:", fmt.Sprintf("%d (%d user, %d assistant, %d tool calls, %d tool results)", st.TotalMessages,
			st.UserMessages, st.AssistantMessages, st.ToolCalls, st.ToolResults)},
		hint{"Tokens:", fmt.Sprintf("%d (%d input, %d output, %d read from the cache, %d written to it)", st.Tokens.Total,
			st.Tokens.Input, st.Tokens.Output, st.Tokens.CacheRead, st.Tokens.CacheWrite)},
		hint{"Cost:", humanize.Dollars(st.CostMicros)})
	for _, m := range st.ByModel {
		facts = append(facts, hint{"", fmt.Sprintf("%s in %s of %s", humanize.Dollars(m.CostMicros), humanize.Count(m.Messages, "message"), m.Name)})
	}
	a.sheet = &sheet{title: "Session", hints: facts}
	return nil
}
