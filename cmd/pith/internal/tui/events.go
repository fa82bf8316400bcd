package tui

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/llm"
)

// takeEvent shows an event of the conversation in a session.
func (c *chat) takeEvent(open *live.Session, event agent.Event) tea.Cmd {
	if open != c.open {
		return nil
	}
	switch e := event.(type) {
	case *agent.AgentStart:
		c.running = true
		return c.page.Waiting("working, esc stops")
	case *agent.MessageUpdate:
		return c.takePiece(e.Piece)
	case *agent.MessageEnd:
		c.page.EndLive()
		return tea.Batch(c.refresh(false), c.count())
	case *agent.ToolProgress:
		if e.Output != nil {
			return nil
		}
		return tea.Batch(c.page.Begin(conversation.LiveTool, e.Call.Name), c.page.Grow(string(e.Call.Arguments)))
	case *agent.RetryStart:
		if e.Summary {
			return nil
		}
		c.page.EndLive()
		return c.page.Waiting(fmt.Sprintf("request failed, retry %d in %s: %v", e.Attempt, e.Delay, e.Err))
	case *agent.CompactionStart:
		return c.page.Waiting("compacting, esc cancels")
	case *agent.CompactionEnd:
		return c.takeCompaction(e)
	case *agent.QueueChanged:
		c.editor.queued = append(append([]string{}, e.Steering...), e.FollowUp...)
		return nil
	case *agent.Settled:
		return c.settle(e)
	case *agent.Switched:
		return c.refresh(true)
	case *agent.Conflict:
		return tea.Batch(c.app.say(paint.Warning, "another process wrote to this session"), c.refresh(!e.Followed))
	case *agent.Problem:
		return c.app.sayError(e.Err)
	}
	return nil
}

func (c *chat) takePiece(p llm.Event) tea.Cmd {
	switch p.Kind {
	case llm.Start:
		c.page.EndLive()
	case llm.TextStart:
		return c.page.Begin(conversation.LiveText, "")
	case llm.ThinkingStart:
		return c.page.Begin(conversation.LiveThinking, "")
	case llm.ToolCallStart:
		return c.page.Begin(conversation.LiveTool, p.ToolName)
	case llm.TextDelta, llm.ThinkingDelta, llm.ToolCallDelta:
		return c.page.Grow(p.Delta)
	}
	return nil
}

func (c *chat) takeCompaction(e *agent.CompactionEnd) tea.Cmd {
	waiting := ""
	if c.running {
		waiting = "working, esc stops"
	}
	cmds := []tea.Cmd{c.page.Waiting(waiting)}
	switch {
	case e.Result != nil:
		cmds = append(cmds, c.refresh(false))
	case e.Aborted:
		cmds = append(cmds, c.app.say(paint.Dim, "compaction canceled"))
	case e.Err != nil && e.Reason != agent.ReasonManual: // an error of /compact is reported by its command
		cmds = append(cmds, c.app.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

func (c *chat) settle(e *agent.Settled) tea.Cmd {
	c.running = false
	c.page.EndLive()
	cmds := []tea.Cmd{c.page.Waiting(""), c.refresh(false), c.count()}
	switch {
	case e.Aborted:
		cmds = append(cmds, c.app.say(paint.Dim, "interrupted"))
	case e.Err != nil:
		cmds = append(cmds, c.app.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

// read runs do in the background. The function that do returns is called if the
// session is still shown then.
func (c *chat) read(do func(ctx context.Context, open *live.Session) transient.Then) tea.Cmd {
	if c.open == nil {
		return nil
	}
	return c.app.background.command(c.with(do))
}

// with returns a function for the background about the open session. What it returns is
// called if the session is still shown then.
func (c *chat) with(do func(ctx context.Context, open *live.Session) transient.Then) func(context.Context) transient.Then {
	open := c.open
	return func(ctx context.Context) transient.Then {
		then := do(ctx, open)
		return func() tea.Cmd {
			if open != c.open {
				return nil
			}
			return then()
		}
	}
}

// refresh reads the current path of the session in the background. newPath
// means that another path is shown now.
func (c *chat) refresh(newPath bool) tea.Cmd {
	if newPath {
		c.branch = ""
	}
	branch := c.branch
	return c.read(func(ctx context.Context, open *live.Session) transient.Then {
		source, err := open.Turns(branch)
		return func() tea.Cmd {
			if err != nil {
				return c.app.sayError(err)
			}
			grown := source.Entries() - c.turns.Entries()
			c.turns = source
			if newPath {
				return tea.Batch(c.page.Restart(source, source.Len()), c.readForks())
			}
			return tea.Batch(c.page.SetSource(source, source.Len(), max(0, grown)), c.readForks())
		}
	})
}

// readForks reads where other branches continue.
func (c *chat) readForks() tea.Cmd {
	branch := c.branch
	return c.read(func(ctx context.Context, open *live.Session) transient.Then {
		forks, err := open.Forks(ctx, branch)
		return func() tea.Cmd {
			switch {
			case branch != c.branch:
				return nil
			case err != nil:
				forks = blocks.Forks{}
			}
			c.forks = forks
			return c.page.SetForks(forks)
		}
	})
}

// count computes the counts and the cost of the session. It reads all of it in
// the background, one run at a time, however often something is written.
func (c *chat) count() tea.Cmd {
	if c.counting {
		c.stale = true
		return nil
	}
	c.counting, c.stale = c.open != nil, false
	turns := c.turns
	return c.read(func(ctx context.Context, open *live.Session) transient.Then {
		facts, err := open.Facts(ctx, turns)
		return func() tea.Cmd {
			c.counting = false
			if err == nil {
				c.facts = facts
			}
			if c.stale {
				return c.count()
			}
			return nil
		}
	})
}

// countLater is the time for which a session is shown before it is counted:
// reading all of it immediately would slow down the screen.
const countLater = 300 * time.Millisecond

// countSoon starts counting when the session has been shown for a moment.
func (c *chat) countSoon() tea.Cmd {
	open := c.open
	return tea.Tick(countLater, func(time.Time) tea.Msg {
		return transient.Then(func() tea.Cmd {
			if open != c.open {
				return nil
			}
			return c.count()
		})
	})
}
