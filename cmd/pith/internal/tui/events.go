package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/sessionstats"
	"github.com/pith-sessions/pith/llm"
)

// happened is an event of the shown conversation.
type happened struct {
	open  *live.Session
	event agent.Event
}

func (c *chat) takeEvent(msg happened) tea.Cmd {
	if msg.open != c.open || c.page == nil {
		return nil
	}
	switch e := msg.event.(type) {
	case *agent.AgentStart:
		c.running = true
		return c.page.Waiting("working (esc to interrupt)")
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
		return c.page.Waiting("compacting (esc to cancel)")
	case *agent.CompactionEnd:
		return c.takeCompaction(e)
	case *agent.QueueChanged:
		c.editor.queued = append(append([]string{}, e.Steering...), e.FollowUp...)
		return nil
	case *agent.Settled:
		return c.settle(e)
	}
	return c.takeNews(msg.event)
}

// takeNews shows the events that take one line.
func (c *chat) takeNews(event agent.Event) tea.Cmd {
	switch e := event.(type) {
	case *agent.Switched:
		return c.refresh(true)
	case *agent.Conflict:
		return tea.Batch(c.host.say(paint.Warning, "another process wrote to this session"), c.refresh(!e.Followed))
	case *agent.Problem:
		return c.host.sayError(e.Err)
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
		waiting = "working (esc to interrupt)"
	}
	cmds := []tea.Cmd{c.page.Waiting(waiting)}
	switch {
	case e.Result != nil:
		cmds = append(cmds, c.refresh(false))
	case e.Aborted:
		cmds = append(cmds, c.host.say(paint.Muted, "compaction canceled"))
	case e.Err != nil && e.Reason != agent.ReasonManual: // an error of /compact is reported by its command
		cmds = append(cmds, c.host.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

func (c *chat) settle(e *agent.Settled) tea.Cmd {
	c.running = false
	c.page.EndLive()
	cmds := []tea.Cmd{c.page.Waiting(""), c.refresh(false), c.count()}
	switch {
	case e.Aborted:
		cmds = append(cmds, c.host.say(paint.Muted, "interrupted"))
	case e.Err != nil:
		cmds = append(cmds, c.host.sayError(e.Err))
	}
	return tea.Batch(cmds...)
}

// refreshed is the session after something was written to it.
type refreshed struct {
	open   *live.Session
	source *live.Turns
	// newPath means that another path is shown now.
	newPath bool
	err     error
}

// refresh reads the current path of the session in the background.
func (c *chat) refresh(newPath bool) tea.Cmd {
	open := c.open
	if open == nil {
		return nil
	}
	if newPath {
		c.branch = ""
	}
	branch := c.branch
	return func() tea.Msg {
		source, err := open.Turns(branch)
		return refreshed{open, source, newPath, err}
	}
}

func (c *chat) takeRefreshed(msg refreshed) tea.Cmd {
	if msg.open != c.open || c.page == nil {
		return nil
	}
	if msg.err != nil {
		return c.host.sayError(msg.err)
	}
	c.turns = msg.source
	again := c.readContents()
	if msg.newPath {
		return tea.Batch(c.page.Restart(msg.source, msg.source.Len()), again)
	}
	return tea.Batch(c.page.SetSource(msg.source, msg.source.Len()), again)
}

// counted contains the counts of the shown session.
type counted struct {
	open  *live.Session
	stats sessionstats.Stats
	err   error
}

// count computes the counts and the cost of the session. It reads all of it in
// the background, one run at a time, however often something is written.
func (c *chat) count() tea.Cmd {
	open := c.open
	if open == nil {
		return nil
	}
	if c.counting {
		c.stale = true
		return nil
	}
	c.counting, c.stale = true, false
	return func() tea.Msg {
		stats, err := sessionstats.Of(open.Agent)
		return counted{open, stats, err}
	}
}

// countLater is the time for which a session is shown before it is counted:
// reading all of it immediately would slow down the screen.
const countLater = 300 * time.Millisecond

type countDue struct{ open *live.Session }

// countSoon starts counting when the session has been shown for a moment.
func (c *chat) countSoon() tea.Cmd {
	open := c.open
	return tea.Tick(countLater, func(time.Time) tea.Msg { return countDue{open} })
}

func (c *chat) takeCountDue(msg countDue) tea.Cmd {
	if msg.open != c.open {
		return nil
	}
	return c.count()
}

func (c *chat) takeCounted(msg counted) tea.Cmd {
	if msg.open != c.open {
		return nil
	}
	c.counting = false
	if msg.err == nil {
		c.stats = &msg.stats
	}
	if c.stale {
		return c.count()
	}
	return nil
}
