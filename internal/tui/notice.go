package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/internal/tui/look"
)

// A notice is a line of news that goes away.
type notice struct {
	text string
	tone look.Tone
	turn int
}

type noticeOver struct{ turn int }

// stays is how long a notice is shown; an error longer.
const stays = 4 * time.Second

// say shows a line of news.
func (a *App) say(tone look.Tone, text string) tea.Cmd {
	a.note.turn++
	a.note.text, a.note.tone = text, tone
	turn, wait := a.note.turn, stays
	if tone == look.Error {
		wait = 3 * stays
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return noticeOver{turn} })
}

// sayError tells an error in one line.
func (a *App) sayError(err error) tea.Cmd { return a.say(look.Error, err.Error()) }

func (n *notice) over(msg noticeOver) {
	if msg.turn == n.turn {
		n.text = ""
	}
}

// done is how work beside the screen ended.
type done struct {
	err  error
	note string
	// then is what follows in the app, after the error or note was told.
	then func(*App) tea.Cmd
}

// work does something beside the screen that Esc cancels. Only one such thing
// runs at a time.
func (a *App) work(what string, do func(ctxDone) done) tea.Cmd {
	if a.working != "" {
		return a.say(look.Error, "wait for: "+a.working)
	}
	ctx, cancel := a.child()
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
		cmds = append(cmds, a.say(look.Accent, msg.note))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then(a))
	}
	return tea.Batch(cmds...)
}
