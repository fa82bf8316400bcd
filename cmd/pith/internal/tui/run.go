package tui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Run shows the app on a terminal until the user leaves it, or ctx ends. The
// terminal is restored in any case.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer, env []string) (Farewell, error) {
	termsafe.MeasureClusters(false) // as the renderer does, until the terminal reports that it measures clusters
	a := New(ctx, c)
	// The caller handles signals and ends the context. The program is then
	// asked to quit, which restores the terminal; killing it might not.
	p := tea.NewProgram(a, tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env), tea.WithoutSignalHandler())
	a.send = p.Send
	held := hold(in, out, p)
	defer held.restore()
	a.background.rescue = held.rescue
	if c.AtExit != nil {
		defer c.AtExit(held.rescue)()
	}
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	held.yield()
	if err != nil && (!errors.Is(err, tea.ErrProgramPanic) || a.lender.lent) { // the message of a panic is already on the terminal
		err = errors.Join(err, held.sane())
	}
	err = errors.Join(err, ctx.Err(), a.Close())
	return a.Farewell(), err
}
