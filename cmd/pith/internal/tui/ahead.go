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
	making  int // screens and dialogs that are being made
	pressed []tea.KeyPressMsg
}

// makes is like background.command for what the next key acts on.
func (a *App) makes(do func(context.Context) transient.Then) tea.Cmd {
	a.ahead.making++
	return a.background.command(func(ctx context.Context) transient.Then {
		then := do(ctx)
		return func() tea.Cmd {
			a.ahead.making--
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

// prepares is like work for what the next key acts on.
func (a *App) prepares(what string, do func(context.Context) done) tea.Cmd {
	if a.tasks.what != "" {
		return a.work(what, do) // which refuses
	}
	a.ahead.making++
	return a.work(what, func(ctx context.Context) done {
		result := do(ctx)
		then := result.then
		result.then = func() tea.Cmd {
			a.ahead.making--
			if then == nil {
				return nil
			}
			return then()
		}
		return result
	})
}

// pressed handles a key, or keeps it.
func (a *App) pressed(p tea.KeyPressMsg) tea.Cmd {
	k := a.c.Keys
	if k.First(p, keys.SelectCancel, keys.Interrupt, keys.Clear) != "" {
		a.ahead.pressed = nil
		return a.press(p)
	}
	a.ahead.pressed = append(a.ahead.pressed, p)
	return a.catchUp()
}

// catchUp handles the keys that do not have to wait any more.
func (a *App) catchUp() tea.Cmd {
	var cmds []tea.Cmd
	for len(a.ahead.pressed) > 0 && !a.waits(a.ahead.pressed[0]) {
		p := a.ahead.pressed[0]
		a.ahead.pressed = a.ahead.pressed[1:]
		cmds = append(cmds, a.press(p))
	}
	return tea.Batch(cmds...)
}

// waits reports whether a key has to wait.
func (a *App) waits(p tea.KeyPressMsg) bool {
	switch {
	case a.ahead.making > 0:
		return true
	case a.overlay.shown(), a.compare != nil:
		return false
	case a.tree != nil:
		return a.tree.Waits()
	case a.picker != nil:
		return a.picker.Waits(p)
	}
	return a.chat.waits(p)
}
