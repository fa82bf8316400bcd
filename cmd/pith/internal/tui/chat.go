package tui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/contents"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/sessionstats"
)

// A chat is the screen of the open session: its conversation, the editor below
// it, and the footer.
type chat struct {
	app *App

	open   *live.Session       // nil if none is open
	branch string              // the end of the branch that is shown; "" for the leaf
	page   *conversation.Model // nil if no session is open
	turns  *live.Turns         // of the page
	// contents is the list of turns next to the page; nil if it is not shown.
	contents *contents.Model
	editor   editor
	drafts   map[string]string // the unsent text of sessions that were left, by ID
	gone     string            // the working directory, if it does not exist

	running  bool                // the model is working
	stats    *sessionstats.Stats // nil until they are computed
	counting bool                // they are being computed
	stale    bool                // something was written meanwhile
	escaped  time.Time           // when Esc was last pressed without anything to end

	width, height int
	fitted        tea.WindowSizeMsg // the size of the page
}

// begin shows a session, at its end.
func (c *chat) begin(open *live.Session, source *live.Turns) tea.Cmd {
	c.open, c.branch, c.gone, c.running, c.stats, c.counting = open, "", "", false, nil, false
	c.turns, c.contents = source, nil
	c.editor.clear()
	if draft := c.drafts[open.Current().ID()]; draft != "" {
		c.editor.set(draft)
	}
	c.editor.reading = open.Agent.Model().ID == ""
	c.page = conversation.New(source, conversation.Options{Keys: c.app.c.Keys, Len: source.Len(), Home: c.app.c.Home})
	c.fitted = tea.WindowSizeMsg{}
	return tea.Sequence(c.fit(), c.page.Init())
}

// end detaches the session and returns it, or nil if none was open.
func (c *chat) end() *live.Session {
	open := c.open
	c.keepDraft()
	c.open, c.turns, c.contents = nil, nil, nil
	if c.page != nil {
		c.page.Close()
		c.page = nil
	}
	return open
}

// keepDraft remembers the text in the editor for the open session.
func (c *chat) keepDraft() {
	if c.open == nil {
		return
	}
	id := c.open.Current().ID()
	delete(c.drafts, id)
	if !c.editor.blank() {
		c.drafts[id] = c.editor.value()
	}
}

func (c *chat) resize(width, height int) tea.Cmd {
	c.width, c.height = width, height
	c.editor.resize(width, c.low(), height)
	return c.fit()
}

// fit gives the page the size that the other parts leave, which depends on the
// text in the editor, if it changed.
func (c *chat) fit() tea.Cmd {
	size := tea.WindowSizeMsg{Width: c.pageWidth(), Height: c.pageHeight()}
	if c.page == nil || size == c.fitted {
		return nil
	}
	c.fitted = size
	return c.page.Update(size)
}

// footerLines is the number of lines of the news and the footer. A low window has one
// line for both, so that it shows a few lines of the conversation.
const (
	footerLines = 3
	lowHeight   = 12
)

// low reports whether the window is too low for the footer and rules.
func (c *chat) low() bool { return c.height < lowHeight }

func (c *chat) pageHeight() int {
	around := footerLines + c.editor.height()
	if c.low() {
		around = 1
		if !c.editor.reading {
			around += c.editor.text.Height()
		}
	}
	return max(1, c.height-around)
}

// update passes a message to the conversation and the editor: each handles its
// own.
func (c *chat) update(msg tea.Msg) tea.Cmd {
	if c.page == nil {
		return c.editor.update(msg)
	}
	return tea.Batch(c.page.Update(msg), c.editor.update(msg))
}

// view draws the screen, with the news line above the editor.
func (c *chat) view(t *paint.Theme, news string) string {
	lines := c.pageLines(t)
	if list := c.suggestions(t); len(list) > 0 {
		lines = append(lines[:max(0, len(lines)-len(list))], list[max(0, len(list)-len(lines)):]...)
	}
	if c.low() {
		if !c.editor.reading {
			lines = append(lines, c.editor.lines()...)
		}
		return paint.Block(c.height, append(lines, cmp.Or(news, c.editor.hint(t, c.width, c.app.c.agentName())))...)
	}
	lines = append(lines, news)
	lines = append(lines, c.editor.view(t, c.width, c.app.c.agentName())...)
	return paint.Block(c.height, append(lines, c.footer(t)...)...)
}

// suggestions returns the commands that match the text in the editor, one per
// line, while a command is being typed.
func (c *chat) suggestions(t *paint.Theme) []string {
	if c.editor.reading {
		return nil
	}
	var lines []string
	for _, known := range commandTable().Fitting(c.editor.value()) {
		name := termsafe.Pad(known.Usage(), 24)
		lines = append(lines, t.Line(c.width, paint.Span{Tone: paint.Accent, Text: "  " + name}, paint.Span{Tone: paint.Muted, Text: known.About}))
	}
	return lines
}

