package keys

import "sync"

// The actions that pith has in common with pi.
const (
	SelectUp       Action = "tui.select.up"
	SelectDown     Action = "tui.select.down"
	SelectPageUp   Action = "tui.select.pageUp"
	SelectPageDown Action = "tui.select.pageDown"
	SelectConfirm  Action = "tui.select.confirm"
	SelectCancel   Action = "tui.select.cancel"

	InputTab       Action = "tui.input.tab"
	InputSubmit    Action = "tui.input.submit"
	InputNewLine   Action = "tui.input.newLine"
	CursorLeft     Action = "tui.editor.cursorLeft"
	CursorRight    Action = "tui.editor.cursorRight"
	CursorWordLeft Action = "tui.editor.cursorWordLeft"
	CursorWordEnd  Action = "tui.editor.cursorWordRight"
	LineStart      Action = "tui.editor.cursorLineStart"
	LineEnd        Action = "tui.editor.cursorLineEnd"
	DeleteBackward Action = "tui.editor.deleteCharBackward"
	DeleteForward  Action = "tui.editor.deleteCharForward"
	DeleteWord     Action = "tui.editor.deleteWordBackward"
	DeleteToStart  Action = "tui.editor.deleteToLineStart"
	DeleteToEnd    Action = "tui.editor.deleteToLineEnd"

	ScrollPageUp   Action = "tui.altScreen.pageUp"
	ScrollPageDown Action = "tui.altScreen.pageDown"
	ScrollTop      Action = "tui.altScreen.top"
	ScrollBottom   Action = "tui.altScreen.bottom"
	PreviousPrompt Action = "tui.altScreen.previousPrompt"
	NextPrompt     Action = "tui.altScreen.nextPrompt"
	SearchOpen     Action = "tui.altScreen.search"
	SearchNext     Action = "tui.altScreen.searchNext"
	SearchPrevious Action = "tui.altScreen.searchPrevious"

	Interrupt      Action = "app.interrupt"
	Clear          Action = "app.clear"
	Exit           Action = "app.exit"
	Suspend        Action = "app.suspend"
	ThinkingCycle  Action = "app.thinking.cycle"
	ModelNext      Action = "app.model.cycleForward"
	ToolsExpand    Action = "app.tools.expand"
	ThinkingToggle Action = "app.thinking.toggle"
	MessageCopy    Action = "app.message.copy"
	FollowUp       Action = "app.message.followUp"
	Dequeue        Action = "app.message.dequeue"
	ExternalEditor Action = "app.editor.external"

	SessionNew         Action = "app.session.new"
	SessionTree        Action = "app.session.tree"
	SessionFork        Action = "app.session.fork"
	SessionResume      Action = "app.session.resume"
	SessionSort        Action = "app.session.toggleSort"
	SessionNamed       Action = "app.session.toggleNamedFilter"
	SessionPath        Action = "app.session.togglePath"
	SessionRename      Action = "app.session.rename"
	SessionDelete      Action = "app.session.delete"
	SessionDeleteQuiet Action = "app.session.deleteNoninvasive"

	TreeFoldOrUp       Action = "app.tree.foldOrUp"
	TreeUnfoldOrDown   Action = "app.tree.unfoldOrDown"
	TreeEditLabel      Action = "app.tree.editLabel"
	TreeFilterDefault  Action = "app.tree.filter.default"
	TreeFilterUser     Action = "app.tree.filter.userOnly"
	TreeFilterLabeled  Action = "app.tree.filter.labeledOnly"
	TreeFilterAll      Action = "app.tree.filter.all"
	TreeFilterNext     Action = "app.tree.filter.cycleForward"
	TreeFilterPrevious Action = "app.tree.filter.cycleBackward"
)

// The actions that only pith has.
const (
	Help           Action = "pith.help"
	Actions        Action = "pith.actions"
	Undo           Action = "pith.undo"
	Open           Action = "pith.open"
	OpenElsewhere  Action = "pith.openElsewhere"
	Tree           Action = "pith.tree"
	NextBranch     Action = "pith.nextBranch"
	PreviousBranch Action = "pith.previousBranch"
	Fork           Action = "pith.fork"
	Clone          Action = "pith.clone"
	Compare        Action = "pith.compare"
	Mark           Action = "pith.mark"
	Export         Action = "pith.export"
	Choose         Action = "pith.select"
	ChooseAll      Action = "pith.selectAll"
	Write          Action = "pith.write"
	Quit           Action = "pith.quit"
)

