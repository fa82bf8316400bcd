package tui

import (
	"io"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/term"
)

// held is the terminal while the app has it, and how it was before.
//
// The program puts it in order itself when it ends. It cannot do so where the
// process ends under it, and what it puts back is what it found last: if another
// program had the terminal in between and was killed, that is not what was there
// in the beginning.
type held struct {
	out     io.Writer
	program *tea.Program
	fd      int
	before  *term.State // nil where there is no terminal
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

// restore gives keys and echo back.
func (h *held) restore() {
	if h.before != nil {
		_ = term.Restore(h.fd, h.before) // the terminal may be gone
	}
}

// rescuePatience is how long the program may take to let go of the terminal
// before it is taken away.
const rescuePatience = 300 * time.Millisecond

// rescue puts the terminal in order for a process that is about to end. Any
// goroutine may call it.
func (h *held) rescue() {
	h.ending.Store(true)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if recover() != nil { // it was only just starting, and half of it is not there
				_ = h.sane()
			}
		}()
		h.program.Kill() // so that it does not draw over what is put in order
	}()
	select {
	case <-ended:
	case <-time.After(rescuePatience):
		_ = h.sane() // the terminal may be gone
	}
	h.restore()
}

// yield waits where the process is about to end: who called rescue says how, with
// a panic or a code, and returning would say something else first.
func (h *held) yield() {
	if h.ending.Load() {
		time.Sleep(10 * rescuePatience)
	}
}

// sane leaves the other screen and takes back cursor, mouse, paste and keyboard.
func (h *held) sane() error {
	_, err := io.WriteString(h.out, "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[>4m\x1b[<u\x1b[?25h\x1b[?1049l\x1b[0m")
	return err
}
