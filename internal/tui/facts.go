package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
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
	if msg.err != nil {
		return a.sayError(msg.err)
	}
	st := msg.stats
	file := st.File
	if file == "" || !msg.open.session().Written() {
		file = "not saved yet"
	}
	lines := []string{
		"File: " + a.homely(file),
		"ID: " + st.ID,
		fmt.Sprintf("Messages: %d (%d user, %d assistant, %d tool calls, %d tool results)", st.TotalMessages,
			st.UserMessages, st.AssistantMessages, st.ToolCalls, st.ToolResults),
		fmt.Sprintf("Tokens: %d input, %d cached, %d written to the cache, %d output, %d in all", st.Tokens.Input,
			st.Tokens.CacheRead, st.Tokens.CacheWrite, st.Tokens.Output, st.Tokens.Total),
		fmt.Sprintf("Cost: $%.3f", float64(st.CostMicros)/1e6),
	}
	if st.Name != "" {
		lines = append([]string{"Name: " + st.Name}, lines...)
	}
	for _, m := range st.ByModel {
		lines = append(lines, fmt.Sprintf("  %s: %d messages, $%.3f", m.Name, m.Messages, float64(m.CostMicros)/1e6))
	}
	a.ask("Session", lines, func(*App, int) tea.Cmd { return nil })
	return nil
}
