package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// ahead keeps the keys that are pressed before what they act on is shown: the next screen,
// or the first row of a list. Esc and Ctrl+C do not wait, and drop the others.
type ahead struct {
	keys    *keys.Map
	tasks   *tasks
	press   func(p tea.KeyPressMsg) tea.Cmd
	waits   func(p tea.KeyPressMsg) bool // the shown screen is not ready for a key
	making  int                          // screens and dialogs that are being made
	pressed []tea.KeyPressMsg
}

// makes is like background.command for what the next key acts on.
func (a *ahead) makes(do func(context.Context) transient.Then) tea.Cmd {
	a.making++
	return a.tasks.background.command(func(ctx context.Context) transient.Then {
		then := do(ctx)
		return func() tea.Cmd { return a.made(then) }
	})
}

// prepares is like work for what the next key acts on.
func (a *ahead) prepares(what string, do func(context.Context) done) tea.Cmd {
	if a.tasks.what != "" {
		return a.tasks.work(what, do) // which refuses
	}
	a.making++
	return a.tasks.work(what, func(ctx context.Context) done {
		result := do(ctx)
		then := result.then
		result.then = func() tea.Cmd { return a.made(then) }
		return result
	})
}

func (a *ahead) made(then func() tea.Cmd) tea.Cmd {
	a.making--
	if then == nil {
		return nil
	}
	return then()
}

// take handles a key, or keeps it.
func (a *ahead) take(p tea.KeyPressMsg) tea.Cmd {
	if a.keys.First(p, keys.SelectCancel, keys.Interrupt, keys.Clear) != "" {
		a.pressed = nil
		return a.press(p)
	}
	a.pressed = append(a.pressed, p)
	return a.catchUp()
}

// catchUp handles the keys that do not have to wait any more.
func (a *ahead) catchUp() tea.Cmd {
	var cmds []tea.Cmd
	for len(a.pressed) > 0 && a.making == 0 && !a.waits(a.pressed[0]) {
		p := a.pressed[0]
		a.pressed = a.pressed[1:]
		cmds = append(cmds, a.press(p))
	}
	return tea.Batch(cmds...)
}
