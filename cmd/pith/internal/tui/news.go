package tui

import (
	"context"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// news is the notice that takes the place of the status line, and the changes that can
// be undone.
type news struct {
	now   transient.News
	turn  int
	undos []func(ctx context.Context) (string, error) // the last change last
}

// stays is the time for which a notice is shown. An error is shown until the next key.
const stays = 8 * time.Second

// take shows a notice.
func (n *news) take(msg transient.News) tea.Cmd {
	n.turn++
	n.now = msg
	if msg.Undo != nil {
		n.undos = append(n.undos, msg.Undo)
	}
	if msg.Tone == paint.Error {
		return nil
	}
	turn := n.turn
	return tea.Tick(stays, func(time.Time) tea.Msg {
		return transient.Then(func() tea.Cmd {
			if turn == n.turn {
				n.now = transient.News{}
			}
			return nil
		})
	})
}

func (n *news) say(tone paint.Tone, text string) tea.Cmd {
	return n.take(transient.News{Tone: tone, Text: text})
}

func (n *news) sayError(err error) tea.Cmd { return n.say(paint.Error, ops.Short(err).Error()) }

// pressed follows a key: an error was read.
func (n *news) pressed() {
	if n.now.Tone == paint.Error {
		n.now = transient.News{}
	}
}

// over puts the notice into a screen.
func (n *news) over(f *paint.Frame, undo string) {
	if n.now.Text == "" {
		return
	}
	f.Status = []paint.Span{{Tone: n.now.Tone, Text: n.now.Text}}
	if n.now.Tone == paint.Error { // it has the line for itself
		f.Place = nil
	}
	if n.now.Undo != nil && len(n.undos) > 0 {
		f.Status = append(f.Status, paint.Span{Tone: paint.Dim, Text: " · " + undo + " undo"})
		if len(f.Hints) > 1 {
			f.Hints = append(append(f.Hints[:1:1], paint.Hint{Key: undo, Word: "undo"}), f.Hints[1:]...)
		}
	}
}

// undo takes back the last change, which may still be in progress.
func (a *App) undo() tea.Cmd {
	if a.picker != nil && a.picker.AfterDelete(a.undo) {
		return nil
	}
	n := len(a.undos)
	if n == 0 {
		return a.say(paint.Dim, "nothing to undo")
	}
	last := a.undos[n-1]
	a.undos = a.undos[:n-1]
	return a.work("undoing", func(ctx context.Context) done {
		note, err := last(ctx)
		if err != nil {
			return done{err: err}
		}
		return done{note: note, then: a.reread}
	})
}

// reread reads again what may have changed.
func (a *App) reread() tea.Cmd {
	var cmds []tea.Cmd
	if a.picker != nil {
		cmds = append(cmds, a.picker.Reload())
	}
	if a.chat.open != nil {
		cmds = append(cmds, a.chat.refresh(false), a.chat.count(), branches{a}.renewTree())
	}
	return tea.Batch(cmds...)
}
