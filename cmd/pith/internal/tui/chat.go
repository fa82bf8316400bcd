package tui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A chat is the screen of the open session: its conversation, and the input below it.
type chat struct {
	app *App

	open   *live.Session       // nil if none is open
	branch string              // the end of the branch that is shown; "" for the leaf
	page   *conversation.Model // nil if no session is open
	turns  *live.Turns         // of the page
	forks  blocks.Forks        // of the shown path; nil until they are known
	editor editor
	suggestions
	drafts map[string]string // the unsent text of sessions that were left, by ID
	gone   string            // the working directory, if it does not exist
	lost   bool              // the file was deleted

	running  bool        // the model is working
	facts    *live.Facts // nil until they are computed
	counting bool        // they are being computed
	stale    bool        // something was written meanwhile
	escaped  time.Time   // when Esc was last pressed in an empty input

	width, height int
	fitted        tea.WindowSizeMsg // the size of the page
}

// begin shows a session, at its end.
func (c *chat) begin(open *live.Session, source *live.Turns) tea.Cmd {
	c.open, c.branch, c.gone, c.lost, c.running, c.facts, c.counting = open, "", "", false, false, nil, false
	c.turns, c.forks = source, nil
	c.editor.clear()
	if draft := c.drafts[open.Current().ID()]; draft != "" {
		c.editor.set(draft)
	}
	c.editor.reading = open.Agent.Model().ID == ""
	c.page = conversation.New(source, conversation.Options{
		Keys: c.app.c.Keys, Len: source.Len(), Home: c.app.c.Home, Cwd: open.Current().Cwd(), Agent: c.agent(), AtLeaf: true,
	})
	c.fitted = tea.WindowSizeMsg{}
	return tea.Sequence(c.fit(), c.page.Init(), c.readForks())
}

