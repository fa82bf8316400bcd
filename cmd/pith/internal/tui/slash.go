package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/slash"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// commandTable returns all commands, in the order of help. It is a function
// because help, which is one of them, lists them.
func commandTable() slash.Table[func(c *commands, argument string) tea.Cmd] {
	return slash.Table[func(c *commands, argument string) tea.Cmd]{
		{Name: "resume", About: "choose another session", Do: func(c *commands, _ string) tea.Cmd { return c.showPicker() }},
		{Name: "tree", About: "browse the branches of this session", Do: func(c *commands, _ string) tea.Cmd { return c.showTree("") }},
		{Name: "fork", About: "start a new session before one of your messages", Do: func(c *commands, _ string) tea.Cmd { return c.showForks() }},
		{Name: "clone", About: "copy the conversation up to here into a new session", Do: func(c *commands, _ string) tea.Cmd { return c.clone() }},
		{Name: "name", Arguments: "[text]", About: "show or set the name of the session", Do: (*commands).name},
		{Name: "session", About: "show message counts, tokens and cost", Do: func(c *commands, _ string) tea.Cmd { return c.facts() }},
		{Name: "new", About: "start a new session", Do: func(c *commands, _ string) tea.Cmd { return c.newSession() }},
		{Name: "compact", Arguments: "[instructions]", About: "summarize the older part of the conversation", Do: (*commands).compact},
		{Name: "label", Arguments: "[entry] [text]", About: "show or set the label of an entry (default: the current one); - removes it", Do: (*commands).label},
		{Name: "model", Arguments: "[provider/id]", About: "list the models, or switch to another", Do: (*commands).model},
		{Name: "thinking", Arguments: "[level]", About: "show or set the thinking level", Do: (*commands).thinking},
		{Name: "export", Arguments: "[path]", About: "export as HTML, Markdown or JSONL, with secrets replaced", Do: func(c *commands, path string) tea.Cmd { return c.export("", path) }},
		{Name: "delete", About: "move this session to the trash", Do: func(c *commands, _ string) tea.Cmd { return c.delete() }},
		{Name: "help", About: "show keys and commands", Do: func(c *commands, _ string) tea.Cmd { return c.showHelp() }},
		{Name: "quit", About: "quit", Do: func(c *commands, _ string) tea.Cmd { return c.leaveApp(false) }},
	}
}

func (c *commands) run(text string) tea.Cmd {
	name, argument := slash.Split(text)
	if known := commandTable().Find(name); known != nil {
		return known.Do(c, argument)
	}
	c.chat.editor.set(text)
	return c.say(paint.Error, "unknown command /"+name+"; /help lists them")
}

// complete completes the name of a command as far as it is unique. The matching
// commands are listed above it.
func (c *commands) complete() tea.Cmd {
	if prefix := c.chat.editor.value(); slash.Is(prefix) {
		c.chat.editor.set(commandTable().Complete(prefix))
	}
	return nil
}
