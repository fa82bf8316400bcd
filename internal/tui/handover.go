package tui

import (
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/internal/tui/look"
)

// handedOver tells that the other agent has ended.
type handedOver struct {
	path string
	err  error
}

// handOver opens the session in another agent, where it stands. The session is
// closed for that time, which records its position in the file, and opened again
// afterwards.
func (a *App) handOver() tea.Cmd {
	s := a.open.session()
	if !s.Written() {
		return a.say(look.Error, "this session is not saved yet: there is nothing to open")
	}
	words := a.c.Handover
	if len(words) == 0 {
		words = []string{"pi", "--session"}
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return a.say(look.Error, words[0]+" is not installed; install it, or name another program in pith's settings (handover)")
	}
	path, cwd := s.File(), s.Cwd()
	left := a.leave()
	cmd := exec.Command(program, append(append([]string{}, words[1:]...), path)...)
	cmd.Dir = cwd
	return tea.Sequence(left, tea.ExecProcess(cmd, func(err error) tea.Msg { return handedOver{path, err} }))
}

func (a *App) takeHandover(msg handedOver) tea.Cmd {
	open := a.openSession(msg.path, "")
	if msg.err != nil {
		return tea.Batch(a.sayError(msg.err), open)
	}
	return open
}
