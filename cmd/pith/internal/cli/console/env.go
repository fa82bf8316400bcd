package console

import (
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/term"
)

// Env is the world around a command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv reads a variable of the environment; "" when it is not set.
	Getenv func(name string) string
	// Cwd is the working directory. It fails when that was deleted.
	Cwd func() (string, error)
	// Now is the clock.
	Now func() time.Time
	// IsTerminal reports whether one of the three streams is a terminal.
	IsTerminal func(stream any) bool
	// Width is the number of columns of the terminal at Stdout; 0 if unknown.
	Width func() int
	// Interrupts lets a command take Ctrl+C for itself; nil when none can come.
	Interrupts *Interrupts
	// StartPager runs a pager and returns what takes its input, and what waits for its
	// end; nil where there is none.
	StartPager func(command string) (io.WriteCloser, func() error, error)
}

// System is the world of this process.
func System() Env {
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Cwd: os.Getwd, Now: time.Now,
		IsTerminal: isTerminal, Width: stdoutWidth, StartPager: startPager,
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func stdoutWidth() int {
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Home is the user's folder; "" when the environment does not say.
func (e *Env) Home() string {
	if runtime.GOOS == "windows" {
		return e.Getenv("USERPROFILE")
	}
	return e.Getenv("HOME")
}

// Collect sets how much garbage may wait, in percent of what is in use, unless the user
// has chosen by GOGC. It returns what takes that back.
func (e *Env) Collect(percent int) (undo func()) {
	if e.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(usual) }
}
