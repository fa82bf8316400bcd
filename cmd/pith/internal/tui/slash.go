package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A command is what a slash and a word do.
type command struct {
	name, argument, about string
	run                   func(a *App, argument string) tea.Cmd
}

// commands are all of them, in the order of help. They are set up in a function
// because help, which is one of them, lists them.
func commands() []command {
	return []command{
		{"resume", "", "choose another session", func(a *App, _ string) tea.Cmd { return a.showPicker() }},
		{"tree", "", "walk the branches of this session", func(a *App, _ string) tea.Cmd { return a.showTree("") }},
		{"fork", "", "a new session that ends before one of your messages", func(a *App, _ string) tea.Cmd { return a.showForks() }},
		{"clone", "", "a new session of the conversation up to here", func(a *App, _ string) tea.Cmd { return a.clone() }},
		{"name", "[text]", "give the session a name, or show it", (*App).nameCommand},
		{"session", "", "what the session holds and has cost", func(a *App, _ string) tea.Cmd { return a.showFacts() }},
		{"new", "", "begin a new session", func(a *App, _ string) tea.Cmd { return a.newSession() }},
		{"compact", "[instructions]", "summarise the older part of the conversation", (*App).compact},
		{"label", "[text]", "label where the session stands", func(a *App, text string) tea.Cmd { return a.setLabel(a.open.session().LeafID(), text) }},
		{"model", "[provider/id]", "choose the model, or list them", (*App).modelCommand},
		{"thinking", "[level]", "choose how much the model thinks", (*App).thinkingCommand},
		{"export", "[path]", "write the conversation up to here to a file", func(a *App, path string) tea.Cmd { return a.export("", path) }},
		{"delete", "", "move this session to the trash", func(a *App, _ string) tea.Cmd { return a.deleteOpen() }},
		{"help", "", "keys and commands", func(a *App, _ string) tea.Cmd { a.showHelp(); return nil }},
		{"quit", "", "end", func(a *App, _ string) tea.Cmd { return a.leaveApp(false) }},
	}
}

// slash runs a command that was written.
func (a *App) slash(text string) tea.Cmd {
	name, argument, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	for _, c := range commands() {
		if c.name == name {
			return c.run(a, strings.TrimSpace(argument))
		}
	}
	a.editor.set(text)
	return a.say(paint.Error, "no command /"+name+"; /help lists them")
}

// complete finishes the name of a command: as far as it is certain.
func (a *App) complete() tea.Cmd {
	begun, ok := strings.CutPrefix(a.editor.value(), "/")
	if !ok || strings.ContainsAny(begun, " \n") {
		return nil
	}
	var fit []string
	for _, c := range commands() {
		if strings.HasPrefix(c.name, begun) {
			fit = append(fit, c.name)
		}
	}
	switch len(fit) {
	case 0:
		return nil
	case 1:
		a.editor.set("/" + fit[0] + " ")
		return nil
	}
	a.editor.set("/" + sharedStart(fit))
	return a.say(paint.Muted, "/"+strings.Join(fit, "  /"))
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
