package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

// showHelp lists the keys.
func (a *App) showHelp() tea.Cmd {
	k := a.c.Keys
	both := func(x, y keys.Action) string { return k.Letter(x) + " " + k.Letter(y) }
	s := &dialog.Sheet{Keys: k, Title: "Keys", Note: "costs: $1.20 recorded · ~$1.20 estimated · – unknown"}
	switch {
	case a.tree != nil:
		s.Right = "pith · tree of “" + a.chat.names()[1] + "”"
	case a.picker != nil:
		s.Right = "pith · sessions"
	default:
		s.Right = "pith · " + a.chat.names()[1]
	}
	twice := "the tree"
	if a.chat.open != nil {
		switch a.chat.open.Setup.Settings.DoubleEscape {
		case "fork":
			twice = "fork"
		case "none":
			twice = "nothing"
		}
	}
	s.Left = []dialog.Fact{
		{},
		{Name: "Everywhere"},
		{Name: "↑ ↓ j k", About: "move"},
		{Name: k.Labels(keys.SelectPageUp, keys.SelectPageDown), About: "a page"},
		{Name: both(keys.ScrollTop, keys.ScrollBottom), About: "first, last (" + k.Labels(keys.ScrollTop, keys.ScrollBottom) + ")"},
		{Name: both(keys.PreviousPrompt, keys.NextPrompt), About: "previous, next date or prompt"},
		{Name: "← → h l", About: "fold, unfold"},
		{Name: k.Label(keys.SelectConfirm), About: "open, go back to here, fold"},
		{Name: k.Label(keys.InputTab), About: "change the set that is shown; complete a filter"},
		{Name: k.Letter(keys.SearchOpen), About: "search; " + both(keys.SearchNext, keys.SearchPrevious) + " next, previous match"},
		{Name: k.Label(keys.Actions), About: "actions for the selected row"},
		{Name: k.Label(keys.ToolsExpand) + " " + k.Letter(keys.ToolsExpand), About: "fold or unfold all"},
		{Name: k.Label(keys.Undo), About: "undo the last change"},
		{Name: k.Label(keys.SelectCancel), About: "leave the innermost thing; twice in an empty input: " + twice},
		{Name: k.Label(keys.Clear), About: "stop, clear, quit"},
		{},
		{Name: "Sessions list"},
		{Name: "letters", About: "search: words, \"phrases\", re:pattern, #tags, status:error -tag:x cost:>5 since:7d; after an arrow j k g G move"},
		{Name: k.Label(keys.SessionSort), About: "order"},
		{Name: k.Label(keys.SessionNamed), About: "named only"},
		{Name: k.Label(keys.Choose), About: "select several"},
	}
	s.Second = []dialog.Fact{
		{},
		{Name: "Actions (after " + k.Label(keys.Actions) + "; alone in tree and conversation)"},
		{Name: both(keys.Open, keys.OpenElsewhere), About: "open in its agent, in another agent"},
		{Name: k.Letter(keys.Tree), About: "tree, and back"},
		{Name: both(keys.NextBranch, keys.PreviousBranch), About: "next, previous branch point"},
		{Name: both(keys.Fork, keys.Clone), About: "fork before the prompt, clone up to here"},
		{Name: k.Letter(keys.Compare), About: "compare"},
		{Name: k.Letter(keys.SessionRename) + " " + k.Letter(keys.TreeEditLabel), About: "rename (" + k.Label(keys.SessionRename) + "), label"},
		{Name: k.Letter(keys.Mark), About: "pin, archive, tag"},
		{Name: k.Letter(keys.MessageCopy) + " " + k.Letter(keys.Export), About: "copy (" + k.Label(keys.MessageCopy) + "), export"},
		{Name: k.Letter(keys.SessionDelete), About: "delete the session (" + k.Label(keys.SessionDelete) + ")"},
		{Name: both(keys.Choose, keys.ChooseAll), About: "select this row, all rows (list)"},
		{Name: both(keys.Write, keys.Quit), About: "write a message, quit"},
		{},
		{Name: "Writing"},
		{Name: k.Label(keys.InputSubmit), About: "send"},
		{Name: k.Label(keys.FollowUp), About: "queue; " + k.Label(keys.Dequeue) + " edits queued messages"},
		{Name: k.Label(keys.InputNewLine), About: "new line"},
		{Name: "/", About: "commands"},
		{Name: k.Label(keys.ExternalEditor), About: "your editor"},
		{Name: k.Labels(keys.ModelNext, keys.ThinkingCycle), About: "model, thinking level"},
		{},
		{Name: "Marks"},
		{Name: "π C X G O", About: "agent · ↳ fork · ⑂ branches · ◆ current"},
		{Name: "● … ‖ ✗ !", About: "live, waits, interrupted, failed, damaged"},
	}
	a.tell(s)
	return nil
}