// waiting shows what the app is waiting for; "" shows nothing.
func (c *chat) waiting(status string) tea.Cmd {
	if c.page == nil {
		return nil
	}
	return c.page.Waiting(status)
}

func (c *chat) is(p tea.KeyPressMsg, action keys.Action) bool { return c.app.c.Keys.Is(p, action) }

func (c *chat) press(p tea.KeyPressMsg) tea.Cmd {
	switch c.app.c.Keys.First(p, keys.Interrupt, keys.Suspend, keys.SessionNew, keys.SessionTree, keys.SessionFork, keys.SessionResume) {
	case keys.Interrupt:
		return c.escape()
	case keys.Suspend:
		return tea.Suspend
	case keys.SessionNew:
		return c.app.commands.newSession()
	case keys.SessionTree:
		return c.app.showTree("")
	case keys.SessionFork:
		return c.app.showForks()
	case keys.SessionResume:
		return c.app.showPicker()
	}
	if c.editor.reading || c.page.Searching() {
		return c.pressReading(p)
	}
	return c.pressWriting(p)
}

// doubleTap is the time within which Esc must be pressed again to count as
// twice.
const doubleTap = 500 * time.Millisecond

// escape interrupts running work, ends a search, switches from writing to
// reading, and from reading back to the list. Twice in a row without a text shows
// the tree, or the view in the settings, as in pi.
func (c *chat) escape() tea.Cmd {
	twice := c.app.c.now().Sub(c.escaped) < doubleTap
	c.escaped = time.Time{}
	double := c.open.Setup.Settings.DoubleEscape
	switch {
	case c.interrupt():
		return nil
	case c.page.EndSearch():
		return nil
	case c.contents != nil:
		return c.toggleContents()
	case twice && double == "fork":
		return c.app.showForks()
	case twice && double != "none":
		return c.app.showTree("")
	case !c.editor.reading && !c.editor.blank():
		c.editor.reading = true // the text stays as a draft
		return nil
	}
	c.escaped = c.app.c.now()
	if !c.editor.reading {
		c.editor.reading = true
		return nil
	}
	at := c.escaped
	return tea.Tick(doubleTap, func(time.Time) tea.Msg {
		return transient.Then(func() tea.Cmd {
			if c.open == nil || !c.escaped.Equal(at) {
				return nil // another key was pressed
			}
			c.escaped = time.Time{}
			return tea.Batch(c.app.leave(), c.app.showPicker())
		})
	})
}

// twice returns a description of what pressing Esc twice does.
func (c *chat) twice() string {
	if c.open == nil {
		return "the tree"
	}
	switch c.open.Setup.Settings.DoubleEscape {
	case "fork":
		return "fork"
	case "none":
		return "nothing"
	}
	return "the tree"
}

// interrupt ends running work. It reports whether there was any.
func (c *chat) interrupt() bool {
	if c.app.interrupt() {
		return true
	}
	if c.open == nil || c.open.Agent.Busy() == agent.ActivityIdle {
		return false
	}
	c.open.Agent.Abort()
	return true
}

// pressReading handles a key while the conversation is read.
func (c *chat) pressReading(p tea.KeyPressMsg) tea.Cmd {
	if c.page.Searching() {
		return c.page.Update(p)
	}
	if c.contents != nil {
		if cmd, taken := c.pressContents(p); taken {
			return cmd
		}
	}
	switch {
	case c.is(p, keys.Help):
		return c.app.showHelp()
	case p.Text == "c":
		return c.toggleContents()
	case c.is(p, keys.ExportHere):
		return c.app.commands.export("", "")
	case c.is(p, keys.Handover):
		return c.app.openInAgent()
	case p.Text == "i" || p.Text == ":":
		c.editor.reading = false
		if p.Text == ":" {
			c.editor.set("/")
		}
		return nil
	case p.Text == "t":
		return c.app.showTree("")
	case p.Text == "r":
		return c.app.showPicker()
	case p.Text == "q", c.is(p, keys.Clear), c.is(p, keys.Exit):
		return c.quit()
	}
	return c.page.Update(p)
}

// quit leaves the app. If the editor has a text, it asks first.
func (c *chat) quit() tea.Cmd {
	if c.editor.blank() {
		return c.app.leaveApp(false)
	}
	c.app.ask(&dialog.Choice{Title: "Quit and discard the unsent text?", Answers: []string{"No", "Yes"}}, func(answer int) tea.Cmd {
		if answer == 0 {
			return nil
		}
		return c.app.leaveApp(false)
	})
	return nil
}

