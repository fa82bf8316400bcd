package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// tasks are operations that the user waits for, one at a time, and cancels with
// Esc.
type tasks struct {
	background *background
	news       *news
	waiting    func(status string) tea.Cmd // shows what the app is waiting for

	what   string // the running task, or ""
	cancel context.CancelFunc
}

// done is the result of a task.
type done struct {
	err  error
	note string
	// then is called after the error or note was shown.
	then func() tea.Cmd
}

func (t *tasks) work(what string, do func(context.Context) done) tea.Cmd {
	if t.what != "" {
		return t.news.say(paint.Error, "wait for: "+t.what)
	}
	ctx, cancel := t.background.within()
	t.what, t.cancel = what, cancel
	return tea.Batch(t.waiting(what+", esc cancels"), func() tea.Msg {
		result := do(ctx)
		return transient.Then(func() tea.Cmd { return t.finish(result) })
	})
}

// interrupt cancels the task. It reports whether there was one.
func (t *tasks) interrupt() bool {
	if t.what == "" {
		return false
	}
	t.cancel()
	return true
}

func (t *tasks) finish(msg done) tea.Cmd {
	t.what = ""
	t.cancel()
	cmds := []tea.Cmd{t.waiting("")}
	switch {
	case msg.err != nil:
		cmds = append(cmds, t.news.sayError(msg.err))
	case msg.note != "":
		cmds = append(cmds, t.news.say(paint.Plain, msg.note))
	}
	if msg.then != nil {
		cmds = append(cmds, msg.then())
	}
	return tea.Batch(cmds...)
}
