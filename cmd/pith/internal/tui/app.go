package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/latest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// An App is the whole screen.
type App struct {
	c     Config
	send  func(tea.Msg) // tells the app something from another goroutine
	ctx   context.Context
	stop  context.CancelFunc
	theme *paint.Theme

	rescue func() // puts the terminal in order before the process ends
	lent   bool   // another program has the terminal

	width, height int

	picker *picker.Model // nil while a session is shown and no other is chosen
	open   *opened       // the session that is shown; nil before one is
	page   *conversation.Model
	tree   *treeview.Model // nil unless the tree is shown
	fork   *forkList       // nil unless a message to fork at is chosen
	editor editor
	asking *question          // nil unless something is asked
	sheet  *sheet             // nil unless it is shown
	next   func(*App) tea.Cmd // what follows when the session is open; nil for nothing

	note    latest.Notice
	working string // what is waited for; "" when nothing is
	cancel  context.CancelFunc
	escaped time.Time // when Esc was last pressed in vain
	quit    Farewell
	idle    idle
}

// Farewell is what is left to say when the app has ended.
type Farewell struct {
	// SessionID and File are of the session that was shown last; "" for none.
	SessionID, File string
	// Cancelled means that the picker was left without a choice.
	Cancelled bool
}

// New is the app. What it does beside the screen ends with the context. How other
// goroutines tell it something, and how the terminal is given back, is set by
// [Run].
func New(ctx context.Context, c Config) *App {
	a := &App{c: c, theme: paint.New(c.Dark, c.Colour), width: 80, height: 24, editor: newEditor()}
	a.ctx, a.stop = context.WithCancel(ctx)
	a.send, a.rescue = func(tea.Msg) {}, func() {}
	return a
}

// Init begins.
func (a *App) Init() tea.Cmd {
	first := a.showPicker
	if a.c.Open != "" {
		first = func() tea.Cmd { return a.openSession(a.c.Open, a.c.Entry) }
	}
	return tea.Batch(tea.RequestBackgroundColor, first(), a.watch())
}

// Update takes a message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a, a.resize(msg)
	case tea.BackgroundColorMsg:
		a.theme = paint.New(msg.IsDark(), a.c.Colour)
		return a, nil
	case tea.KeyPressMsg:
		return a, a.press(msg)
	case tea.MouseWheelMsg, tea.MouseClickMsg, tea.PasteMsg:
		return a, a.pointed(msg)
	}
	if cmd, mine := a.told(msg); mine {
		return a, cmd
	}
	return a, a.forward(msg)
}

// told takes the messages of the app itself and the wishes of its screens. mine
// is false for what belongs to a screen.
func (a *App) told(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case picker.Open:
		return a.openSession(msg.Path, msg.EntryID), true
	case picker.Closed:
		return a.closePicker(), true
	case picker.Fork:
		return a.forkFromList(msg.Path), true
	case picker.Clone:
		return a.cloneFromList(msg.Path), true
	case picker.Export:
		return a.exportFromList(msg.Path), true
	case openedMsg:
		return a.sessionOpened(msg), true
	case cwdGone:
		return a.askForCwd(msg), true
	case refreshed:
		return a.takeRefreshed(msg), true
	case happened:
		return a.takeEvent(msg), true
	case done:
		return a.finish(msg), true
	case countDue:
		return a.takeCountDue(msg), true
	case counted:
		return a.takeCounted(msg), true
	case factsReady:
		return a.takeFacts(msg), true
	case failed:
		return a.sayError(msg.err), true
	case editedOutside:
		return a.takeEdited(msg), true
	case handedOver:
		return a.takeHandover(msg), true
	case watched:
		return a.takeWatched(msg), true
	case treeReady:
		return a.takeTree(msg), true
	case treeGrown:
		return a.takeGrownTree(msg), true
	case forksReady:
		return a.takeForks(msg), true
	case latest.Over:
		msg.End()
		return nil, true
	case conversation.Copied:
		return a.say(paint.Accent, "copied"), true
	case quitNow:
		return tea.Quit, true
	}
	return a.wished(msg)
}

// wished takes what the tree asks for.
func (a *App) wished(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case treeview.Closed:
		a.closeTree()
	case treeview.AlreadyThere:
		a.closeTree()
		return a.say(paint.Muted, "already at this point"), true
	case treeview.Navigate:
		return a.navigate(msg), true
	case treeview.SetLabel:
		return a.setLabel(msg.EntryID, msg.Label), true
	case treeview.Fork:
		return a.forkAt(msg.EntryID), true
	case treeview.Clone:
		return a.cloneAt(msg.EntryID), true
	case treeview.Export:
		return a.export(msg.EntryID, ""), true
	default:
		return nil, false
	}
	return nil, true
}

// forward gives a message to every screen that there is: each knows its own.
func (a *App) forward(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if a.picker != nil {
		cmds = append(cmds, a.picker.Update(msg))
	}
	if a.tree != nil {
		cmds = append(cmds, a.tree.Update(msg))
	}
	if a.page != nil {
		cmds = append(cmds, a.page.Update(msg))
	}
	return tea.Batch(append(cmds, a.editor.update(msg))...)
}

func (a *App) resize(msg tea.WindowSizeMsg) tea.Cmd {
	a.width, a.height = msg.Width, msg.Height
	a.editor.resize(msg.Width)
	var cmds []tea.Cmd
	if a.picker != nil {
		cmds = append(cmds, a.picker.Update(msg))
	}
	if a.tree != nil {
		cmds = append(cmds, a.tree.Update(msg))
	}
	if a.page != nil {
		cmds = append(cmds, a.page.Update(tea.WindowSizeMsg{Width: a.width, Height: a.pageHeight()}))
	}
	return tea.Batch(cmds...)
}

// Close ends what runs and closes the session that is shown. It is called when
// the app takes no more messages.
func (a *App) Close() error {
	a.stop()
	a.idle.Wait()
	if a.picker != nil {
		a.picker.Close()
	}
	a.closeTree()
	if left := a.leave(); left != nil {
		if msg, is := left().(failed); is {
			return msg.err
		}
	}
	return nil
}

type quitNow struct{}

// leaveApp ends the app.
func (a *App) leaveApp(cancelled bool) tea.Cmd {
	a.quit.Cancelled = cancelled
	return func() tea.Msg { return quitNow{} }
}

// Farewell is what is left to say.
func (a *App) Farewell() Farewell { return a.quit }