// defaults returns the keys of actions. A letter is a key only where nothing is typed.
var defaults = sync.OnceValue(func() map[Action][]string {
	return map[Action][]string{
		SelectUp: {"up", "k"}, SelectDown: {"down", "j"}, SelectPageUp: {"pageUp"}, SelectPageDown: {"pageDown"},
		SelectConfirm: {"enter"}, SelectCancel: {"escape"},
		InputTab: {"tab"}, InputSubmit: {"enter"}, InputNewLine: {"shift+enter", "ctrl+j"},
		CursorLeft: {"left", "ctrl+b"}, CursorRight: {"right", "ctrl+f"},
		CursorWordLeft: {"alt+left", "ctrl+left", "alt+b"}, CursorWordEnd: {"alt+right", "ctrl+right", "alt+f"},
		LineStart: {"home", "ctrl+home", "ctrl+a"}, LineEnd: {"end", "ctrl+end", "ctrl+e"},
		DeleteBackward: {"backspace"}, DeleteForward: {"delete", "ctrl+d"},
		DeleteWord: {"ctrl+w", "alt+backspace"}, DeleteToStart: {"ctrl+u"}, DeleteToEnd: {"ctrl+k"},
		ScrollPageUp: {"pageUp"}, ScrollPageDown: {"pageDown"}, ScrollTop: {"home", "g"}, ScrollBottom: {"end", "G"},
		PreviousPrompt: {"[", "ctrl+up", "ctrl+shift+up"}, NextPrompt: {"]", "ctrl+down", "ctrl+shift+down"},
		SearchOpen: {"/", "ctrl+shift+f"}, SearchNext: {"n", "ctrl+g"}, SearchPrevious: {"N", "ctrl+shift+g"},
		Interrupt: {"escape"}, Clear: {"ctrl+c"}, Exit: {"ctrl+d"}, Suspend: {},
		ThinkingCycle: {"shift+tab"}, ModelNext: {"ctrl+p"}, ToolsExpand: {"ctrl+o", "e"}, ThinkingToggle: {},
		MessageCopy: {"ctrl+x", "y"}, FollowUp: {"alt+enter"}, Dequeue: {"alt+up"}, ExternalEditor: {"ctrl+g"},
		SessionNew: {}, SessionTree: {}, SessionFork: {}, SessionResume: {},
		SessionSort: {"ctrl+s", "s"}, SessionNamed: {"ctrl+n"}, SessionPath: {}, SessionRename: {"ctrl+r", "r"},
		SessionDelete: {"ctrl+d", "d"}, SessionDeleteQuiet: {"ctrl+backspace"},
		TreeFoldOrUp: {"left", "h", "ctrl+left", "alt+left"}, TreeUnfoldOrDown: {"right", "l", "ctrl+right", "alt+right"},
		TreeEditLabel: {"L"}, TreeFilterDefault: {}, TreeFilterUser: {}, TreeFilterLabeled: {}, TreeFilterAll: {},
		TreeFilterNext: {"tab"}, TreeFilterPrevious: {"shift+tab"},
		Help: {"?"}, Actions: {"space"}, Undo: {"ctrl+z"}, Open: {"o"}, OpenElsewhere: {"O"}, Tree: {"t"}, NextBranch: {"b"}, PreviousBranch: {"B"},
		Fork: {"f"}, Clone: {"c"}, Compare: {"v"}, Mark: {"m"}, Export: {"x"}, Choose: {"ctrl+space", "a"}, ChooseAll: {"A"}, Write: {"i"}, Quit: {"q"},
	}
})

// oldNames are the names of some actions in early versions of pi.
var oldNames = sync.OnceValue(func() map[string]Action {
	return map[string]Action{
		"selectUp": SelectUp, "selectDown": SelectDown, "selectPageUp": SelectPageUp, "selectPageDown": SelectPageDown,
		"selectConfirm": SelectConfirm, "selectCancel": SelectCancel,
		"tab": InputTab, "submit": InputSubmit, "newLine": InputNewLine,
		"cursorLeft": CursorLeft, "cursorRight": CursorRight, "cursorWordLeft": CursorWordLeft, "cursorWordRight": CursorWordEnd,
		"cursorLineStart": LineStart, "cursorLineEnd": LineEnd,
		"deleteCharBackward": DeleteBackward, "deleteCharForward": DeleteForward, "deleteWordBackward": DeleteWord,
		"deleteToLineStart": DeleteToStart, "deleteToLineEnd": DeleteToEnd,
		"interrupt": Interrupt, "clear": Clear, "exit": Exit, "suspend": Suspend,
		"cycleThinkingLevel": ThinkingCycle, "cycleModelForward": ModelNext, "expandTools": ToolsExpand,
		"toggleThinking": ThinkingToggle, "followUp": FollowUp, "dequeue": Dequeue, "externalEditor": ExternalEditor,
		"newSession": SessionNew, "tree": SessionTree, "fork": SessionFork, "resume": SessionResume,
		"toggleSessionSort": SessionSort, "toggleSessionNamedFilter": SessionNamed, "toggleSessionPath": SessionPath,
		"renameSession": SessionRename, "deleteSession": SessionDelete, "deleteSessionNoninvasive": SessionDeleteQuiet,
		"treeFoldOrUp": TreeFoldOrUp, "treeUnfoldOrDown": TreeUnfoldOrDown, "treeEditLabel": TreeEditLabel,
	}
})
