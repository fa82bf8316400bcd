package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// press takes a key: what is on top gets it.
func (a *App) press(p tea.KeyPressMsg) tea.Cmd {
	if !a.is(p, keys.Interrupt) {
		a.escaped = time.Time{} // twice means in a row
	}
	switch {
	case a.sheet != nil:
		return a.pressSheet(p)
	case a.asking != nil:
		return a.pressQuestion(p)
	case a.fork != nil:
		return a.pressFork(p)
	case a.tree != nil:
		return a.pressOver(p, !a.tree.Asks(), a.tree.Update)
	case a.picker != nil:
		return a.pressOver(p, a.picker.Idle(), a.picker.Update)
	case a.open == nil:
		if a.is(p, keys.SelectCancel) {
			return a.leaveApp(true)
		}
		return nil
	}
	return a.pressConversation(p)
}

// pressOver takes a key while the tree or the list is shown: the app's own keys
// first, if letters are free for them.
func (a *App) pressOver(p tea.KeyPressMsg, free bool, screen func(tea.Msg) tea.Cmd) tea.Cmd {
	switch {
	case free && a.is(p, keys.Help):
		a.showHelp()
		return nil
	case free && a.is(p, keys.NewHere):
		return a.newFromList()
	}
	return screen(p)
}

// doubleTap is how soon Esc must be pressed again to mean it twice.
const doubleTap = 500 * time.Millisecond

// pressConversation takes a key while a session is shown.
func (a *App) pressConversation(p tea.KeyPressMsg) tea.Cmd {
	switch a.c.Keys.First(p, keys.Interrupt, keys.Suspend, keys.SessionNew, keys.SessionTree, keys.SessionFork, keys.SessionResume) {
	case keys.Interrupt:
		return a.escape()
	case keys.Suspend:
		return tea.Suspend
	case keys.SessionNew:
		return a.newSession()
	case keys.SessionTree:
		return a.showTree("")
	case keys.SessionFork:
		return a.showForks()
	case keys.SessionResume:
		return a.showPicker()
	}
	if a.editor.reading || a.page.Searching() {
		return a.pressReading(p)
	}
	return a.pressWriting(p)
}

// escape interrupts what is going on, ends a search, goes from writing to
// reading; twice in a row shows the tree, or what the setting says, as in pi.
func (a *App) escape() tea.Cmd {
	twice := a.c.now().Sub(a.escaped) < doubleTap
	a.escaped = time.Time{}
	switch {
	case a.interrupt():
		return nil
	case a.page.EndSearch():
		return nil
	case twice && a.open.setup.Settings.DoubleEscape == "fork":
		return a.showForks()
	case twice && a.open.setup.Settings.DoubleEscape != "none":
		return a.showTree("")
	case !a.editor.reading && !a.editor.blank():
		return nil
	}
	a.escaped = a.c.now()
	a.editor.reading = true
	return nil
}

// pressReading takes a key while the page is read.
func (a *App) pressReading(p tea.KeyPressMsg) tea.Cmd {
	if a.page.Searching() {
		return a.page.Update(p)
	}
	switch {
	case a.is(p, keys.Help):
		a.showHelp()
	case a.is(p, keys.Handover):
		return a.handOver()
	case p.Text == "i" || p.Text == ":":
		a.editor.reading = false
		if p.Text == ":" {
			a.editor.set("/")
		}
	case p.Text == "t":
		return a.showTree("")
	case p.Text == "r":
		return a.showPicker()
	case p.Text == "q", a.is(p, keys.Clear), a.is(p, keys.Exit):
		return a.leaveApp(false)
	default:
		return a.page.Update(p)
	}
	return nil
}

// pageKeys go to the page also while something is written.
var pageKeys = []keys.Action{
	keys.ScrollPageUp, keys.ScrollPageDown, keys.PreviousPrompt, keys.NextPrompt, keys.ToolsExpand, keys.ThinkingToggle,
	keys.MessageCopy, keys.SearchOpen,
}

// pressWriting takes a key while something is written.
func (a *App) pressWriting(p tea.KeyPressMsg) tea.Cmd {
	switch {
	case a.is(p, keys.InputNewLine):
		a.editor.text.InsertString("\n")
	case a.is(p, keys.FollowUp):
		return a.submit(true)
	case a.is(p, keys.InputSubmit):
		return a.submit(false)
	case a.is(p, keys.Dequeue):
		return a.takeBack()
	case a.is(p, keys.InputTab):
		return a.complete()
	case a.is(p, keys.ThinkingCycle):
		return a.cycleThinking()
	case a.is(p, keys.ModelNext):
		return a.cycleModel()
	case a.is(p, keys.ExternalEditor):
		return a.editOutside()
	case a.is(p, keys.Clear):
		if a.editor.blank() {
			return a.leaveApp(false)
		}
		a.editor.clear()
	case a.is(p, keys.Exit) && a.editor.blank():
		return a.leaveApp(false)
	case a.c.Keys.First(p, pageKeys...) != "":
		return a.page.Update(p)
	default:
		return a.editor.update(p)
	}
	return nil
}

// submit does what is written: a command, or words for the model.
func (a *App) submit(later bool) tea.Cmd {
	text := strings.TrimSpace(a.editor.value())
	if text == "" {
		return nil
	}
	a.editor.clear()
	if strings.HasPrefix(text, "/") && !strings.Contains(text, "\n") {
		return a.slash(text)
	}
	return tea.Batch(a.page.Update(tea.KeyPressMsg{Code: tea.KeyEnd}), a.prompt(text, later))
}

// takeBack puts the messages that wait back into the editor.
func (a *App) takeBack() tea.Cmd {
	steering, later := a.open.live.ClearQueue()
	if all := append(steering, later...); len(all) > 0 {
		a.editor.set(strings.TrimSpace(strings.Join(append(all, a.editor.value()), "\n\n")))
		return nil
	}
	return a.say(paint.Muted, "nothing waits")
}

func (a *App) cycleThinking() tea.Cmd {
	now := a.open.live.Thinking()
	for i, level := range thinkingLevels {
		if level == now {
			return a.setThinking(thinkingLevels[(i+1)%len(thinkingLevels)])
		}
	}
	return a.setThinking(thinkingLevels[1])
}

// pointed gives mouse and paste to what is on top.
func (a *App) pointed(msg tea.Msg) tea.Cmd {
	switch {
	case a.sheet != nil, a.asking != nil, a.fork != nil:
		return nil
	case a.tree != nil:
		return a.tree.Update(msg)
	case a.picker != nil:
		return a.picker.Update(msg)
	case a.open == nil:
		return nil
	}
	if pasted, ok := msg.(tea.PasteMsg); ok {
		if a.page.Searching() {
			return a.page.Update(msg)
		}
		a.editor.reading = false
		return a.editor.paste(pasted.Content)
	}
	return a.page.Update(msg)
}
