package tui

import (
	"os/exec"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// handedOver tells that the other agent has ended.
type handedOver struct {
	path string
	err  error
}

// agentWords is the command that opens a session in another agent.
func (a *App) agentWords() []string {
	if len(a.c.Handover) == 0 {
		return []string{"pi", "--session"}
	}
	return a.c.Handover
}

// agentName is what the other agent is called.
func (a *App) agentName() string { return filepath.Base(a.agentWords()[0]) }

// handOver opens the session in another agent, where it stands. The session is
// closed for that time, which records its position in the file, and opened again
// afterwards.
func (a *App) handOver() tea.Cmd {
	s := a.open.session()
	if !s.Written() {
		return a.say(paint.Error, "this session is not saved yet: there is nothing to open")
	}
	words := a.agentWords()
	program, err := exec.LookPath(words[0])
	if err != nil {
		return a.say(paint.Error, words[0]+" is not installed; install it, or name another program in pith's settings (handover)")
	}
	path, cwd := s.File(), s.Cwd()
	args := append(append([]string{}, words[1:]...), path)
	return tea.Sequence(a.leave(), a.lend(program, args, cwd, func(err error) tea.Msg { return handedOver{path, err} }))
}

func (a *App) takeHandover(msg handedOver) tea.Cmd {
	a.lent = false
	if a.ctx.Err() != nil {
		return nil // the app ends, and has ended the other agent
	}
	open := a.openSession(msg.path, "")
	if msg.err != nil {
		return tea.Batch(a.sayError(msg.err), open)
	}
	return open
}