// end detaches the session and returns it, or nil if none was open.
func (c *chat) end() *live.Session {
	open := c.open
	c.keepDraft()
	c.open, c.turns = nil, nil
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

// agent returns the agent of the open session.
func (c *chat) agent() *facts.Agent { return agentOf(c.open.Current()) }

func (c *chat) resize(width, height int) tea.Cmd {
	c.width, c.height = width, height
	c.editor.resize(width, paint.Room(height) < 8, height)
	return c.fit()
}

// fit gives the page the size that the input leaves, if it changed.
func (c *chat) fit() tea.Cmd {
	size := tea.WindowSizeMsg{Width: c.width, Height: max(1, paint.Room(c.height)-c.inputHeight())}
	if c.page == nil || size == c.fitted {
		return nil
	}
	c.fitted = size
	return c.page.Update(size)
}

// writing reports whether text is typed.
func (c *chat) writing() bool { return !c.editor.reading && !c.page.Searching() }

// inputHeight returns the number of lines of the input, with its rule and the commands
// that fit. It is shown while it is used or has a text.
func (c *chat) inputHeight() int {
	if c.page == nil || c.editor.reading && c.editor.blank() && len(c.editor.queued) == 0 {
		return 0
	}
	n := c.editor.text.Height() + len(c.editor.queued) + c.suggestions.height(c)
	if paint.Room(c.height) >= 8 {
		n++
	}
	return min(n, max(1, paint.Room(c.height)-1))
}

// update passes a message to the conversation and the editor: each handles its
// own.
func (c *chat) update(msg tea.Msg) tea.Cmd {
	if c.page == nil {
		return c.editor.update(msg)
	}
	return tea.Batch(c.page.Update(msg), c.editor.update(msg))
}

// waiting shows what the app is waiting for; "" shows nothing.
func (c *chat) waiting(status string) tea.Cmd {
	if c.page == nil {
		return nil
	}
	return c.page.Waiting(status)
}

// waits reports whether a key has to wait until the selected block is read, or until the
// forks are known.
func (c *chat) waits(p tea.KeyPressMsg) bool {
	if c.page == nil || !c.editor.reading || c.page.Searching() {
		return false
	}
	k := c.app.c.Keys
	return c.page.Unread() && k.First(p, append(sessionActions, keys.SelectConfirm, keys.MessageCopy, keys.Actions)...) != "" ||
		c.forks == nil && k.First(p, keys.NextBranch, keys.PreviousBranch, keys.Compare) != ""
}

// press handles a key.
func (c *chat) press(p tea.KeyPressMsg) tea.Cmd {
	k := c.app.c.Keys
	if !k.Is(p, keys.Interrupt) {
		c.escaped = time.Time{} // twice means in a row
	}
	switch k.First(p, keys.Interrupt, keys.Clear, keys.SessionNew, keys.SessionTree, keys.SessionFork, keys.SessionResume) {
	case keys.Interrupt:
		return c.escape()
	case keys.Clear:
		return c.clear()
	case keys.SessionNew:
		return c.app.commands.newSession()
	case keys.SessionTree:
		return branches{c.app}.showTree("")
	case keys.SessionFork:
		return branches{c.app}.showForks()
	case keys.SessionResume:
		return c.app.backToList()
	}
	switch {
	case c.page.Searching():
		if command := c.searched(); command != "" && k.Is(p, keys.InputTab) {
			c.page.EndSearch()
			return c.app.commands.run(command)
		}
		return c.page.Update(p)
	case c.writing():
		return c.pressWriting(p)
	}
	return c.pressReading(p)
}

// searched returns the command that is typed as a search; "" if it is none.
func (c *chat) searched() string {
	command := "/" + c.page.Typed()
	if name, _, _ := strings.Cut(c.page.Typed(), " "); find(commandTable(), name) == nil {
		return ""
	}
	return command
}

// doubleTap is the time within which Esc must be pressed again to count as twice.
const doubleTap = 500 * time.Millisecond

// escape leaves the innermost thing: a search that is typed, running work, the input, a
// search, the session. Twice in an empty input shows the tree, or what the settings say,
// as in pi.
func (c *chat) escape() tea.Cmd {
	twice := c.app.c.now().Sub(c.escaped) < doubleTap
	c.escaped = time.Time{}
	double := c.open.Setup.Settings.DoubleEscape
	switch {
	case c.page.Searching():
		c.page.EndSearch()
		return nil
	case c.interrupt():
		return nil
	case c.suggestions.close(c):
		return nil
	case twice && double == "fork":
		return branches{c.app}.showForks()
	case twice && double != "none":
		return branches{c.app}.showTree("")
	case !c.editor.reading:
		if c.editor.reading = true; c.editor.blank() {
			c.escaped = c.app.c.now()
		}
		return nil // the text stays as a draft
	case c.page.EndSearch():
		return nil
	}
	return c.app.backToList()
}

// clear stops a running response, or clears the text, or quits.
func (c *chat) clear() tea.Cmd {
	switch {
	case c.page.EndSearch():
		return nil
	case c.interrupt():
		return nil
	case !c.editor.blank():
		text := c.editor.value()
		c.editor.clear()
		return c.app.news.take(transient.News{Tone: paint.Dim, Text: "Cleared the text", Undo: func(context.Context) (string, error) {
			c.app.send(transient.Then(func() tea.Cmd { c.editor.set(text); return nil }))
			return "The text is back", nil
		}})
	}
	return c.app.leaveApp(false)
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
	k := c.app.c.Keys
	if action := k.First(p, sessionActions...); action != "" {
		return c.app.act(action, c.target())
	}
	switch k.First(p, keys.Help, keys.Actions, keys.Write, keys.Quit, keys.Exit) {
	case keys.Help:
		return c.app.showHelp()
	case keys.Actions:
		return c.app.showActions(c.target())
	case keys.Write:
		c.editor.reading = false
		return nil
	case keys.Quit, keys.Exit:
		return c.quit()
	}
	if b := c.page.Block(); b != nil && b.Kind == blocks.Branches && k.Is(p, keys.SelectConfirm) {
		return branches{c.app}.showTree(b.Branch.At)
	}
	return c.page.Update(p)
}

// target returns what the actions of the conversation apply to.
func (c *chat) target() target {
	t := target{prompt: c.page.Prompt()}
	if b := c.page.Block(); b != nil {
		t.entry, t.fork = b.Entry(), b.Branch
	}
	return t
}

// quit leaves the app. If the editor has a text, it asks first.
func (c *chat) quit() tea.Cmd {
	if c.editor.blank() {
		return c.app.leaveApp(false)
	}
	c.app.askYes("Quit", "Quit and discard the unsent text?", "Quit", func() tea.Cmd { return c.app.leaveApp(false) })
	return nil
}

// pageKeys are passed to the conversation even while text is typed.
var pageKeys = []keys.Action{keys.ScrollPageUp, keys.ScrollPageDown, keys.PreviousPrompt, keys.NextPrompt, keys.ToolsExpand, keys.ThinkingToggle, keys.MessageCopy, keys.SearchOpen}

// pressWriting handles a key while text is typed.
func (c *chat) pressWriting(p tea.KeyPressMsg) tea.Cmd {
	if keys.Typed(p) {
		return c.editor.update(p)
	}
	switch action := c.app.c.Keys.First(p, keys.InputNewLine, keys.FollowUp, keys.Dequeue, keys.SelectUp, keys.SelectDown, keys.InputSubmit, keys.InputTab, keys.ThinkingCycle, keys.ModelNext, keys.ExternalEditor, keys.Exit); action {
	case keys.SelectUp, keys.SelectDown:
		if c.suggestions.move(c, action) {
			return nil
		}
	case keys.InputNewLine:
		c.editor.text.InsertString("\n")
		return nil
	case keys.FollowUp:
		return c.submit(true)
	case keys.InputSubmit:
		if command := c.suggestions.chosen(c); command != "" {
			c.editor.clear()
			return c.app.commands.run(command)
		}
		return c.submit(false)
	case keys.Dequeue:
		return c.takeBack()
	case keys.InputTab:
		c.suggestions.complete(c)
		return nil
	case keys.ThinkingCycle:
		return c.app.commands.cycleThinking()
	case keys.ModelNext:
		return c.app.commands.cycleModel()
	case keys.ExternalEditor:
		return agents{c.app}.editOutside()
	}
	if c.app.c.Keys.First(p, pageKeys...) != "" {
		return c.page.Update(p)
	}
	return c.editor.update(p)
}

// point handles mouse events and pastes.
func (c *chat) point(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		if !c.page.Searching() {
			c.editor.reading = false
			return c.editor.paste(msg.Content)
		}
	case tea.MouseClickMsg:
		above, _ := paint.Around(c.height)
		msg.Y -= above
		return c.page.Update(msg)
	}
	return c.page.Update(msg)
}

