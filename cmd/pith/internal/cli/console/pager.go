package console

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A Paging shows the output of a command in the user's pager, once there is
// something to show. Notes are delayed until it has ended, because they would
// appear in the middle of it.
type Paging struct {
	console *Console
	command string
	pipe    io.WriteCloser
	wait    func() error
	restore func()
	out     io.Writer // the output without a pager
	stderr  io.Writer
	notes   bytes.Buffer
}

// Page starts paging the output, if a person reads it. End must be called in
// any case.
func (a *Console) Page() *Paging {
	p := &Paging{console: a, command: a.pager()}
	if p.command == "" {
		return p
	}
	p.out, p.stderr = a.Env.Stdout, a.Env.Stderr
	isTerminal := a.Env.IsTerminal
	a.Env.IsTerminal = func(stream any) bool {
		if stream == any(held{p}) {
			stream = p.stderr
		}
		return isTerminal(stream)
	}
	a.Env.Stderr = held{p}
	a.Out = a.output(p, true)
	return p
}

// pager returns the command line of the pager, or "" if none is wanted.
func (a *Console) pager() string {
	if a.Env.StartPager == nil || !a.Out.Terminal || !a.Env.IsTerminal(a.Env.Stdin) || a.Env.Getenv("TERM") == "dumb" {
		return ""
	}
	for _, name := range []string{"PITH_PAGER", "PAGER"} {
		if command := strings.TrimSpace(a.Env.Getenv(name)); command == "cat" {
			return ""
		} else if command != "" {
			return command
		}
	}
	if _, err := exec.LookPath("less"); err == nil {
		return "less"
	}
	return ""
}

// Write implements io.Writer: it passes the result to the pager. If the pager
// cannot be started, it is not used.
func (p *Paging) Write(b []byte) (int, error) {
	if p.pipe == nil && p.wait == nil {
		pipe, wait, err := p.console.Env.StartPager(p.command)
		if err != nil {
			pipe, wait = nil, func() error { return nil }
		}
		p.pipe, p.wait = pipe, wait
		p.restore = p.console.Env.Interrupts.GoTo(func() bool { return true }) // Ctrl+C is for the pager
	}
	if p.pipe == nil {
		return p.out.Write(b)
	}
	return p.pipe.Write(b)
}

// End waits until the user has left the pager, and prints the notes.
func (p *Paging) End() {
	if p.command == "" {
		return
	}
	_ = p.console.Out.Flush() // the error is kept there
	if p.pipe != nil {
		_ = p.pipe.Close()
		_ = p.wait() // its result does not matter
	}
	if p.restore != nil {
		p.restore()
	}
	p.console.Env.Stderr = p.stderr
	_, _ = p.stderr.Write(p.notes.Bytes())
}

// held is standard error while a pager may have the screen.
type held struct{ *Paging }

func (h held) Write(b []byte) (int, error) {
	if h.pipe == nil {
		return h.stderr.Write(b)
	}
	return h.notes.Write(b)
}

// startPager runs a command line with the result as its input. Unless the user
// configured it, less shows colors and quits if everything fits the screen.
func startPager(command string) (io.WriteCloser, func() error, error) {
	cmd := exec.Command("sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", command)
	}
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, os.Environ()
	if os.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	return pipe, cmd.Wait, nil
}
