package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A hint is a key, or several, and what they do.
type hint struct {
	keys  string
	about string
}

// A sheet lists things and what is to be said about them: the keys of what is on
// the screen, the facts of a session.
type sheet struct {
	title string
	hints []hint
	top   int
}

// showHelp lists the keys of what is on the screen.
func (a *App) showHelp() {
	title, hints := a.hints()
	a.sheet = &sheet{title: title, hints: hints}
}

// pressSheet scrolls where not all fits; any other key goes back.
func (a *App) pressSheet(p tea.KeyPressMsg) tea.Cmd {
	page := max(1, a.height-2)
	switch {
	case a.is(p, keys.SelectDown) || p.Text == "j":
		a.sheet.top++
	case a.is(p, keys.SelectUp) || p.Text == "k":
		a.sheet.top--
	case a.is(p, keys.SelectPageDown) || p.Text == " ":
		a.sheet.top += page
	case a.is(p, keys.SelectPageUp):
		a.sheet.top -= page
	default:
		a.sheet = nil
		return nil
	}
	a.sheet.top = max(0, min(a.sheet.top, len(a.sheetLines())-(a.height-1)))
	return nil
}

// sheetView draws the list; its last line says how to leave it.
func (a *App) sheetView() string {
	lines := a.sheetLines()
	foot := "any key goes back"
	if len(lines) > a.height-1 {
		foot = a.label(keys.SelectUp, keys.SelectDown) + " scroll · any other key goes back"
		lines = lines[min(a.sheet.top, len(lines)):]
	}
	lines = lines[:min(len(lines), max(0, a.height-1))]
	for len(lines) < a.height-1 {
		lines = append(lines, "")
	}
	return paint.Block(a.height, append(lines, a.theme.Line(a.width, paint.Span{Tone: paint.Dim, Text: foot}))...)
}

func (a *App) sheetLines() []string {
	lines := []string{a.theme.Rule(a.width), a.theme.Line(a.width, paint.Span{Tone: paint.Strong, Text: a.sheet.title}), ""}
	cells := 0
	for _, h := range a.sheet.hints {
		cells = max(cells, termsafe.Width(h.keys))
	}
	if a.width < narrow {
		return append(lines, a.stacked(a.sheet.hints)...)
	}
	cells = min(cells, a.width/2)
	for _, h := range a.sheet.hints {
		keys := paint.Span{Tone: paint.Accent, Text: "  " + termsafe.Pad(termsafe.Fit(h.keys, cells), cells) + "  "}
		for row := range strings.SplitSeq(ansi.Wrap(termsafe.Line(h.about), max(8, a.width-cells-4), " "), "\n") {
			lines = append(lines, a.theme.Line(a.width, keys, paint.Span{Text: row}))
			keys.Text = strings.Repeat(" ", cells+4)
		}
	}
	return lines
}

// narrow is below how many columns keys stand above what they do.
const narrow = 50

func (a *App) stacked(hints []hint) []string {
	var lines []string
	for _, h := range hints {
		if h.keys != "" {
			lines = append(lines, a.theme.Line(a.width, paint.Span{Tone: paint.Accent, Text: h.keys}))
		}
		for row := range strings.SplitSeq(ansi.Wrap(termsafe.Line(h.about), max(8, a.width-2), " "), "\n") {
			lines = append(lines, a.theme.Line(a.width, paint.Span{Text: "  " + row}))
		}
	}
	return lines
}

func (a *App) hints() (string, []hint) {
	switch {
	case a.tree != nil:
		return "Session tree", a.treeHints()
	case a.picker != nil:
		return "Sessions", a.pickerHints()
	}
	return "Conversation", a.conversationHints()
}

// label joins the keys of actions.
func (a *App) label(actions ...keys.Action) string {
	var parts []string
	for _, action := range actions {
		if l := a.c.Keys.Label(action); l != "" {
			parts = append(parts, l)
		}
	}
	return strings.Join(parts, " ")
}

