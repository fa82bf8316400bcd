package tui

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// An App is the whole screen. It decides which screen is on top, passes the
// keys to it, and executes the requests of the screens.
type App struct {
	news
	tasks
	overlay

	c          Config
	send       func(tea.Msg) // sends a message to the app from another goroutine
	background *background
	lender     lender
	library    *library
	theme      *paint.Theme

	width, height int

	picker   *picker.Model   // nil while a session is shown and no other is being chosen
	left     *picker.Model   // the list as it was left; nil before that
	tree     *treeview.Model // nil unless the tree is shown
	chat     chat            // the open session
	commands commands
	next     func() tea.Cmd // called when the session is open; nil for nothing

	farewell Farewell
}

// A Farewell contains what to report after the app has ended.
type Farewell struct {
	// SessionID and File are those of the session that was shown last, or "".
	SessionID, File string
	// Foreign means that pi must get a copy of the session: see
	// [importer.NeedsCopy].
	Foreign bool
	// Cancelled means that the picker was left without a choice.
	Cancelled bool
	// Picked are the sessions that were chosen, with [Config].Pick.
	Picked []catalog.Ref
}

// New returns the app. Its background work ends with ctx. [Run] sets how other
// goroutines send messages to it and how the terminal is restored.
func New(ctx context.Context, c Config) *App {
	a := &App{c: c, theme: paint.New(c.Dark, c.Colour), width: 80, height: 24, background: newBackground(ctx)}
	a.send = func(tea.Msg) {}
	a.overlay.keys = c.Keys
	a.tasks = tasks{background: a.background, news: &a.news, waiting: a.chat.waiting}
	a.lender = lender{background: a.background, interrupts: c.Interrupts}
	a.library = &library{c: &a.c, background: a.background, allShown: make(chan struct{}, 1)}
	a.chat = chat{app: a, editor: newEditor(), drafts: map[string]string{}, width: 80, height: 24}
	a.commands = commands{a}
	return a
}

// Init starts the app.
func (a *App) Init() tea.Cmd {
	first := a.showPicker
	if a.c.Open != "" {
		first = func() tea.Cmd { return a.openSession(a.c.Open, found{entry: a.c.Entry}) }
	}
	return tea.Batch(tea.RequestBackgroundColor, first(), a.watch())
}

// Close ends background work and closes the open session. It is called when the
// app accepts no more messages.
func (a *App) Close() error {
	a.background.close()
	a.dropPicker()
	if left := a.detach(); left != nil {
		return left()
	}
	return nil
}

// Farewell returns what to report.
func (a *App) Farewell() Farewell { return a.farewell }

type quitNow struct{}

func (a *App) leaveApp(cancelled bool) tea.Cmd {
	a.farewell.Cancelled = cancelled
	return func() tea.Msg { return quitNow{} }
}

// lineFeeds converts the line breaks of a paste to line feeds.
var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Update handles a message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.handle(msg)
	return a, tea.Batch(cmd, a.chat.fit())
}

func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a.resize(msg)
	case tea.BackgroundColorMsg:
		a.theme = paint.New(msg.IsDark(), a.c.Colour)
		return nil
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && !msg.Value.IsNotRecognized() && !msg.Value.IsPermanentlyReset() {
			termsafe.MeasureClusters(true) // as the renderer does from now on
		}
		return nil
	case tea.KeyPressMsg:
		return a.press(msg)
	case tea.PasteMsg:
		msg.Content = lineFeeds.Replace(msg.Content)
		return a.point(msg)
	case tea.MouseWheelMsg, tea.MouseClickMsg:
		return a.point(msg)
	case transient.Then:
		return msg()
	case conversation.Copied:
		return a.say(paint.Accent, "copied")
	case quitNow:
		return tea.Quit
	}
	for _, take := range []func(tea.Msg) (tea.Cmd, bool){a.fromPicker, a.fromTree} {
		if cmd, taken := take(msg); taken {
			return cmd
		}
	}
	return tea.Batch(a.forward(msg), a.chat.update(msg)) // each handles its own
}

// fromPicker handles the requests of the list of sessions.
func (a *App) fromPicker(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case picker.Open:
		return a.openSession(msg.Path, found{entry: msg.EntryID, query: msg.Query, stay: msg.AtEnd}), true
	case picker.Closed:
		return a.closePicker(), true
	case picker.Picked:
		for _, it := range msg.Sessions {
			a.farewell.Picked = append(a.farewell.Picked, it.Ref())
		}
		return a.leaveApp(false), true
	case picker.Fork:
		return a.showForksOf(msg.Path), true
	case picker.Clone:
		return a.work("cloning", func(ctx context.Context) done {
			file, err := a.library.clone(ctx, msg.Path)
			if err != nil {
				return done{err: err}
			}
			return done{note: "cloned to a new session", then: func() tea.Cmd { return a.openSession(file, found{}) }}
		}), true
	case picker.HandOver:
		return a.handOverFrom(msg.Path), true
	case picker.Export:
		e := &exporting{app: a, use: a.library.reading(msg.Path)}
		return e.begin(""), true
	}
	return nil, false
}

