package tui

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Run shows the app on a terminal until the user leaves it, or the context ends.
// The terminal is as it was afterwards, whatever happens.
func Run(ctx context.Context, c Config, in io.Reader, out io.Writer, env []string) (Farewell, error) {
	a := New(c)
	// Signals are the caller's, who ends the context. The program is asked to leave
	// then, which puts the terminal in order; killed, it might not.
	p := tea.NewProgram(a, tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env), tea.WithoutSignalHandler())
	a.send = p.Send
	stop := context.AfterFunc(ctx, p.Quit)
	defer stop()
	_, err := p.Run()
	if err != nil {
		_, werr := io.WriteString(out, sane)
		err = errors.Join(err, werr)
	}
	err = errors.Join(err, ctx.Err(), a.Close())
	return a.Farewell(), err
}

// sane puts a terminal in order that the app was torn away from: the other screen,
// the cursor, mouse and paste as they were.
const sane = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b[0m"
