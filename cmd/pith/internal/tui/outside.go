package tui

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// editedOutside is what the user's own editor left.
type editedOutside struct {
	text string
	err  error
}

// editOutside opens what is written in the user's own editor.
func (a *App) editOutside() tea.Cmd {
	words := strings.Fields(a.c.Editor)
	if len(words) == 0 {
		return a.say(paint.Error, "no editor is set: set VISUAL or EDITOR")
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return a.say(paint.Error, words[0]+" is not installed; set VISUAL or EDITOR to another")
	}
	f, err := os.CreateTemp("", "pith-message-*.md") // 0600, and removed below
	if err != nil {
		return a.sayError(err)
	}
	_, err = f.WriteString(a.editor.value())
	if err = errors.Join(err, f.Close()); err != nil {
		return a.sayError(errors.Join(err, os.Remove(f.Name())))
	}
	return a.lend(program, append(words[1:], f.Name()), "", func(err error) tea.Msg {
		text, reading := os.ReadFile(f.Name())
		return editedOutside{strings.TrimRight(string(text), "\n"), errors.Join(err, reading, os.Remove(f.Name()))}
	})
}

func (a *App) takeEdited(msg editedOutside) tea.Cmd {
	a.lent = false
	if msg.err != nil {
		return a.sayError(msg.err)
	}
	a.editor.set(msg.text)
	return nil
}
