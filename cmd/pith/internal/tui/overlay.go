package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A question waits for one of several answers.
type question struct {
	title   string
	facts   []dialog.Fact // facts to know before answering
	answers []string
	then    func(answer int) tea.Cmd
	// unanswered is called after Esc; nil for nothing.
	unanswered func() tea.Cmd
}

// An overlay is shown over a screen until it is answered or closed: a sheet, a
// question, a line to type, a file, a list of messages. The first one present in this
// order is on top.
type overlay struct {
	keys     *keys.Map
	sheet    *dialog.Sheet
	choice   *dialog.Choice
	asked    question // of the choice
	prompt   *dialog.Prompt
	typed    func(text string) tea.Cmd // of the prompt
	messages *dialog.Messages
	chosen   func(i int) tea.Cmd // of the messages
	file     *dialog.Lines
	picked   func(i int) tea.Cmd // of the file's lines
}

// ask asks a question; Esc leaves it unanswered.
func (o *overlay) ask(q question) {
	o.asked = q
	o.choice = &dialog.Choice{Title: q.title, Facts: q.facts, Answers: q.answers}
}

// askText asks for a line of text; Esc leaves it unanswered.
func (o *overlay) askText(p dialog.Prompt, then func(text string) tea.Cmd) {
	o.prompt, o.typed = &p, then
}

func (o *overlay) shown() bool {
	return o.sheet != nil || o.choice != nil || o.prompt != nil || o.messages != nil || o.file != nil
}

// press handles a key while something is shown.
func (o *overlay) press(p tea.KeyPressMsg, width, height int) tea.Cmd {
	switch {
	case o.sheet != nil:
		sheet := o.sheet
		switch sheet.Press(p, o.keys, width, height) {
		case dialog.Cancelled:
			o.sheet = nil
		case dialog.Chosen:
			o.sheet = nil
			return sheet.Save()
		}
		return nil
	case o.choice != nil:
		return o.pressChoice(p)
	case o.prompt != nil:
		return o.pressPrompt(p)
	case o.file != nil:
		return o.pressFile(p, height)
	}
	at := o.messages
	switch at.Press(p, o.keys) {
	case dialog.Cancelled:
		o.messages = nil
	case dialog.Chosen:
		o.messages = nil
		return o.chosen(at.At)
	}
	return nil
}

func (o *overlay) pressFile(p tea.KeyPressMsg, height int) tea.Cmd {
	file := o.file
	switch file.Press(p, o.keys, height) {
	case dialog.Cancelled:
		o.file = nil
	case dialog.Chosen:
		o.file = nil
		return o.picked(file.At)
	}
	return nil
}

func (o *overlay) pressChoice(p tea.KeyPressMsg) tea.Cmd {
	choice, q := o.choice, o.asked
	switch choice.Press(p, o.keys) {
	case dialog.Cancelled:
		o.choice = nil
		if q.unanswered != nil {
			return q.unanswered()
		}
	case dialog.Chosen:
		o.choice = nil
		return q.then(choice.At)
	}
	return nil
}

func (o *overlay) pressPrompt(p tea.KeyPressMsg) tea.Cmd {
	prompt := o.prompt
	switch prompt.Press(p, o.keys) {
	case dialog.Cancelled:
		o.prompt = nil
	case dialog.Chosen:
		o.prompt = nil
		return o.typed(prompt.Input.Value())
	}
	return nil
}

// paste inserts text into the prompt, if it is on top.
func (o *overlay) paste(text string) {
	if o.sheet == nil && o.choice == nil && o.prompt != nil {
		o.prompt.Input.Insert(text)
	}
}

func (o *overlay) view(t *paint.Theme, width, height int) string {
	switch {
	case o.sheet != nil:
		return o.sheet.View(t, o.keys, width, height)
	case o.choice != nil:
		lines := append([]string{t.Rule(width), ""}, o.choice.View(t, o.keys, width)...)
		return paint.Block(height, dialog.Low(lines, height, 2+o.choice.Line())...)
	case o.prompt != nil:
		lines := append([]string{t.Rule(width), ""}, o.prompt.View(t, o.keys, width)...)
		return paint.Block(height, dialog.Low(lines, height, 2+dialog.PromptLine)...)
	case o.file != nil:
		return o.file.View(t, o.keys, width, height)
	}
	return o.messages.View(t, o.keys, width, height)
}
