package tui

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
)

// pickerHelp lists the keys of the list of sessions.
func pickerHelp(k *keys.Map) *dialog.Sheet {
	return &dialog.Sheet{Title: "Sessions", Facts: []dialog.Fact{
		{Name: k.Labels(keys.SelectUp, keys.SelectDown), About: "move"},
		{Name: k.Labels(keys.SelectPageUp, keys.SelectPageDown), About: "move by a page"},
		{Name: k.Labels(keys.ScrollTop, keys.ScrollBottom), About: "first, last"},
		{Name: k.Label(keys.SelectConfirm), About: "open"},
		{Name: "letters", About: `search: words or parts of them, "phrases", #tags, re:pattern; each anywhere in a session`},
		{Name: k.Label(keys.InputTab), About: "sessions of this folder, or all"},
		{Name: k.Label(keys.SessionSort), About: "threaded, recent, by relevance"},
		{Name: k.Label(keys.SessionNamed), About: "named sessions only"},
		{Name: k.Label(keys.ToggleForks), About: "without forks"},
		{Name: k.Label(keys.SessionPath), About: "show files"},
		{Name: k.Label(keys.SessionRename), About: "rename"},
		{Name: k.Labels(keys.Pin, keys.Archive), About: "pin it (first in the list, with a star), archive it"},
		{Name: k.Label(keys.Choose), About: "choose several, to delete, pin, archive or tag them at once"},
		{Name: k.Label(keys.Tag), About: "tags"},
		{Name: k.Label(keys.ShowArchived), About: "show archived sessions too"},
		{Name: k.Label(keys.SessionDelete), About: "delete: y or Enter confirms, n or Esc does not"},
		{Name: k.Labels(keys.Undo, keys.ShowTrash), About: "bring back what was just deleted; what is in the trash"},
		{Name: k.Label(keys.HandoverHere), About: "open it in the other agent"},
		{Name: k.Labels(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), About: "fork, clone, export it; begin a new session"},
		{Name: "mouse", About: "the wheel moves, a click selects, another opens"},
		{Name: k.Label(keys.SelectCancel), About: "close"},
	}}
}

// treeHelp lists the keys of the tree.
func treeHelp(k *keys.Map) *dialog.Sheet {
	return &dialog.Sheet{Title: "Session tree", Facts: []dialog.Fact{
		{Name: k.Labels(keys.SelectUp, keys.SelectDown) + " j k", About: "move"},
		{Name: k.Labels(keys.ScrollTop, keys.ScrollBottom) + " g G", About: "first, last"},
		{Name: k.Labels(keys.CursorLeft, keys.CursorRight), About: "move by a page"},
		{Name: k.Labels(keys.TreeFoldOrUp, keys.TreeUnfoldOrDown), About: "fold and unfold, or go to the next branching"},
		{Name: k.Label(keys.SelectConfirm), About: "go there; your own messages come back into the editor"},
		{Name: "/", About: "search"},
		{Name: k.Labels(keys.TreeFilterDefault, keys.TreeFilterNoTools, keys.TreeFilterUser, keys.TreeFilterLabeled, keys.TreeFilterAll), About: "filters"},
		{Name: k.Labels(keys.TreeFilterNext, keys.TreeFilterPrevious), About: "next and previous filter"},
		{Name: k.Labels(keys.TreeEditLabel, keys.TreeLabelTime), About: "label, times of labels"},
		{Name: k.Label(keys.MessageCopy), About: "copy"},
		{Name: k.Labels(keys.ForkHere, keys.CloneHere, keys.ExportHere, keys.NewHere), About: "fork, clone, export from here; begin a new session"},
		{Name: "mouse", About: "the wheel moves, a click selects, another goes there"},
		{Name: k.Label(keys.SelectCancel), About: "end the search, close"},
	}}
}

// chatHelp lists the keys and commands of a conversation. twice describes the
// effect of pressing Esc twice, agent is the name of the other agent.
func chatHelp(k *keys.Map, twice, agent string) *dialog.Sheet {
	facts := []dialog.Fact{
		{Name: k.Label(keys.Interrupt), About: "interrupt; else read, then back to the list; twice: " + twice},
		{Name: k.Labels(keys.ScrollPageUp, keys.ScrollPageDown), About: "scroll"},
		{Name: k.Labels(keys.PreviousPrompt, keys.NextPrompt), About: "previous and next message of yours"},
		{Name: k.Labels(keys.ToolsExpand, keys.ThinkingToggle), About: "unfold tools, thinking"},
		{Name: k.Label(keys.MessageCopy), About: "copy"},
		{Name: "while reading", About: "j k scroll · { } messages · [ ] items · Enter unfolds · w wraps · / search, n N · y copies"},
		{About: "i writes · t tree · r sessions · o opens in " + agent + " · g G ends · q quits"},
		{Name: k.Label(keys.InputSubmit), About: "send; while the model works it is steered"},
		{Name: k.Label(keys.FollowUp), About: "send when the model has nothing more to do"},
		{Name: k.Label(keys.Dequeue), About: "take back what waits"},
		{Name: k.Label(keys.InputNewLine), About: "new line"},
		{Name: k.Labels(keys.ThinkingCycle, keys.ModelNext), About: "level of thinking, next model"},
		{Name: k.Label(keys.ExternalEditor), About: "write in your own editor"},
		{Name: k.Label(keys.Suspend), About: "to the shell; fg comes back"},
		{Name: "mouse", About: "the wheel scrolls, a click unfolds"},
	}
	for _, c := range commandTable() {
		facts = append(facts, dialog.Fact{Name: c.Usage(), About: c.About})
	}
	return &dialog.Sheet{Title: "Conversation", Facts: facts}
}
