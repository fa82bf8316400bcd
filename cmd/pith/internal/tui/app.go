package tui

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/compare"
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
	ahead

	c          Config
	send       func(tea.Msg) // sends a message to the app from another goroutine
	background *background
	lender     lender
	library    *library
	theme      *paint.Theme
	dark       bool
	depth      paint.Depth

	width, height int

	picker   *picker.Model   // nil while a session is shown and no other is being chosen
	left     *picker.Model   // the list as it was left; nil before that
	tree     *treeview.Model // nil unless the tree is shown
	compare  *compare.Model  // nil unless branches are compared
	chat     chat            // the open session
	commands commands
	next     func() tea.Cmd // called when the session is open; nil for nothing

	farewell Farewell
}

// A Farewell contains what to report after the app has ended.
type Farewell struct {
	// SessionID and File are those of the session that was shown last, or "".
	SessionID, File string
	// Foreign means that pi must get a copy of the session: see [ops.NeedsCopy].
	Foreign bool
	// Cancelled means that the picker was left without a choice.
	Cancelled bool
	// Picked are the sessions that were chosen, with [Config].Pick.
	Picked []catalog.Ref
}

// New returns the app. Its background work ends with ctx. [Run] sets how other
// goroutines send messages to it and how the terminal is restored.
func New(ctx context.Context, c Config) *App {
	a := &App{c: c, dark: c.Dark, width: 80, height: 24, background: newBackground(ctx)}
	if c.Colour {
		a.depth = paint.Full
	}
	a.theme = paint.New(a.dark, a.depth)
	a.send = func(tea.Msg) {}
	a.tasks = tasks{background: a.background, news: &a.news, waiting: a.chat.waiting}
	a.ahead = ahead{keys: c.Keys, tasks: &a.tasks, press: a.press, waits: a.waits}
	a.overlay.keys = c.Keys
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

// project is the name of the project of the app.
func (a *App) project() string { return filepath.Base(a.c.Cwd) }

// lineFeeds converts the line breaks of a paste to line feeds.
var lineFeeds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Update handles a message.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.handle(msg)
	return a, tea.Batch(cmd, a.catchUp(), a.chat.fit())
}

func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.width, a.height = msg.Width, msg.Height
		return tea.Batch(a.forward(msg), a.chat.resize(msg.Width, msg.Height))
	case tea.BackgroundColorMsg:
		a.dark = msg.IsDark()
		return a.repaint()
	case tea.ColorProfileMsg:
		if a.depth == paint.Full && msg.Profile <= colorprofile.ANSI {
			a.depth = paint.Basic
			return a.repaint()
		}
		return nil
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore && !msg.Value.IsNotRecognized() && !msg.Value.IsPermanentlyReset() {
			termsafe.MeasureClusters(true) // as the renderer does from now on
		}
		return nil
	case tea.KeyPressMsg:
		a.news.pressed()
		return a.ahead.take(msg)
	case tea.PasteMsg:
		msg.Content = lineFeeds.Replace(msg.Content)
		return a.point(msg)
	case tea.MouseWheelMsg, tea.MouseClickMsg:
		return a.point(msg)
	case transient.Then:
		return msg()
	case transient.News:
		return a.news.take(msg)
	case quitNow:
		return tea.Quit
	}
	return tea.Batch(a.forward(msg), a.chat.update(msg)) // each handles its own
}

// repaint draws everything in other colors.
func (a *App) repaint() tea.Cmd {
	a.theme = paint.New(a.dark, a.depth)
	return a.forward(tea.WindowSizeMsg{Width: a.width, Height: a.height})
}

// forward passes a message to the screens over the conversation.
func (a *App) forward(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	if a.picker != nil {
		cmds = append(cmds, a.picker.Update(msg))
	}
	if a.tree != nil {
		cmds = append(cmds, a.tree.Update(msg))
	}
	if a.compare != nil {
		cmds = append(cmds, a.compare.Update(msg))
	}
	return tea.Batch(cmds...)
}

// press passes a key to the topmost part.
func (a *App) press(p tea.KeyPressMsg) tea.Cmd {
	k := a.c.Keys
	switch {
	case a.overlay.shown():
		return a.overlay.press(p)
	case k.Is(p, keys.Undo):
		return a.undo()
	case k.Is(p, keys.Suspend):
		return tea.Suspend
	case a.tasks.what != "" && (k.Is(p, keys.Interrupt) || k.Is(p, keys.Clear)):
		a.tasks.interrupt()
		return nil
	case a.compare != nil:
		return a.compare.Update(p)
	case a.tree != nil:
		return a.pressTree(p)
	case a.picker != nil:
		if k.Is(p, keys.Clear) && !a.picker.Querying() {
			return a.leaveApp(true)
		}
		return a.picker.Update(p)
	case a.chat.open == nil:
		if k.Is(p, keys.SelectCancel) || k.Is(p, keys.Clear) {
			return a.leaveApp(true)
		}
		return nil
	}
	return a.chat.press(p)
}

// waits reports whether a key has to wait until the topmost part can handle it.
func (a *App) waits(p tea.KeyPressMsg) bool {
	switch {
	case a.overlay.shown(), a.compare != nil:
		return false
	case a.tree != nil:
		return a.tree.Waits()
	case a.picker != nil:
		return a.picker.Waits(p)
	}
	return a.chat.waits(p)
}

// point passes mouse events and pastes to the topmost part.
func (a *App) point(msg tea.Msg) tea.Cmd {
	switch {
	case a.overlay.shown():
		if pasted, is := msg.(tea.PasteMsg); is {
			a.overlay.top().Paste(pasted.Content)
		}
		return nil
	case a.compare != nil:
		return a.compare.Update(msg)
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

// The smallest window in which screens are drawn.
const (
	leastWidth  = 20
	leastHeight = 5
)

func (a *App) draw() string {
	if a.width < leastWidth || a.height < leastHeight {
		return paint.Block(a.height, a.theme.Line(a.width, paint.Faint("window too small")))
	}
	f := a.frame()
	if a.tasks.what != "" && a.news.now.Text == "" {
		f.Status = []paint.Span{{Tone: paint.Accent, Text: "● " + a.tasks.what}, {Tone: paint.Dim, Text: ", esc cancels"}}
	}
	a.news.over(f, a.c.Keys.Label(keys.Undo))
	if above, _ := paint.Around(a.height); above == 1 && a.news.now.Text != "" {
		f.Hints = nil // a low window has one line for both
	}
	if a.overlay.shown() {
		f.Hints = a.overlay.top().Hints()
	}
	lines := a.theme.Frame(f, a.width, a.height)
	if len(f.Hints) == 0 && len(lines) > 0 {
		lines[len(lines)-1] = a.theme.Line(a.width, append([]paint.Span{{Text: " "}}, f.Status...)...)
	}
	if a.overlay.shown() {
		lines = a.overlay.top().Over(a.theme, lines, a.width, a.height)
	}
	return paint.Block(a.height, lines...)
}

// frame returns the screen on top.
func (a *App) frame() *paint.Frame {
	switch {
	case a.compare != nil:
		return a.compare.Frame(a.theme, a.width, a.height)
	case a.tree != nil:
		return a.tree.Frame(a.theme, a.width, a.height)
	case a.picker != nil:
		return a.picker.Frame(a.theme, a.width, a.height)
	case a.chat.page == nil:
		return &paint.Frame{Status: []paint.Span{{Tone: paint.Dim, Text: "opening…"}}, Hints: []paint.Hint{{Key: a.c.Keys.Label(keys.SelectCancel), Word: "quit"}}}
	}
	return a.chat.frame(a.theme)
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
