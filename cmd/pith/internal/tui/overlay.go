package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An overlay contains the dialogs over a screen, each until it is answered or left. The
// last one is on top.
type overlay struct {
	keys    *keys.Map
	dialogs []layer
}

type layer interface {
	Press(p tea.KeyPressMsg) (cmd tea.Cmd, open bool)
	Paste(text string)
	Over(t *paint.Theme, base []string, width, height int) []string
	Hints() []paint.Hint
}

// ask shows a box.
func (o *overlay) ask(b *dialog.Box) { o.dialogs = append(o.dialogs, b) }

// tell shows a sheet.
func (o *overlay) tell(s *dialog.Sheet) { o.dialogs = append(o.dialogs, s) }

func (o *overlay) shown() bool { return len(o.dialogs) > 0 }

func (o *overlay) top() layer { return o.dialogs[len(o.dialogs)-1] }

// press handles a key while something is shown. What an answer shows replaces it.
func (o *overlay) press(p tea.KeyPressMsg) tea.Cmd {
	top, at := o.top(), len(o.dialogs)-1
	cmd, open := top.Press(p)
	if !open {
		o.dialogs = append(o.dialogs[:at:at], o.dialogs[at+1:]...)
	}
	return cmd
}

// askYes asks a question; do is called if the answer is yes.
func (o *overlay) askYes(title, question, yes string, do func() tea.Cmd) {
	o.ask(&dialog.Box{Keys: o.keys, Title: title, About: []string{question}, Rows: []dialog.Row{
		{Text: yes, Keys: []string{"y"}, Do: do},
		{Text: "No", Keys: []string{"n"}, Do: func() tea.Cmd { return nil }},
	}})
}

// choose asks for one of several texts.
func (o *overlay) choose(title, verb string, texts []string, at int, do func(i int) tea.Cmd) {
	box := &dialog.Box{Keys: o.keys, Title: title, Verb: verb, Wide: true}
	for i, text := range texts {
		box.Rows = append(box.Rows, dialog.Row{Text: text, Do: func() tea.Cmd { return do(i) }})
	}
	box.Select(at)
	o.ask(box)
}

// hint names the key of an action where letters are keys.
func (a *App) hint(action keys.Action, word string) paint.Hint {
	return paint.Hint{Key: a.c.Keys.Letter(action), Word: word}
}
