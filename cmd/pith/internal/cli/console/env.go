package console

import (
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/term"
)

// Env is the environment of a command.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Getenv returns an environment variable, or "" if it is not set.
	Getenv func(name string) string
	// Cwd returns the working directory. It fails if that was deleted.
	Cwd func() (string, error)
	// Now returns the current time.
	Now func() time.Time
	// IsTerminal reports whether one of the three streams is a terminal.
	IsTerminal func(stream any) bool
	// Width returns the number of columns of the terminal at Stdout, or 0 if
	// unknown.
	Width func() int
	// Terminal opens the controlling terminal, for a command whose standard
	// streams are not terminals. Nil means that there is none.
	Terminal func() (*os.File, error)
	// Interrupts lets a command handle Ctrl+C itself; nil if none can occur.
	Interrupts *Interrupts
	// StartPager runs a pager and returns a writer for its input, and a
	// function that waits for its end. It may be nil.
	StartPager func(command string) (io.WriteCloser, func() error, error)
}

// System returns the environment of this process.
func System() Env {
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Cwd: os.Getwd, Now: time.Now,
		IsTerminal: isTerminal, Width: stdoutWidth, StartPager: startPager,
		Terminal: func() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) },
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

// Here returns the working directory, or "" if it was deleted.
func (e *Env) Here() string {
	dir, err := e.Cwd()
	if err != nil {
		return ""
	}
	return dir
}

// Home returns the user's home directory, or "" if the environment has none.
func (e *Env) Home() string {
	if runtime.GOOS == "windows" {
		return e.Getenv("USERPROFILE")
	}
	return e.Getenv("HOME")
}
