package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A question waits for one of several answers.
type question struct {
	choice dialog.Choice
	then   func(a *App, answer int) tea.Cmd
	// unanswered follows Esc; nil for nothing.
	unanswered func(*App) tea.Cmd
}

// ask asks something; Esc leaves it unanswered.
func (a *App) ask(title string, answers []string, then func(a *App, answer int) tea.Cmd) {
	a.asking = &question{choice: dialog.Choice{Title: title, Answers: answers}, then: then}
}

func (a *App) pressQuestion(p tea.KeyPressMsg) tea.Cmd {
	q := a.asking
	switch q.choice.Press(p, a.c.Keys) {
	case dialog.Cancelled:
		a.asking = nil
		if q.unanswered != nil {
			return q.unanswered(a)
		}
	case dialog.Chosen:
		a.asking = nil
		return q.then(a, q.choice.At)
	}
	return nil
}

func (q *question) view(t *paint.Theme, a *App) string {
	lines := append([]string{t.Rule(a.width), ""}, q.choice.View(t, a.c.Keys, a.width)...)
	return paint.Block(a.height, window(lines, a.height, q.choice.At+4)...)
}

// window is as many lines as fit, around the one that matters.
func window(lines []string, height, at int) []string {
	from := max(0, min(at-height/2, len(lines)-height))
	return lines[from:]
}
