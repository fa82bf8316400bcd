package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/housekeeping/trash"
)

// replaced tells that another session is shown now, with what is to be edited.
func replaced(note string, r agent.Replacement) done {
	if r.Cancelled {
		return done{note: "cancelled"}
	}
	return done{note: note, then: func(a *App) tea.Cmd {
		a.editor.clear()
		if r.EditorText != "" {
			a.editor.set(r.EditorText)
		}
		return tea.Batch(a.refresh(true), a.count())
	}}
}

// newSession begins a new session.
func (a *App) newSession() tea.Cmd {
	o := a.open
	return a.work("beginning a session", func(ctx context.Context) done {
		r, err := o.live.New(ctx, agent.NewOptions{})
		if err != nil {
			return done{err: err}
		}
		return replaced("a new session", r)
	})
}

// clone makes a new session of the conversation up to here.
func (a *App) clone() tea.Cmd {
	o := a.open
	if !o.session().Written() {
		return a.say(paint.Error, "this session is not saved yet: there is nothing to clone")
	}
	return a.work("cloning", func(ctx context.Context) done {
		r, err := o.live.Clone(ctx)
		if err != nil {
			return done{err: err}
		}
		return replaced("cloned to a new session", r)
	})
}

// cloneAt makes a new session of the conversation up to an entry.
func (a *App) cloneAt(id string) tea.Cmd {
	a.closeTree()
	o := a.open
	return a.work("cloning", func(ctx context.Context) done {
		extracted, err := o.session().Extract(id)
		if err != nil {
			return done{err: err}
		}
		file := extracted.File()
		if err := extracted.Close(); err != nil {
			return done{err: err}
		}
		if !extracted.Written() {
			return done{err: errNothingSaid}
		}
		r, err := o.live.Switch(ctx, file)
		if err != nil {
			return done{err: err}
		}
		return replaced("cloned to a new session", r)
	})
}

// forkAt makes a new session that ends before a message.
func (a *App) forkAt(id string) tea.Cmd {
	a.closeTree()
	o := a.open
	return a.work("forking", func(ctx context.Context) done {
		r, err := o.live.Fork(ctx, id)
		if err != nil {
			return done{err: err}
		}
		return replaced("forked to a new session", r)
	})
}

func (a *App) nameCommand(name string) tea.Cmd {
	o := a.open
	if name == "" {
		if now := o.session().Name(); now != "" {
			return a.say(paint.Accent, "name: "+now)
		}
		return a.say(paint.Muted, "no name; /name TEXT gives one")
	}
	return a.work("naming", func(context.Context) done {
		if err := o.live.SetName(name); err != nil {
			return done{err: err}
		}
		return done{note: "named: " + o.session().Name()}
	})
}

// noModel says what to do where no model has a key.
const noModel = "no model can be asked: set a key such as ANTHROPIC_API_KEY, or log in with pi"

func (a *App) modelCommand(name string) tea.Cmd {
	o := a.open
	if name == "" {
		var names []string
		for _, m := range o.setup.Models.Models() {
			names = append(names, m.Provider+"/"+m.ID)
		}
		if len(names) == 0 {
			return a.say(paint.Muted, noModel)
		}
		a.ask("Model", names, func(a *App, i int) tea.Cmd { return a.setModel(names[i]) })
		return nil
	}
	return a.setModel(name)
}

func (a *App) setModel(name string) tea.Cmd {
	o := a.open
	return a.work("choosing the model", func(context.Context) done {
		client, err := o.setup.Models.Client(name)
		if err == nil {
			err = o.live.SetModel(client)
		}
		if err != nil {
			return done{err: err}
		}
		return done{note: "model: " + name, then: func(a *App) tea.Cmd { return a.refresh(false) }}
	})
}

// cycleModel goes to the next model for which there is a key.
func (a *App) cycleModel() tea.Cmd {
	models := a.open.setup.Models.Models()
	if len(models) == 0 {
		return a.say(paint.Muted, noModel)
	}
	next := 0
	for i, m := range models {
		if now := a.open.live.Model(); m.Provider == now.Provider && m.ID == now.ID {
			next = (i + 1) % len(models)
		}
	}
	return a.setModel(models[next].Provider + "/" + models[next].ID)
}

var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

func (a *App) thinkingCommand(level string) tea.Cmd {
	if level == "" {
		a.ask("Thinking", thinkingLevels, func(a *App, i int) tea.Cmd { return a.setThinking(thinkingLevels[i]) })
		return nil
	}
	return a.setThinking(level)
}

func (a *App) setThinking(level string) tea.Cmd {
	if !slices.Contains(thinkingLevels, level) {
		return a.say(paint.Error, "levels of thinking are "+strings.Join(thinkingLevels, ", "))
	}
	o := a.open
	return a.work("choosing how much to think", func(context.Context) done {
		if err := o.live.SetThinking(level); err != nil {
			return done{err: err}
		}
		return done{note: "thinking: " + level, then: func(a *App) tea.Cmd { return a.refresh(false) }}
	})
}

// deleteOpen moves the session that is shown to the trash, after a question.
func (a *App) deleteOpen() tea.Cmd {
	file := a.open.session().File()
	if !a.open.session().Written() {
		return a.say(paint.Error, "this session is not saved yet: there is nothing to delete")
	}
	a.ask("Move this session to the trash?", []string{"No", "Yes"}, func(a *App, answer int) tea.Cmd {
		if answer != 1 {
			return nil
		}
		left := a.leave()
		into := a.c.Trash
		return tea.Sequence(left, a.work("deleting", func(context.Context) done {
			if _, err := trash.PutSession(file, into); err != nil {
				return done{err: err}
			}
			return done{note: "moved to the trash; pith restore brings it back"}
		}), a.showPicker())
	})
	return nil
}
