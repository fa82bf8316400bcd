package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// A lender gives the terminal to another program and takes it back.
type lender struct {
	background *background
	interrupts func(take func() bool) (restore func()) // see [Config]
	lent       bool                                    // another program has the terminal
}

// childPatience is the time that another program may take to end after the app
// ends.
const childPatience = 2 * time.Second

// lend gives the terminal to another program until that has ended. When the app
// ends, the program is asked to end. Ctrl+C reaches only the program, as if the
// shell had started it. then is called afterwards, and its result by the loop of the app.
func (l *lender) lend(program string, args []string, dir string, then func(err error) transient.Then) tea.Cmd {
	ctx, cancel := l.background.within()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = childPatience
	return tea.Exec(&child{cmd, l, cancel}, func(err error) tea.Msg {
		back := then(err)
		return transient.Then(func() tea.Cmd {
			l.lent = false
			return back()
		})
	})
}

// A child is another program that has the terminal. It implements
// [tea.ExecCommand].
type child struct {
	*exec.Cmd
	lender *lender
	done   context.CancelFunc
}

// Run runs the program. It is called by the loop that also calls Update.
func (c *child) Run() error {
	defer c.done()
	c.lender.lent = true // until the loop continues
	if take := c.lender.interrupts; take != nil {
		defer take(func() bool { return true })()
	}
	return c.Cmd.Run()
}

func (c *child) SetStdin(r io.Reader)  { c.Stdin = r }
func (c *child) SetStdout(w io.Writer) { c.Stdout = w }
func (c *child) SetStderr(w io.Writer) { c.Stderr = w }

// edit opens a text in the user's own editor. then is called with the edited text.
func (l *lender) edit(editor, text string, then func(text string, err error) tea.Cmd) (tea.Cmd, error) {
	words := strings.Fields(editor)
	if len(words) == 0 {
		return nil, errors.New("no editor configured: set VISUAL or EDITOR")
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, errors.New(words[0] + " is not installed; set VISUAL or EDITOR")
	}
	f, err := os.CreateTemp("", "pith-message-*.md") // 0600, and removed below
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return l.lend(program, append(words[1:], f.Name()), "", func(err error) transient.Then {
		text, reading := os.ReadFile(f.Name())
		err = errors.Join(err, reading, os.Remove(f.Name()))
		return func() tea.Cmd { return then(strings.TrimRight(string(text), "\n"), err) }
	}), nil
}

// handOver gives the terminal to another agent. then is called with how it ended.
func (l *lender) handOver(words []string, cwd string, then func(err error) tea.Cmd) (tea.Cmd, error) {
	program, err := findAgent(words)
	if err != nil {
		return nil, err
	}
	return l.lend(program, words[1:], cwd, func(err error) transient.Then {
		return func() tea.Cmd { return then(err) }
	}), nil
}

func findAgent(words []string) (string, error) {
	program, err := exec.LookPath(words[0])
	if err != nil {
		return "", errors.New(words[0] + " is not installed")
	}
	return program, nil
}
