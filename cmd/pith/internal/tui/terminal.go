package tui

import (
	"io"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// held is the terminal while the app uses it, with its previous state.
//
// The program restores the terminal itself when it ends. It cannot do so if the
// process ends abruptly, and it restores the state that it found last: if
// another program used the terminal in between and was killed, that is not the
// original one.
type held struct {
	out     io.Writer
	program *tea.Program
	fd      int
	before  *term.State // nil if it is not a terminal
	ending  atomic.Bool // the process is about to end
}

func hold(in io.Reader, out io.Writer, p *tea.Program) *held {
	h := &held{out: out, program: p}
	if f, ok := in.(interface{ Fd() uintptr }); ok {
		h.fd = int(f.Fd())
		h.before, _ = term.GetState(h.fd) // nil unless it is a terminal
	}
	return h
}

// restore restores the keyboard mode and echo.
func (h *held) restore() {
	if h.before != nil {
		_ = term.Restore(h.fd, h.before) // the terminal may be gone
	}
}

// rescuePatience is the time that the program may take to release the terminal
// before it is taken away.
const rescuePatience = 300 * time.Millisecond

// rescue restores the terminal for a process that is about to end. It may be
// called from any goroutine.
func (h *held) rescue() {
	h.ending.Store(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if recover() != nil { // it was only starting and is incomplete
				_ = h.sane()
			}
		}()
		h.program.Kill() // so that it does not draw over the restored terminal
	}()
	select {
	case <-ended:
	case <-time.After(rescuePatience):
		_ = h.sane() // the terminal may be gone
	}
	h.restore()
}

// yield waits if the process is about to end: the caller of rescue ends it,
// with a panic or an exit code, and returning would end it differently first.
func (h *held) yield() {
	if h.ending.Load() {
		time.Sleep(10 * rescuePatience)
	}
}

// sane leaves the alternate screen and resets cursor, mouse, paste and keyboard
// modes.
func (h *held) sane() error {
	_, err := io.WriteString(h.out, "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[>4m\x1b[<u\x1b[?25h\x1b[?1049l\x1b[0m")
	return err
}
