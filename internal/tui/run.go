package tui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Run shows the app on a terminal until the user leaves it. The terminal is as
// it was afterwards, whatever happens.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer, env []string) (Farewell, error) {
	a := New(c)
	p := tea.NewProgram(a, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env))
	a.send = p.Send
	_, err := p.Run()
	closing := a.Close()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		err = ctx.Err()
	}
	return a.Farewell(), errors.Join(err, closing)
}
