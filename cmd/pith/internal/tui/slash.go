package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A command is what a slash and a word do.
type command struct {
	name, argument, about string
	run                   func(c *commands, argument string) tea.Cmd
}

// commandTable are all of them, in the order of help. They are set up in a
// function because help, which is one of them, lists them.
func commandTable() []command {
	show := func(s screen) func(*commands, string) tea.Cmd {
		return func(c *commands, _ string) tea.Cmd { return c.host.show(s) }
	}
	return []command{
		{"resume", "", "choose another session", show(listScreen)},
		{"tree", "", "walk the branches of this session", show(treeScreen)},
		{"fork", "", "a new session that ends before one of your messages", show(forkScreen)},
		{"clone", "", "a new session of the conversation up to here", func(c *commands, _ string) tea.Cmd { return c.clone() }},
		{"name", "[text]", "give the session a name, or show it", (*commands).name},
		{"session", "", "what the session holds and has cost", func(c *commands, _ string) tea.Cmd { return c.facts() }},
		{"new", "", "begin a new session", func(c *commands, _ string) tea.Cmd { return c.newSession() }},
		{"compact", "[instructions]", "summarise the older part of the conversation", (*commands).compact},
		{"label", "[text]", "label where the session stands", func(c *commands, text string) tea.Cmd { return c.setLabel("", text) }},
		{"model", "[provider/id]", "choose the model, or list them", (*commands).model},
		{"thinking", "[level]", "choose how much the model thinks", (*commands).thinking},
		{"export", "[path]", "write the conversation up to here to a file", func(c *commands, path string) tea.Cmd { return c.export("", path) }},
		{"delete", "", "move this session to the trash", func(c *commands, _ string) tea.Cmd { return c.delete() }},
		{"help", "", "keys and commands", show(helpScreen)},
		{"quit", "", "end", func(c *commands, _ string) tea.Cmd { return c.host.leaveApp(false) }},
	}
}

// run does what was written.
func (c *commands) run(text string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, known := range commandTable() {
		if known.name == name {
			return known.run(c, strings.TrimSpace(argument))
		}
	}
	c.chat.editor.set(text)
	return c.host.say(paint.Error, "no command /"+name+"; /help lists them")
}

// fitting are the commands whose names begin as what is written.
func fitting(text string) []command {
	begun, ok := strings.CutPrefix(text, "/")
	if !ok || strings.ContainsAny(begun, " \n") {
		return nil
	}
	var fit []command
	for _, known := range commandTable() {
		if strings.HasPrefix(known.name, begun) {
			fit = append(fit, known)
		}
	}
	return fit
}

// complete finishes the name of a command: as far as it is certain.
func (c *commands) complete() tea.Cmd {
	var fit []string
	for _, known := range fitting(c.chat.editor.value()) {
		fit = append(fit, known.name)
	}
	switch len(fit) {
	case 0:
		return nil
	case 1:
		c.chat.editor.set("/" + fit[0] + " ")
		return nil
	}
	c.chat.editor.set("/" + sharedStart(fit)) // they are listed above it
	return nil
}

func sharedStart(words []string) string {
	start := words[0]
	for _, w := range words[1:] {
		for !strings.HasPrefix(w, start) {
			start = start[:len(start)-1]
		}
	}
	return start
}
