package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An overlay contains the dialogs over a screen, each until it is answered or
// closed. The last one is on top.
type overlay struct {
	keys    *keys.Map
	dialogs []layer
}

// A layer is a dialog with the functions that are called when it is answered and
// when it is closed without an answer; nil for nothing.
type layer struct {
	dialog interface {
		Press(p tea.KeyPressMsg, m *keys.Map, width, height int) dialog.Outcome
		View(t *paint.Theme, m *keys.Map, width, height int) string
	}
	answered, closed func() tea.Cmd
}

func (o *overlay) add(l layer) { o.dialogs = append(o.dialogs, l) }

// tell shows a sheet.
func (o *overlay) tell(s *dialog.Sheet) { o.add(layer{dialog: s}) }

// ask asks for one of several answers; Esc leaves the question unanswered.
func (o *overlay) ask(c *dialog.Choice, then func(answer int) tea.Cmd) {
	o.add(layer{dialog: c, answered: func() tea.Cmd { return then(c.At) }})
}

// askText asks for a line of text; Esc leaves the question unanswered.
func (o *overlay) askText(p *dialog.Prompt, then func(text string) tea.Cmd) {
	o.add(layer{dialog: p, answered: func() tea.Cmd { return then(p.Input.Value()) }})
}

// choose asks for one of several texts; Esc leaves the question unanswered.
func (o *overlay) choose(m *dialog.Messages, then func(i int) tea.Cmd) {
	o.add(layer{dialog: m, answered: func() tea.Cmd { return then(m.At) }})
}

func (o *overlay) shown() bool { return len(o.dialogs) > 0 }

func (o *overlay) top() layer { return o.dialogs[len(o.dialogs)-1] }

// press handles a key while something is shown.
func (o *overlay) press(p tea.KeyPressMsg, width, height int) tea.Cmd {
	top := o.top()
	then := top.closed
	switch top.dialog.Press(p, o.keys, width, height) {
	case dialog.Open:
		return nil
	case dialog.Chosen:
		then = top.answered
	}
	o.dialogs = o.dialogs[:len(o.dialogs)-1]
	if then == nil {
		return nil
	}
	return then()
}

// paste inserts text into a prompt, if it is on top.
func (o *overlay) paste(text string) {
	if prompt, is := o.top().dialog.(*dialog.Prompt); is {
		prompt.Input.Insert(text)
	}
}

func (o *overlay) view(t *paint.Theme, width, height int) string {
	return o.top().dialog.View(t, o.keys, width, height)
}
