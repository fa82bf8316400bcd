package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/slash"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/sessionstats"
	"github.com/pith-sessions/pith/llm"
)

// commands are the operations of an App on the open session, started by a slash
// command, a key, or a choice in the tree.
type commands struct{ *App }

func (c *commands) session() *pith.Session { return c.chat.open.Current() }

// replace replaces the open session by another one, and puts any text to edit
// into the editor.
func (c *commands) replace(what, note string, do func(context.Context, *live.Session) (agent.Replacement, error)) tea.Cmd {
	open := c.chat.open
	c.chat.keepDraft()
	return c.work(what, func(ctx context.Context) done {
		r, err := do(ctx, open)
		switch {
		case err != nil:
			return done{err: err}
		case r.Cancelled:
			return done{note: "cancelled"}
		}
		return done{note: note, then: func() tea.Cmd {
			c.chat.editor.clear()
			if r.EditorText != "" {
				c.chat.editor.set(r.EditorText)
			}
			return tea.Batch(c.chat.refresh(true), c.chat.count())
		}}
	})
}

// newSession starts a new session in the project of the open one. In the demo it
// starts one of the user's own.
func (c *commands) newSession() tea.Cmd {
	if c.library.isDemo(c.session().File()) {
		return tea.Sequence(c.leave(), c.startSession())
	}
	return c.replace("starting a session", "new session", func(ctx context.Context, s *live.Session) (agent.Replacement, error) {
		return s.Agent.New(ctx, agent.NewOptions{})
	})
}

// clone creates a new session from the conversation up to here.
func (c *commands) clone() tea.Cmd {
	if !c.session().Written() {
		return c.say(paint.Error, "nothing to clone: the session has no messages yet")
	}
	return c.replace("cloning", "cloned to a new session", func(ctx context.Context, s *live.Session) (agent.Replacement, error) {
		return s.Agent.Clone(ctx)
	})
}

// cloneAt creates a new session from the conversation up to an entry.
func (c *commands) cloneAt(id string) tea.Cmd {
	return c.replace("cloning", "cloned to a new session", func(ctx context.Context, s *live.Session) (agent.Replacement, error) {
		return s.CloneAt(ctx, id)
	})
}

// forkAt creates a new session that ends before a message.
func (c *commands) forkAt(id string) tea.Cmd {
	return c.replace("forking", "forked to a new session", func(ctx context.Context, s *live.Session) (agent.Replacement, error) {
		return s.Agent.Fork(ctx, id)
	})
}

func (c *commands) name(name string) tea.Cmd {
	open := c.chat.open
	if name == "" {
		if now := c.session().Name(); now != "" {
			return c.say(paint.Accent, "name: "+now)
		}
		return c.say(paint.Muted, "no name; set one with /name TEXT")
	}
	return c.work("naming", func(ctx context.Context) done {
		if err := open.Agent.SetName(ctx, name); err != nil {
			return done{err: err}
		}
		return done{note: "named: " + open.Current().Name()}
	})
}

// noModel is the advice if no model has a key.
const noModel = "no models available: set a key such as ANTHROPIC_API_KEY, or log in with pi"

func (c *commands) model(name string) tea.Cmd {
	if name != "" {
		return c.setModel(name)
	}
	names, _ := slash.Models(c.chat.open.Agent, c.chat.open.Setup)
	if len(names) == 0 {
		return c.say(paint.Muted, noModel)
	}
	c.ask(&dialog.Choice{Title: "Model", Answers: names}, func(i int) tea.Cmd { return c.setModel(names[i]) })
	return nil
}

func (c *commands) setModel(name string) tea.Cmd {
	open := c.chat.open
	return c.work("changing the model", func(ctx context.Context) done {
		if err := slash.SetModel(ctx, open.Agent, open.Setup, name); err != nil {
			return done{err: err}
		}
		return done{note: "model: " + name, then: c.reread}
	})
}

// reread shows what was written to the session.
func (c *commands) reread() tea.Cmd { return tea.Batch(c.chat.refresh(false), c.chat.count()) }

// cycleModel switches to the next model that has a key.
func (c *commands) cycleModel() tea.Cmd {
	names, now := slash.Models(c.chat.open.Agent, c.chat.open.Setup)
	if len(names) == 0 {
		return c.say(paint.Muted, noModel)
	}
	return c.setModel(names[(now+1)%len(names)])
}

// levels returns the thinking levels of the model, or all if there is no model.
func (c *commands) levels() []string {
	if m := c.chat.open.Agent.Model(); m.ID != "" {
		return m.ThinkingLevels()
	}
	return llm.ThinkingLevels
}

func (c *commands) thinking(level string) tea.Cmd {
	if level != "" {
		return c.setThinking(level)
	}
	levels := c.levels()
	c.ask(&dialog.Choice{Title: "Thinking", Answers: levels}, func(i int) tea.Cmd { return c.setThinking(levels[i]) })
	return nil
}

func (c *commands) setThinking(level string) tea.Cmd {
	open := c.chat.open
	return c.work("changing the thinking level", func(ctx context.Context) done {
		if err := slash.SetThinking(ctx, open.Agent, level); err != nil {
			return done{err: err}
		}
		return done{note: "thinking: " + open.Agent.Thinking(), then: c.reread}
	})
}

// cycleThinking switches to the next level.
func (c *commands) cycleThinking() tea.Cmd {
	levels := c.levels()
	now := max(0, slices.Index(levels, c.chat.open.Agent.Thinking()))
	return c.setThinking(levels[(now+1)%len(levels)])
}