// fromTree handles the requests of the tree.
func (a *App) fromTree(msg tea.Msg) (cmd tea.Cmd, taken bool) {
	switch msg := msg.(type) { // the tree stays
	case treeview.SetLabel:
		if err := a.chat.open.Current().Writable(); err != nil {
			a.closeTree()
			return a.sayError(err), true
		}
		return a.commands.setLabel(msg.EntryID, msg.Label), true
	case treeview.Compare:
		return a.commands.compare(msg.A, msg.B), true
	}
	switch msg := msg.(type) {
	case treeview.Closed:
	case treeview.AlreadyThere:
		cmd = a.say(paint.Muted, "already here")
	case treeview.Navigate:
		cmd = a.commands.navigate(msg, func() tea.Cmd { return a.showTree(msg.EntryID) })
	case treeview.Fork:
		cmd = a.commands.forkAt(msg.EntryID)
	case treeview.Clone:
		cmd = a.commands.cloneAt(msg.EntryID)
	case treeview.Export:
		cmd = a.commands.export(msg.EntryID, "")
	default:
		return nil, false
	}
	a.closeTree()
	return cmd, true
}

// forward passes a message to the list and the tree.
func (a *App) forward(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if a.picker != nil {
		cmds = append(cmds, a.picker.Update(msg))
	}
	if a.tree != nil {
		cmds = append(cmds, a.tree.Update(msg))
	}
	return tea.Batch(cmds...)
}

func (a *App) resize(msg tea.WindowSizeMsg) tea.Cmd {
	a.width, a.height = msg.Width, msg.Height
	return tea.Batch(a.forward(msg), a.chat.resize(msg.Width, msg.Height))
}

// press passes a key to the topmost part.
func (a *App) press(p tea.KeyPressMsg) tea.Cmd {
	if !a.c.Keys.Is(p, keys.Interrupt) {
		a.chat.escaped = time.Time{} // twice means in a row
	}
	switch {
	case a.overlay.shown():
		return a.overlay.press(p, a.width, a.height)
	case a.tree != nil:
		return a.pressOver(p, !a.tree.Asks(), a.tree.Update)
	case a.picker != nil:
		if !a.c.Pick && p.Text == "" && !a.picker.Asks() && a.c.Keys.Is(p, keys.NewHere) {
			return a.newSession() // also during a search
		}
		if p.Text == "n" && a.picker.InDemo() {
			return a.newSession()
		}
		return a.pressOver(p, a.picker.Idle(), a.picker.Update)
	case a.chat.open == nil:
		if a.c.Keys.Is(p, keys.SelectCancel) {
			return a.leaveApp(true)
		}
		return nil
	}
	return a.chat.press(p)
}

// pressOver handles a key while the tree or the list is shown: the app's own
// keys first, if letters are free for them.
func (a *App) pressOver(p tea.KeyPressMsg, free bool, screen func(tea.Msg) tea.Cmd) tea.Cmd {
	switch {
	case free && a.c.Keys.Is(p, keys.Help):
		return a.showHelp()
	case free && !a.c.Pick && a.c.Keys.Is(p, keys.NewHere):
		return a.newSession()
	}
	return screen(p)
}

// point passes mouse events and pastes to the topmost part.
func (a *App) point(msg tea.Msg) tea.Cmd {
	switch {
	case a.overlay.shown():
		if pasted, is := msg.(tea.PasteMsg); is {
			a.overlay.paste(pasted.Content)
		}
		return nil
	case a.tree != nil:
		return a.tree.Update(msg)
	case a.picker != nil:
		return a.picker.Update(msg)
	case a.chat.open == nil:
		return nil
	}
	return a.chat.point(msg)
}

// View draws the screen.
func (a *App) View() tea.View {
	v := tea.NewView(a.draw())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = a.title()
	return v
}

func (a *App) draw() string {
	news := a.news.view(a.theme, a.width)
	switch {
	case a.overlay.shown():
		return a.overlay.view(a.theme, a.width, a.height)
	case a.tree != nil:
		return a.tree.View(a.theme, a.width, a.height)
	case a.picker != nil:
		return a.picker.View(a.theme, a.width, a.height-1) + "\n" + news
	case a.chat.page == nil:
		return paint.Block(a.height, news, "", a.theme.Line(a.width, paint.Span{Tone: paint.Dim, Text: "opening…"}))
	}
	return a.chat.view(a.theme, news)
}

// title returns the window title, which must be safe because a terminal obeys
// its content.
func (a *App) title() string {
	if a.chat.open == nil {
		return "pith"
	}
	s := a.chat.open.Current()
	name := cmp.Or(s.Name(), humanize.Path(a.c.Home, s.Cwd()))
	return termsafe.Fit("pith - "+name, 80)
}