// pageKeys are passed to the conversation even while text is typed.
var pageKeys = []keys.Action{
	keys.ScrollPageUp, keys.ScrollPageDown, keys.PreviousPrompt, keys.NextPrompt, keys.ToolsExpand, keys.ThinkingToggle,
	keys.MessageCopy, keys.SearchOpen,
}

// pressWriting handles a key while text is typed.
func (c *chat) pressWriting(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case c.is(p, keys.InputNewLine):
		c.editor.text.InsertString("\n")
	case c.is(p, keys.FollowUp):
		return c.submit(true)
	case c.is(p, keys.InputSubmit):
		return c.submit(false)
	case c.is(p, keys.Dequeue):
		return c.takeBack()
	case c.is(p, keys.InputTab):
		return c.app.commands.complete()
	case c.is(p, keys.ThinkingCycle):
		return c.app.commands.cycleThinking()
	case c.is(p, keys.ModelNext):
		return c.app.commands.cycleModel()
	case c.is(p, keys.ExternalEditor):
		return c.app.editOutside()
	case c.is(p, keys.Clear):
		if c.editor.blank() {
			return c.app.leaveApp(false)
		}
		c.editor.clear()
	case c.is(p, keys.Exit) && c.editor.blank():
		return c.app.leaveApp(false)
	case c.app.c.Keys.First(p, pageKeys...) != "":
		return c.page.Update(p)
	default:
		return c.editor.update(p)
	}
	return nil
}

// point handles mouse events and pastes.
func (c *chat) point(msg tea.Msg) tea.Cmd {
	if pasted, ok := msg.(tea.PasteMsg); ok && !c.page.Searching() {
		c.editor.reading = false
		return c.editor.paste(pasted.Content)
	}
	if click, ok := msg.(tea.MouseClickMsg); ok && c.contents != nil && (c.paneWidth() == 0 || click.X >= c.pageWidth()) {
		return nil // the contents have keys only
	}
	return c.page.Update(msg)
}

// submit executes the text in the editor: a command, or a message for the
// model.
func (c *chat) submit(later bool) tea.Cmd {
	text := strings.TrimSpace(c.editor.value())
	if text == "" {
		return nil
	}
	c.editor.clear()
	if strings.HasPrefix(text, "/") && !strings.Contains(text, "\n") {
		return c.app.commands.run(text)
	}
	return tea.Batch(c.page.Follow(), c.prompt(text, later))
}

// takeBack moves the queued messages back into the editor.
func (c *chat) takeBack() tea.Cmd {
	steering, later := c.open.Agent.ClearQueue()
	if all := append(steering, later...); len(all) > 0 {
		c.editor.set(strings.TrimSpace(strings.Join(append(all, c.editor.value()), "\n\n")))
		return nil
	}
	return c.app.say(paint.Muted, "no queued messages")
}

// prompt sends a message to the model. While the model is working, the message
// steers it, or waits until it is done.
func (c *chat) prompt(text string, later bool) tea.Cmd {
	conv := c.open.Agent
	if err := c.open.Current().Writable(); err != nil {
		c.editor.set(text)
		return c.app.sayError(err)
	}
	if conv.Model().ID == "" {
		c.editor.set(text)
		return c.app.say(paint.Warning, "no model configured: choose one with /model, or press esc, then o to open the session in "+c.app.c.agentName())
	}
	if conv.Busy() != agent.ActivityIdle {
		queue := conv.Steer
		if later {
			queue = conv.FollowUp
		}
		if err := queue(text); err != nil {
			c.editor.set(text)
			return c.app.sayError(err)
		}
		return nil
	}
	if c.gone != "" {
		return c.app.inCwd(func() tea.Cmd { return c.prompt(text, later) }, func() tea.Cmd {
			c.editor.set(text)
			return nil
		})
	}
	branch := c.branch
	c.branch = ""
	return c.app.background.command(func(ctx context.Context) transient.Then {
		var err error
		if branch != "" { // the session continues where it is being read
			_, err = conv.Navigate(ctx, branch, agent.NavigateOptions{})
		}
		if err == nil {
			if err = send(ctx, conv, text); err == nil || errors.Is(err, agent.ErrAborted) || ctx.Err() != nil {
				return nil // events have reported it
			}
		}
		return func() tea.Cmd { return c.app.sayError(err) }
	})
}

// send sends a message. If something has started meanwhile, the message waits
// until it is done.
func send(ctx context.Context, conv *agent.Conversation, text string) error {
	_, err := conv.Prompt(ctx, text)
	if _, busy := errors.AsType[*agent.BusyError](err); busy {
		return conv.FollowUp(text)
	}
	return err
}