func (a *App) pickerHints() []hint {
	return []hint{
		{a.label(keys.SelectUp, keys.SelectDown) + " j k", "move (j and k while nothing is typed)"},
		{a.label(keys.SelectPageUp, keys.SelectPageDown), "move by a page"},
		{a.label(keys.SelectConfirm), "open"},
		{"/ or letters", `search: words, "phrases", #tags, re:pattern; texts are searched too`},
		{a.label(keys.InputTab), "sessions of this folder, or all"},
		{a.label(keys.SessionSort), "threaded, recent, by relevance"},
		{a.label(keys.SessionNamed), "named sessions only"},
		{a.label(keys.ToggleForks), "without forks"},
		{a.label(keys.SessionPath), "show files"},
		{a.label(keys.SessionRename), "rename"},
		{a.label(keys.Pin, keys.Archive), "pin it (first in the list, with a star), archive it"},
		{a.label(keys.ShowArchived), "show archived sessions too"},
		{a.label(keys.SessionDelete), "delete: y or Enter confirms, n or Esc does not"},
		{a.label(keys.Undo), "bring back what was just deleted"},
		{a.label(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), "fork, clone, export it; begin a new session"},
		{"mouse", "the wheel moves, a click selects, another opens"},
		{a.label(keys.SelectCancel), "close"},
	}
}

func (a *App) treeHints() []hint {
	return []hint{
		{a.label(keys.SelectUp, keys.SelectDown) + " j k", "move (j and k while nothing is typed)"},
		{a.label(keys.CursorLeft, keys.CursorRight), "move by a page"},
		{a.label(keys.TreeFoldOrUp, keys.TreeUnfoldOrDown), "fold and unfold, or go to the next branching"},
		{a.label(keys.SelectConfirm), "go there; your own messages come back into the editor"},
		{"letters", "search"},
		{a.label(keys.TreeFilterDefault, keys.TreeFilterNoTools, keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFilterAll), "filters"},
		{a.label(keys.TreeFilterNext, keys.TreeFilterPrevious), "next and previous filter"},
		{a.label(keys.TreeEditLabel, keys.TreeLabelTime), "label, times of labels"},
		{a.label(keys.MessageCopy), "copy"},
		{a.label(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), "fork, clone, export from here; begin a new session"},
		{"mouse", "the wheel moves, a click selects, another goes there"},
		{a.label(keys.SelectCancel), "end the search, close"},
	}
}

// twiceText says what Esc twice does.
func (a *App) twiceText() string {
	if a.open == nil {
		return "the tree"
	}
	switch a.open.setup.Settings.DoubleEscape {
	case "fork":
		return "fork"
	case "none":
		return "nothing"
	}
	return "the tree"
}

func (a *App) conversationHints() []hint {
	list := []hint{
		{a.label(keys.Interrupt), "interrupt; else read; twice: " + a.twiceText()},
		{a.label(keys.ScrollPageUp, keys.ScrollPageDown), "scroll"},
		{a.label(keys.PreviousPrompt, keys.NextPrompt), "previous and next message of yours"},
		{a.label(keys.ToolsExpand, keys.ThinkingToggle), "unfold tools, thinking"},
		{a.label(keys.MessageCopy), "copy"},
		{"while reading", "j k scroll · { } messages · [ ] items · Enter unfolds · / search, n N · y copies"},
		{"", "i writes · t tree · r sessions · o opens in " + a.agentName() + " · g G ends · q quits"},
		{a.label(keys.InputSubmit), "send; while the model works it is steered"},
		{a.label(keys.FollowUp), "send when the model has nothing more to do"},
		{a.label(keys.Dequeue), "take back what waits"},
		{a.label(keys.InputNewLine), "new line"},
		{a.label(keys.ThinkingCycle, keys.ModelNext), "level of thinking, next model"},
		{a.label(keys.ExternalEditor), "write in your own editor"},
		{a.label(keys.Suspend), "to the shell; fg comes back"},
		{"mouse", "the wheel scrolls, a click unfolds"},
	}
	for _, c := range commands() {
		list = append(list, hint{strings.TrimSpace("/" + c.name + " " + c.argument), c.about})
	}
	return list
}
