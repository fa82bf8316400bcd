package tui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/llm"
)

// happened is an event of the conversation that is shown.
type happened struct {
	open  *opened
	event agent.Event
}

// prompt says something to the model. While it works, what is said steers it, or
// waits until it has nothing more to do.
func (a *App) prompt(text string, later bool) tea.Cmd {
	o := a.open
	if o.live.Client() == nil {
		a.editor.set(text)
		return a.say(paint.Warning, "no model is configured: /model chooses one, esc then o opens the session in "+a.agentName())
	}
	if o.live.Busy() != agent.Idle {
		queue := o.live.Steer
		if later {
			queue = o.live.FollowUp
		}
		if err := queue(text); err != nil {
			a.editor.set(text)
			return a.sayError(err)
		}
		return nil
	}
	return func() tea.Msg {
		err := o.live.Prompt(a.ctx, text)
		if errors.Is(err, agent.ErrBusy) { // something began in the meantime
			err = o.live.FollowUp(text)
		}
		if err == nil || errors.Is(err, agent.ErrAborted) || a.ctx.Err() != nil {
			return nil // events have told
		}
		return failed{err}
	}
}

// takeEvent shows what happens in the conversation.
func (a *App) takeEvent(msg happened) tea.Cmd {
	if msg.open != a.open || a.page == nil {
		return nil
	}
	switch e := msg.event.(type) {
	case *agent.AgentStart:
		a.open.running = true
		return a.page.Waiting("working (esc interrupts)")
	case *agent.MessageUpdate:
		return a.takePiece(e.Piece)
	case *agent.MessageEnd:
		a.page.EndLive()
		return a.refresh(false)
	case *agent.ToolStart:
		return tea.Batch(a.page.Begin(conversation.LiveTool, e.Call.Name), a.page.Grow(string(e.Call.Arguments)))
	case *agent.RetryStart:
		a.page.EndLive()
		return a.page.Waiting(fmt.Sprintf("the request failed, attempt %d follows in %s: %v", e.Attempt, e.Delay, e.Err))
	case *agent.CompactionStart:
		return a.page.Waiting("compacting (esc cancels)")
	case *agent.CompactionEnd:
		return a.takeCompaction(e)
	case *agent.QueueChanged:
		a.editor.queued = append(append([]string{}, e.Steering...), e.FollowUp...)
		return nil
	case *agent.Settled:
		return a.settle(e)
	}
	return a.takeNews(msg.event)
}

// takeNews shows the events that are told in a line.
func (a *App) takeNews(event agent.Event) tea.Cmd {
	switch e := event.(type) {
	case *agent.Switched:
		return a.refresh(true)
	case *agent.Conflict:
		return tea.Batch(a.say(paint.Warning, "others have written to this session meanwhile"), a.refresh(!e.Followed))
	case *agent.HookFailed:
		return a.say(paint.Error, "a hook failed: "+e.Err.Error())
	case *agent.Problem:
		return a.sayError(e.Err)
	}
	return nil
}

// takePiece shows a piece of an answer.
func (a *App) takePiece(p llm.Event) tea.Cmd {
	switch p.Kind {
	case llm.Start:
		a.page.EndLive()
	case llm.TextStart:
		return a.page.Begin(conversation.LiveText, "")
	case llm.ThinkingStart:
		return a.page.Begin(conversation.LiveThinking, "")
	case llm.ToolCallStart:
		return a.page.Begin(conversation.LiveTool, p.ToolName)
	case llm.TextDelta, llm.ThinkingDelta, llm.ToolCallDelta:
		return a.page.Grow(p.Delta)
	}
	return nil
}

func (a *App) takeCompaction(e *agent.CompactionEnd) tea.Cmd {
	waiting := ""
	if a.open.running {
		waiting = "working (esc interrupts)"
	}
	cmds := []tea.Cmd{a.page.Waiting(waiting)}
	switch {
	case e.Result != nil:
		cmds = append(cmds, a.refresh(false))
	case e.Aborted:
		cmds = append(cmds, a.say(paint.Muted, "compaction cancelled"))
	case e.Err != nil && e.Reason != agent.Manual: // that of /compact is told by its command
		cmds = append(cmds, a.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

func (a *App) settle(e *agent.Settled) tea.Cmd {
	a.open.running = false
	a.page.EndLive()
	cmds := []tea.Cmd{a.page.Waiting(""), a.refresh(false), a.count()}
	switch {
	case e.Aborted:
		cmds = append(cmds, a.say(paint.Muted, "interrupted"))
	case e.Err != nil:
		cmds = append(cmds, a.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

// interrupt ends what is going on. It reports whether anything was.
func (a *App) interrupt() bool {
	if a.working != "" && a.cancel != nil {
		a.cancel()
		return true
	}
	if a.open != nil && a.open.live.Busy() != agent.Idle {
		a.open.live.Abort()
		return true
	}
	return false
}

// compact summarises the older part of the conversation.
func (a *App) compact(instructions string) tea.Cmd {
	o := a.open
	return a.work("compacting", func(ctx context.Context) done {
		c, err := o.live.Compact(ctx, instructions)
		switch {
		case errors.Is(err, agent.ErrAborted):
			return done{note: "compaction cancelled: nothing has changed"}
		case err != nil:
			return done{err: err}
		}
		return done{
			note: fmt.Sprintf("compacted: %d tokens before, about %d after", c.TokensBefore, c.EstimatedTokensAfter),
			then: func(a *App) tea.Cmd { return a.refresh(false) },
		}
	})
}
