package tui

import (
	"io"
	"os/exec"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
)

// childPatience is how long another program may take to end after the app was
// told to.
const childPatience = 2 * time.Second

// lend gives the terminal to another program until that has ended. The program is
// asked to end when the app is. Ctrl+C is the program's alone, as if the shell had
// started it.
func (a *App) lend(program string, args []string, dir string, then tea.ExecCallback) tea.Cmd {
	cmd := exec.CommandContext(a.ctx, program, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = childPatience
	return tea.Exec(&child{cmd, a}, then)
}

// A child is another program that has the terminal. It implements
// [tea.ExecCommand].
type child struct {
	*exec.Cmd
	app *App
}

// Run runs the program. It is called by the loop that also calls Update.
func (c *child) Run() error {
	c.app.lent = true // until the loop goes on
	if take := c.app.c.Interrupts; take != nil {
		defer take(func() bool { return true })()
	}
	return c.Cmd.Run()
}

func (c *child) SetStdin(r io.Reader)  { c.Stdin = r }
func (c *child) SetStdout(w io.Writer) { c.Stdout = w }
func (c *child) SetStderr(w io.Writer) { c.Stderr = w }
