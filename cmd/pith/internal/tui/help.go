package tui

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

// filterHelp describes the filters of a search of the list.
const filterHelp = "status:error,pending -tag:x cost:>5 since:7d tool:bash filter, tab completes them"

// pickerHelp lists the keys of the list of sessions.
func pickerHelp(k *keys.Map) *dialog.Sheet {
	return &dialog.Sheet{Title: "Sessions", Facts: []dialog.Fact{
		{Name: k.Labels(keys.SelectUp, keys.SelectDown), About: "move"},
		{Name: k.Labels(keys.SelectPageUp, keys.SelectPageDown), About: "page up and down"},
		{Name: k.Labels(keys.ScrollTop, keys.ScrollBottom), About: "first, last"},
		{Name: k.Label(keys.SelectConfirm), About: "open"},
		{Name: "letters", About: `search titles and messages: words, "phrases", #tags, re:pattern; ` + filterHelp},
		{Name: k.Labels(keys.InputTab, keys.ToggleScope), About: "this project or all projects"},
		{Name: k.Label(keys.SessionSort), About: "sort: threaded, recent, relevance"},
		{Name: k.Label(keys.SessionNamed), About: "show named sessions only"},
		{Name: k.Label(keys.ToggleForks), About: "hide forks"},
		{Name: k.Label(keys.SessionPath), About: "show paths"},
		{Name: k.Label(keys.SessionRename), About: "rename"},
		{Name: k.Labels(keys.Pin, keys.Archive), About: "pin (list first), archive"},
		{Name: k.Label(keys.Choose), About: "select several, to delete, pin, archive or tag them together"},
		{Name: k.Label(keys.Tag), About: "edit tags"},
		{Name: k.Label(keys.ShowArchived), About: "show archived sessions"},
		{Name: k.Label(keys.SessionDelete), About: "delete: y or Enter to confirm, n or Esc to cancel"},
		{Name: k.Label(keys.Undo), About: "undo delete"},
		{Name: k.Label(keys.HandoverHere), About: "open in the other agent"},
		{Name: k.Labels(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), About: "fork, clone, export; new session"},
		{Name: "mouse", About: "wheel to scroll, click to select, click again to open"},
		{Name: k.Label(keys.SelectCancel), About: "close"},
	}}
}

// chooserHelp lists the keys of pith pick.
func chooserHelp(k *keys.Map) *dialog.Sheet {
	return &dialog.Sheet{Title: "Choose a session", Facts: []dialog.Fact{
		{Name: k.Labels(keys.SelectUp, keys.SelectDown), About: "move"},
		{Name: k.Labels(keys.SelectPageUp, keys.SelectPageDown), About: "page up and down"},
		{Name: k.Labels(keys.ScrollTop, keys.ScrollBottom), About: "first, last"},
		{Name: "letters", About: `search titles and messages: words, "phrases", #tags, re:pattern; ` + filterHelp},
		{Name: k.Label(keys.SelectConfirm), About: "choose"},
		{Name: k.Label(keys.InputTab), About: "select several"},
		{Name: k.Label(keys.ToggleScope), About: "this project or all projects"},
		{Name: k.Label(keys.SessionSort), About: "sort: threaded, recent, relevance"},
		{Name: k.Label(keys.SessionNamed), About: "show named sessions only"},
		{Name: k.Label(keys.ToggleForks), About: "hide forks"},
		{Name: k.Label(keys.SessionPath), About: "show paths"},
		{Name: k.Label(keys.ShowArchived), About: "show archived sessions"},
		{Name: k.Label(keys.SelectCancel), About: "cancel"},
	}}
}

func treeHelp(k *keys.Map) *dialog.Sheet {
	return &dialog.Sheet{Title: "Session tree", Facts: []dialog.Fact{
		{Name: k.Labels(keys.SelectUp, keys.SelectDown) + " j k", About: "move"},
		{Name: k.Labels(keys.ScrollTop, keys.ScrollBottom) + " g G", About: "first, last"},
		{Name: k.Labels(keys.CursorLeft, keys.CursorRight), About: "page up and down"},
		{Name: k.Labels(keys.TreeFoldOrUp, keys.TreeUnfoldOrDown), About: "fold and unfold, or jump to the next branch point"},
		{Name: k.Label(keys.SelectConfirm), About: "continue from here; a user message goes back to the editor"},
		{Name: "/", About: "search"},
		{Name: k.Labels(keys.TreeFilterDefault, keys.TreeFilterNoTools, keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFilterAll), About: "filters"},
		{Name: k.Labels(keys.TreeFilterNext, keys.TreeFilterPrevious), About: "next and previous filter"},
		{Name: k.Labels(keys.TreeEditLabel, keys.TreeLabelTime), About: "edit label, show label times"},
		{Name: k.Label(keys.MessageCopy), About: "copy"},
		{Name: "d", About: "compare: press it on two entries"},
		{Name: k.Labels(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), About: "fork, clone or export from here; new session"},
		{Name: "mouse", About: "wheel to scroll, click to select, click again to continue there"},
		{Name: k.Label(keys.SelectCancel), About: "clear the search, close"},
	}}
}

// chatHelp lists the keys and commands of a conversation. twice describes the
// effect of pressing Esc twice, agent is the name of the other agent.
func chatHelp(k *keys.Map, twice, agent string) *dialog.Sheet {
	facts := []dialog.Fact{
		{Name: k.Label(keys.Interrupt), About: "interrupt, then read, then back to the list; twice: " + twice},
		{Name: k.Labels(keys.ScrollPageUp, keys.ScrollPageDown), About: "scroll"},
		{Name: k.Labels(keys.PreviousPrompt, keys.NextPrompt), About: "previous and next user message"},
		{Name: k.Labels(keys.ToolsExpand, keys.ThinkingToggle), About: "expand tools, thinking"},
		{Name: k.Label(keys.MessageCopy), About: "copy"},
		{Name: "while reading", About: "j k scroll · { } messages · [ ] items · Enter expand · w wrap · / search, n N · y copy"},
		{About: "c contents · T times"},
		{About: "i write · t tree · r sessions · o open in " + agent + " · g G top, bottom · q quit"},
		{Name: k.Label(keys.InputSubmit), About: "send; steers the model while it works"},
		{Name: k.Label(keys.FollowUp), About: "send after the model has finished"},
		{Name: k.Label(keys.Dequeue), About: "edit queued messages"},
		{Name: k.Label(keys.InputNewLine), About: "new line"},
		{Name: k.Labels(keys.ThinkingCycle, keys.ModelNext), About: "thinking level, next model"},
		{Name: k.Label(keys.ExternalEditor), About: "open your editor"},
		{Name: k.Label(keys.Suspend), About: "suspend; fg resumes"},
		{Name: "mouse", About: "wheel to scroll, click to expand"},
	}
	for _, c := range commandTable() {
		facts = append(facts, dialog.Fact{Name: c.Usage(), About: c.About})
	}
	return &dialog.Sheet{Title: "Conversation", Facts: facts}
}
