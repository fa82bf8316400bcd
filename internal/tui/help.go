package tui

import (
	"strings"

	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/internal/tui/look"
)

// A hint is a key, or several, and what they do.
type hint struct {
	keys  string
	about string
}

// helpView lists the keys of what is on the screen.
func (a *App) helpView() string {
	title, hints := a.hints()
	lines := []string{a.theme.Rule(a.width), a.theme.Line(a.width, look.Span{Tone: look.Strong, Text: title}), ""}
	cells := 0
	for _, h := range hints {
		cells = max(cells, plain.Width(h.keys))
	}
	for _, h := range hints {
		lines = append(lines, a.theme.Line(a.width, look.Span{Tone: look.Accent, Text: "  " + plain.Pad(h.keys, cells) + "  "}, look.Span{Text: h.about}))
	}
	lines = append(lines, "", a.theme.Line(a.width, look.Span{Tone: look.Dim, Text: "any key goes back"}))
	return look.Block(a.height, lines...)
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
		{"/ or letters", `search: words, "phrases", re:pattern; texts are searched too`},
		{a.label(keys.InputTab), "sessions of this folder, or all"},
		{a.label(keys.SessionSort), "threaded, recent, by relevance"},
		{a.label(keys.SessionNamed), "named sessions only"},
		{a.label(keys.ToggleForks), "without forks"},
		{a.label(keys.SessionPath), "show files"},
		{a.label(keys.SessionRename), "rename"},
		{a.label(keys.SessionDelete), "delete: y or Enter confirms, n or Esc does not"},
		{a.label(keys.Undo), "bring back what was just deleted"},
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
		{a.label(keys.ForkHere, keys.CloneHere, keys.ExportHere), "fork, clone, export from here"},
		{a.label(keys.SelectCancel), "end the search, close"},
	}
}

func (a *App) conversationHints() []hint {
	list := []hint{
		{a.label(keys.Interrupt), "interrupt; else read; twice shows the tree"},
		{a.label(keys.ScrollPageUp, keys.ScrollPageDown), "scroll"},
		{a.label(keys.PreviousPrompt, keys.NextPrompt), "previous and next message of yours"},
		{a.label(keys.ToolsExpand, keys.ThinkingToggle), "unfold tools, thinking"},
		{a.label(keys.MessageCopy), "copy"},
		{"while reading", "j k scroll · { } messages · [ ] items · Enter unfolds · / search, n N · y copies"},
		{"", "i writes · t tree · r sessions · o opens in pi · g G ends · q quits"},
		{a.label(keys.InputSubmit), "send; while the model works it is steered"},
		{a.label(keys.FollowUp), "send when the model has nothing more to do"},
		{a.label(keys.Dequeue), "take back what waits"},
		{a.label(keys.InputNewLine), "new line"},
		{a.label(keys.ThinkingCycle), "level of thinking"},
	}
	for _, c := range commands() {
		list = append(list, hint{strings.TrimSpace("/" + c.name + " " + c.argument), c.about})
	}
	return list
}