// submit executes the text in the editor: a command, or a message.
func (c *chat) submit(later bool) tea.Cmd {
	text := strings.TrimSpace(c.editor.value())
	if text == "" {
		return nil
	}
	c.editor.clear()
	if strings.HasPrefix(text, "/") && !strings.Contains(text, "\n") {
		return c.app.commands.run(text)
	}
	if c.open.Agent.Model().ID == "" || c.open.Current().Writable() != nil {
		c.editor.set(text)
		return agents{c.app}.sendToAgent(text)
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
	return c.app.say(paint.Dim, "no queued messages")
}

// prompt sends a message to the model. While the model is working, the message
// steers it, or waits until it is done.
func (c *chat) prompt(text string, later bool) tea.Cmd {
	conv := c.open.Agent
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
		c.editor.set(text)
		return opener{c.app}.inCwd(func() tea.Cmd { c.editor.clear(); return c.prompt(text, later) })
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

// names returns the names of the project and the session.
func (c *chat) names() []string {
	s := c.open.Current()
	name := s.Name()
	if name == "" {
		name = c.turns.Title()
	}
	if name == "" {
		name = "new session"
	}
	return []string{filepath.Base(s.Cwd()), termsafe.Fit(name, 200)}
}

// frame returns the screen.
func (c *chat) frame(t *paint.Theme) *paint.Frame {
	names := c.names()
	f := &paint.Frame{
		Title: []paint.Span{paint.Faint(names[0] + " › "), {Tone: paint.Strong, Text: names[1]}}, Right: c.state(), Under: c.under(t),
		Body: paint.Fill(c.page.Lines(t, c.width, max(1, paint.Room(c.height)-c.inputHeight())), paint.Room(c.height)-c.inputHeight()),
	}
	if n := c.inputHeight(); n > 0 {
		f.Body = f.Body[:max(0, paint.Room(c.height)-n)]
		if paint.Room(c.height) >= 8 {
			f.Body = append(f.Body, t.Rule(c.width))
		}
		f.Body = append(f.Body, c.suggestions.lines(c, t)...)
		f.Body = append(f.Body, c.editor.lines(t, c.width)...)
	}
	place, below := c.page.Position()
	f.Status, f.Place = []paint.Span{paint.Faint(place)}, []paint.Span{{Tone: paint.Accent, Text: below}}
	if line, state, ok := c.page.SearchLine(t, c.width-24); ok {
		f.Status, f.Place = []paint.Span{{Text: strings.TrimSpace(paint.Bare(line))}}, []paint.Span{paint.Faint(state)}
	}
	if c.writing() {
		f.Place = []paint.Span{paint.Faint(c.mode())}
		if n := len(c.suggestions.fitting(c)); n > 0 {
			f.Status = []paint.Span{paint.Faint(fmt.Sprintf("%d of %d commands", n, len(commandTable())))}
		}
	}
	f.Hints = c.hints()
	return f
}

// state returns the agent of the session and who has it open.
func (c *chat) state() []paint.Span {
	a, s := c.agent(), c.open.Current()
	out := []paint.Span{a.Span(), paint.Faint(" " + a.Title)}
	if c.width < 100 && a.Foreign {
		out = out[:1]
	}
	switch {
	case c.lost:
		out = append(out, paint.Span{Tone: paint.Error, Text: " · deleted"})
	case c.open.Holder() != "":
		out = append(out, paint.Faint(" · "), paint.Span{Tone: paint.Success, Text: "● live: " + c.open.Holder()})
	case c.running:
		out = append(out, paint.Faint(" · "), paint.Span{Tone: paint.Success, Text: "● live"})
	}
	if a.Foreign || s.Header().Source != "" {
		out = append(out, paint.Faint(" · read-only"))
	}
	return out
}

// under returns the facts of the session.
func (c *chat) under(t *paint.Theme) string {
	var left []paint.Span
	right := ""
	if f := c.facts; f != nil {
		branches := ""
		if f.Branches > 1 {
			branches = humanize.Count(f.Branches, "branch")
		}
		took := ""
		if f.Took >= time.Second {
			took = facts.Duration(f.Took)
		}
		tokens := ""
		if f.Spent.Tokens > 0 && c.width >= 100 {
			tokens = facts.Tokens(f.Spent.Tokens)
		}
		left = append(left, paint.Faint(took))
		if changed := f.Tally.Spans(); changed != nil {
			if took != "" {
				left = append(left, paint.Faint(" · "))
			}
			left = append(left, changed...)
		}
		rest := facts.Join(facts.Cost(f.Spent), tokens, branches)
		if rest != "" && facts.Text(left) != "" {
			rest = " · " + rest
		}
		left = append(left, paint.Faint(rest))
		if f.Context > 0 && f.Window > 0 {
			right = humanize.Short(f.Context) + " of " + humanize.Short(f.Window)
			if c.width >= 100 {
				right += " context"
			}
		}
	}
	if n := len(c.open.Current().Findings()); n > 0 {
		left = append(left, paint.Span{Tone: paint.Error, Text: " · ! damaged: pith doctor " + termsafe.Fit(c.open.Current().ID(), 8)})
	}
	return t.Ends(c.width, append([]paint.Span{{Text: " "}}, left...), []paint.Span{paint.Faint(right)})
}

// mode says what Enter does with the text.
func (c *chat) mode() string {
	m := c.open.Agent.Model()
	switch {
	case m.ID == "":
		return "enter sends in " + c.agent().Title + ": no model configured"
	case c.open.Current().Writable() != nil:
		return "enter sends in " + c.agent().Title
	}
	text := m.ID
	if level := c.open.Agent.Thinking(); level != "" && level != "off" {
		text += " · " + level
	}
	return text
}

// hints returns the keys that work now.
func (c *chat) hints() []paint.Hint {
	k, a := c.app.c.Keys, c.app
	enter, esc := k.Label(keys.SelectConfirm), k.Label(keys.SelectCancel)
	switch {
	case c.page.Searching():
		hints := []paint.Hint{{Key: enter, Word: "search"}, {Key: esc, Word: "close"}}
		if command := c.searched(); command != "" {
			hints = slices.Insert(hints, 1, paint.Hint{Key: k.Label(keys.InputTab), Word: "run " + command})
		}
		return hints
	case c.writing() && len(c.suggestions.fitting(c)) > 0:
		return []paint.Hint{{Key: enter, Word: "run"}, {Key: k.Label(keys.InputTab), Word: "complete"}, {Key: "↑ ↓", Word: "choose"}, {Key: esc, Word: "close"}}
	case c.writing() && c.running:
		return []paint.Hint{{Key: enter, Word: "steer"}, {Key: k.Label(keys.FollowUp), Word: "queue"}, {Key: esc, Word: "stop"}, {Key: "/", Word: "commands"}}
	case c.writing():
		return []paint.Hint{{Key: enter, Word: "send"}, {Key: k.Label(keys.InputNewLine), Word: "new line"}, {Key: k.Label(keys.ExternalEditor), Word: "editor"}, {Key: "/", Word: "commands"}, {Key: esc, Word: "read"}}
	case c.page.Matches():
		leave := "back"
		if c.page.EndsSearch() {
			leave = "clear"
		}
		return []paint.Hint{{Key: enter, Word: "fold"}, a.hint(keys.SearchNext, "next match"), a.hint(keys.SearchPrevious, "previous"), a.hint(keys.Tree, "tree"), {Key: esc, Word: leave}, a.hint(keys.Help, "more")}
	}
	fold := "unfold"
	if c.page.IsOpen() {
		fold = "fold"
	}
	if b := c.page.Block(); b != nil && b.Kind == blocks.Branches {
		fold = "tree"
	}
	hints := []paint.Hint{{Key: enter, Word: fold}, a.hint(keys.Tree, "tree"), a.hint(keys.SearchOpen, "search"), a.hint(keys.Open, "open in "+c.agent().Title), {Key: k.Label(keys.Actions), Word: "actions"}, a.hint(keys.Help, "more")}
	if c.width < 100 { // the agent before the search
		hints = append(hints[:2:2], hints[3:]...)
	}
	if !c.editor.blank() {
		hints[2] = a.hint(keys.Write, "write (draft)")
	} else if c.open.Agent.Model().ID != "" {
		hints[2] = a.hint(keys.Write, "write")
	}
	return hints
}