// delete moves the open session to the trash, after a confirmation.
func (c *commands) delete() tea.Cmd {
	file := c.session().File()
	if !c.session().Written() {
		return c.say(paint.Error, "nothing to delete: the session has no messages yet")
	}
	c.ask(&dialog.Choice{Title: "Move this session to the trash?", Answers: []string{"No", "Yes"}}, func(answer int) tea.Cmd {
		if answer != 1 {
			return nil
		}
		return c.work("deleting", func(ctx context.Context) done {
			if _, err := ops.PlanRemoval(ctx, c.c.removal(file)); err != nil {
				return done{err: err}
			}
			return done{then: func() tea.Cmd { return c.remove(file) }}
		})
	})
	return nil
}

// remove closes the open session and moves it to the trash.
func (c *commands) remove(file string) tea.Cmd {
	left := c.leave()
	return tea.Sequence(left, c.work("deleting", func(ctx context.Context) done {
		if _, err := ops.Remove(ctx, c.c.removal(file)); err != nil {
			return done{err: err}
		}
		return done{note: "moved to the trash; undo with pith trash restore"}
	}), c.showPicker())
}

// compact summarizes the older part of the conversation.
func (c *commands) compact(instructions string) tea.Cmd {
	open := c.chat.open
	return c.work("compacting", func(ctx context.Context) done {
		r, err := open.Agent.Compact(ctx, instructions)
		switch {
		case errors.Is(err, agent.ErrAborted):
			return done{note: "compaction canceled; nothing changed"}
		case err != nil:
			return done{err: err}
		}
		return done{note: fmt.Sprintf("compacted: %d tokens before, about %d after", r.TokensBefore, r.EstimatedTokensAfter), then: c.reread}
	})
}

// navigate moves to an entry. If its summary is canceled, nothing changes, and
// back is called to show the tree again.
func (c *commands) navigate(to treeview.Navigate, back func() tea.Cmd) tea.Cmd {
	open := c.chat.open
	what := "moving"
	if to.Summarize {
		what = "summarizing the branch"
	}
	return c.work(what, func(ctx context.Context) done {
		n, err := open.Agent.Navigate(ctx, to.EntryID, agent.NavigateOptions{Summarize: to.Summarize, Instructions: to.Instructions})
		switch {
		case errors.Is(err, agent.ErrAborted) || n.Aborted:
			return done{note: "summary canceled; nothing changed", then: back}
		case err != nil:
			return done{err: err}
		case n.Cancelled:
			return done{note: "canceled"}
		}
		return done{note: "moved to the selected entry", then: func() tea.Cmd {
			if n.EditorText != "" && c.chat.editor.blank() {
				c.chat.editor.set(n.EditorText)
			}
			return c.chat.refresh(true)
		}}
	})
}

// label shows or sets a label, depending on the argument.
func (c *commands) label(argument string) tea.Cmd {
	open := c.chat.open
	return c.work("labelling", func(ctx context.Context) done {
		id, err := slash.Label(ctx, open.Current(), argument)
		if err != nil {
			return done{err: err}
		}
		note := "no label"
		if label := open.Current().View().Label(id); label != "" {
			note = "label: " + label
		}
		return done{note: note, then: c.relabelled}
	})
}

// setLabel labels an entry; an empty label clears it.
func (c *commands) setLabel(id, label string) tea.Cmd {
	open := c.chat.open
	return c.work("labelling", func(ctx context.Context) done {
		_, err := open.Current().SetLabel(ctx, id, label)
		return done{err: err, then: c.relabelled}
	})
}

func (c *commands) relabelled() tea.Cmd { return tea.Batch(c.renewTree(), c.reread()) }

// export writes the session, or the path to one of its entries, to a file to
// share.
func (c *commands) export(id, name string) tea.Cmd {
	open := c.chat.open
	e := &exporting{app: c.App, leaf: id, use: func(_ context.Context, do func(*pith.Session) error) error { return do(open.Current()) }}
	return e.begin(name)
}

// facts shows the counts and the cost of the session.
func (c *commands) facts() tea.Cmd {
	return c.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		stats, err := sessionstats.Of(open.Agent)
		return func() tea.Cmd {
			if err != nil {
				return c.sayError(err)
			}
			c.showFacts(&stats)
			return nil
		}
	})
}

func (c *commands) showFacts(st *sessionstats.Stats) {
	file := st.File
	if file == "" || !c.session().Written() {
		file = "not saved yet"
	}
	facts := []dialog.Fact{{Name: "File:", About: humanize.Path(c.c.Home, file)}, {Name: "ID:", About: st.ID}}
	if st.Name != "" {
		facts = append([]dialog.Fact{{Name: "Name:", About: st.Name}}, facts...)
	}
	number := func(n int) string { return humanize.Number(int64(n)) }
	facts = append(facts,
		dialog.Fact{Name: "Messages:", About: fmt.Sprintf("%s (%s user, %s assistant, %s, %s)", number(st.TotalMessages), number(st.UserMessages),
			number(st.AssistantMessages), humanize.Count(st.ToolCalls, "tool call"), humanize.Count(st.ToolResults, "tool result"))},
		dialog.Fact{Name: "Tokens:", About: fmt.Sprintf("%s (%s input, %s output, %s cache read, %s cache write)", humanize.Number(st.Tokens.Total),
			humanize.Number(st.Tokens.Input), humanize.Number(st.Tokens.Output), humanize.Number(st.Tokens.CacheRead), humanize.Number(st.Tokens.CacheWrite))},
		dialog.Fact{Name: "Cost:", About: cmp.Or(amount.Cost(st.Spent), "none")})
	for _, m := range st.ByModel {
		facts = append(facts, dialog.Fact{About: fmt.Sprintf("%s in %s of %s", cmp.Or(amount.Cost(m.Spent), "none"), humanize.Count(m.Messages, "message"), m.Name)})
	}
	c.tell(&dialog.Sheet{Title: "Session", Facts: facts})
}
