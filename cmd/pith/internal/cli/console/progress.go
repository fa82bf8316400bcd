package console

import (
	"fmt"
	"strings"
	"time"
)

// A bar shows the progress of long work on standard error. It is only for
// people: nothing is printed unless standard error is a terminal and the work
// takes longer than a moment.
type bar struct {
	what  string
	since time.Time
	shown time.Time
	width int // of the shown bar
}

const (
	barDelay = 250 * time.Millisecond
	barEvery = 80 * time.Millisecond
	barCells = 24
)

// Working shows how much of a work is done, until the next output or note.
func (a *Console) Working(what string, done, total int64, unit func(int64) string) {
	if a.Quiet || total <= 0 || !a.Env.IsTerminal(a.Env.Stderr) || a.Env.Getenv("TERM") == "dumb" {
		return
	}
	b, now := &a.bar, a.Env.Now()
	if b.what != what {
		a.endBar()
		*b = bar{what: what, since: now}
	}
	if now.Sub(b.since) < barDelay || now.Sub(b.shown) < barEvery {
		return
	}
	b.shown = now
	full := int(min(done, total) * barCells / total)
	line := fmt.Sprintf("%s [%s%s] %s of %s", what, strings.Repeat("=", full), strings.Repeat(" ", barCells-full), unit(done), unit(total))
	if columns := a.Env.Width(); columns > 0 {
		line = line[:min(len(line), columns-1)] // a wrapped line cannot be erased
	}
	fmt.Fprintf(a.Env.Stderr, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-len(line))))
	b.width = len(line)
}

// endBar removes the bar from the screen.
func (a *Console) endBar() {
	if a.bar.width > 0 {
		fmt.Fprintf(a.Env.Stderr, "\r%s\r", strings.Repeat(" ", a.bar.width))
		a.bar.width = 0
	}
}
