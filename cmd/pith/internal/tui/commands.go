package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
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
	return c.prepares(what, func(ctx context.Context) done {
		r, err := do(ctx, open)
		switch {
		case err != nil:
			return done{err: err}
		case r.Cancelled:
			return done{note: "canceled"}
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
		return tea.Sequence(c.leave(), opener{c.App}.startSession())
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
		return c.say(paint.Dim, "no name; set one with /name TEXT")
	}
	return c.work("naming", func(ctx context.Context) done {
		before := open.Current().Name()
		if err := open.Agent.SetName(ctx, name); err != nil {
			return done{err: err}
		}
		news := transient.News{Text: "named: " + open.Current().Name(), Undo: func(ctx context.Context) (string, error) {
			if before == "" {
				before = " "
			}
			return "The name is as before", open.Agent.SetName(ctx, before)
		}}
		return done{then: func() tea.Cmd { return c.news.take(news) }}
	})
}

// noModel is the advice if no model has a key.
const noModel = "no models available: set a key such as ANTHROPIC_API_KEY, or log in with pi"

func (c *commands) model(name string) tea.Cmd {
	if name != "" {
		return c.setModel(name)
	}
	names, now := ops.Models(c.chat.open.Agent, c.chat.open.Setup)
	if len(names) == 0 {
		return c.say(paint.Dim, noModel)
	}
	c.choose("Model", "choose", names, max(0, now), func(i int) tea.Cmd { return c.setModel(names[i]) })
	return nil
}

func (c *commands) setModel(name string) tea.Cmd {
	open := c.chat.open
	return c.work("changing the model", func(ctx context.Context) done {
		if err := ops.SetModel(ctx, open.Agent, open.Setup, name); err != nil {
			return done{err: err}
		}
		return done{note: "model: " + name, then: c.reread}
	})
}

// cycleModel switches to the next model that has a key.
func (c *commands) cycleModel() tea.Cmd {
	names, now := ops.Models(c.chat.open.Agent, c.chat.open.Setup)
	if len(names) == 0 {
		return c.say(paint.Dim, noModel)
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
	c.choose("Thinking", "choose", levels, max(0, slices.Index(levels, c.chat.open.Agent.Thinking())), func(i int) tea.Cmd { return c.setThinking(levels[i]) })
	return nil
}

func (c *commands) setThinking(level string) tea.Cmd {
	open := c.chat.open
	return c.work("changing the thinking level", func(ctx context.Context) done {
		if err := ops.SetThinking(ctx, open.Agent, level); err != nil {
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
	c.askYes("Delete", "Move this session to the trash?", "Move to the trash", func() tea.Cmd {
		return c.prepares("deleting", func(ctx context.Context) done {
			if _, err := ops.PlanDelete(ctx, c.c.App, ops.PathParams{Path: file}); err != nil {
				return done{err: err}
			}
			return done{then: func() tea.Cmd { return c.remove(file) }}
		})
	})
	return nil
}

// remove closes the open session and moves it to the trash.
func (c *commands) remove(file string) tea.Cmd {
	return tea.Sequence(c.leave(), c.work("deleting", func(ctx context.Context) done {
		undo, err := c.library.remove(ctx, file)
		if err != nil {
			return done{err: err}
		}
		news := transient.News{Text: "Moved to the trash"}
		if undo != nil {
			news.Undo = func(context.Context) (string, error) { return "Restored the session", undo() }
		}
		return done{then: func() tea.Cmd { return c.news.take(news) }}
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

// label shows or sets a label, depending on the argument.
func (c *commands) label(argument string) tea.Cmd {
	open := c.chat.open
	return c.work("labelling", func(ctx context.Context) done {
		id, err := ops.LabelEntry(ctx, open.Current(), argument)
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
		before := open.Current().View().Label(id)
		if _, err := open.Current().SetLabel(ctx, id, label); err != nil {
			return done{err: err}
		}
		news := transient.News{Text: "Labeled", Undo: func(ctx context.Context) (string, error) {
			_, err := open.Current().SetLabel(ctx, id, before)
			return "The label is as before", err
		}}
		return done{then: func() tea.Cmd { return tea.Batch(c.news.take(news), c.relabelled()) }}
	})
}

func (c *commands) relabelled() tea.Cmd { return tea.Batch(branches{c.App}.renewTree(), c.reread()) }

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
		facts = append(facts, dialog.Fact{Name: " ", About: fmt.Sprintf("%s in %s of %s", cmp.Or(amount.Cost(m.Spent), "none"), humanize.Count(m.Messages, "message"), m.Name)})
	}
	c.tell(&dialog.Sheet{Keys: c.c.Keys, Title: "Session", Left: facts})
}

// do is the handler of a slash command.
type do = func(c *commands, argument string) tea.Cmd

// commandTable returns all commands, in the order of help. It is a function
// because help, which is one of them, lists them.
func commandTable() []slashCommand {
	return []slashCommand{
		{Name: "compact", Arguments: "[instructions]", About: "summarize the older part of the conversation", Do: (*commands).compact},
		{Name: "compare", About: "compare this branch with another one", Do: func(c *commands, _ string) tea.Cmd { return c.act(keys.Compare, c.chat.target()) }},
		{Name: "clone", About: "copy the conversation up to here into a new session", Do: func(c *commands, _ string) tea.Cmd { return c.clone() }},
		{Name: "delete", About: "move this session to the trash", Do: func(c *commands, _ string) tea.Cmd { return c.delete() }},
		{Name: "export", Arguments: "[path]", About: "export as HTML, Markdown or JSONL, with secrets replaced", Do: func(c *commands, path string) tea.Cmd { return c.export("", path) }},
		{Name: "fork", About: "start a new session before one of your messages", Do: func(c *commands, _ string) tea.Cmd { return branches{c.App}.showForks() }},
		{Name: "help", About: "show keys and commands", Do: func(c *commands, _ string) tea.Cmd { return c.showHelp() }},
		{Name: "label", Arguments: "[entry] [text]", About: "show or set the label of an entry (default: the current one); - removes it", Do: (*commands).label},
		{Name: "model", Arguments: "[provider/id]", About: "list the models, or switch to another", Do: (*commands).model},
		{Name: "name", Arguments: "[text]", About: "show or set the name of the session", Do: (*commands).name},
		{Name: "new", About: "start a new session", Do: func(c *commands, _ string) tea.Cmd { return c.newSession() }},
		{Name: "quit", About: "quit", Do: func(c *commands, _ string) tea.Cmd { return c.leaveApp(false) }},
		{Name: "resume", About: "choose another session", Do: func(c *commands, _ string) tea.Cmd { return c.backToList() }},
		{Name: "session", About: "show message counts, tokens and cost", Do: func(c *commands, _ string) tea.Cmd { return c.facts() }},
		{Name: "thinking", Arguments: "[level]", About: "show or set the thinking level", Do: (*commands).thinking},
		{Name: "tree", About: "browse the branches of this session", Do: func(c *commands, _ string) tea.Cmd { return branches{c.App}.showTree("") }},
	}
}

// run runs a slash command.
func (c *commands) run(text string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	if known := find(commandTable(), name); known != nil {
		return known.Do(c, strings.TrimSpace(argument))
	}
	c.chat.editor.set(text)
	return c.say(paint.Error, "unknown command /"+name+"; /help lists them")
}
