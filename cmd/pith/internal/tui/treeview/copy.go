package treeview

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

type copied struct {
	text string
	err  error
}

// copy puts the text of the selected entry on the clipboard.
func (m *Model) copy() tea.Cmd {
	n := m.Selected()
	if n == nil {
		return nil
	}
	return func() tea.Msg {
		text, err := m.source.Text(context.Background(), n)
		return copied{text, err}
	}
}

func (m *Model) takeCopy(msg copied) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.say(paint.Error, "not copied: "+msg.err.Error())
	case msg.text == "":
		return m.say(paint.Error, "this entry has no text to copy")
	}
	return tea.Batch(tea.SetClipboard(msg.text), m.say(paint.Accent, "copied"))
}
