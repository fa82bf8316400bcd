package tui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// markTurn marks the turn that is read, or the one selected in the contents.
func (c *chat) markTurn() tea.Cmd {
	turn := c.page.CurrentTurn()
	if c.contents != nil {
		turn = c.contents.Next()
	}
	if turn < 0 || turn >= c.turns.Len() || c.turns.Number(turn) == 0 { // no user message
		return nil
	}
	cmd := c.page.ToggleMark(turn)
	n := len(c.page.Marks().Turns())
	if n == 0 {
		return tea.Batch(cmd, c.app.say(paint.Muted, "no turns marked"))
	}
	return tea.Batch(cmd, c.app.say(paint.Muted, humanize.Count(n, "turn")+" marked · "+c.app.c.Keys.Label(keys.ExportHere)+" export · "+c.app.c.Keys.Label(keys.Interrupt)+" clear"))
}

// exportMarked exports the marked turns, or the session if there are none.
func (c *chat) exportMarked() tea.Cmd {
	var numbers []string
	for _, i := range c.page.Marks().Turns() {
		numbers = append(numbers, strconv.Itoa(c.turns.Number(i)))
	}
	if len(numbers) == 0 {
		return c.app.commands.export("", "")
	}
	return c.app.commands.exportTurns(c.branch, strings.Join(numbers, ","))
}
