package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// stays is how long a notice is shown; an error longer.
const stays = 4 * time.Second

// say shows a line of news.
func (a *App) say(tone paint.Tone, text string) tea.Cmd {
	if tone == paint.Error {
		return a.note.Say(tone, text, 3*stays)
	}
	return a.note.Say(tone, text, stays)
}

// sayError tells an error in one line.
func (a *App) sayError(err error) tea.Cmd { return a.say(paint.Error, err.Error()) }

// failed tells that something went wrong beside the screen that was no work.
type failed struct{ err error }

// done is how work beside the screen ended.
type done struct {
	err  error
	note string
	// then is what follows in the app, after the error or note was told.
	then func(*App) tea.Cmd
}

// work does something beside the screen that Esc cancels. Only one such thing
// runs at a time.
func (a *App) work(what string, do func(context.Context) done) tea.Cmd {
	if a.working != "" {
		return a.say(paint.Error, "wait for: "+a.working)
	}
	ctx, cancel := context.WithCancel(a.ctx)
	a.working, a.cancel = what, cancel
	waiting := tea.Cmd(nil)
	if a.page != nil {
		waiting = a.page.Waiting(what + " (esc cancels)")
	}
	return tea.Batch(waiting, func() tea.Msg { return do(ctx) })
}

// finish takes the end of work.
func (a *App) finish(msg done) tea.Cmd {
	a.working = ""
	if a.cancel != nil {
		a.cancel()
		a.cancel = nil
	}
	var cmds []tea.Cmd
	if a.page != nil {
		cmds = append(cmds, a.page.Waiting(""))
	}
	switch {
	case msg.err != nil:
		cmds = append(cmds, a.sayError(msg.err))
	case msg.note != "":
		cmds = append(cmds, a.say(paint.Accent, msg.note))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then(a))
	}
	return tea.Batch(cmds...)
}
