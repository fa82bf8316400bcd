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
	app   *Console
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

// Progress starts a bar; nil if it would not be visible.
func (a *Console) Progress(what string) *bar {
	if a.Quiet || !a.Env.IsTerminal(a.Env.Stderr) || a.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	return &bar{app: a, what: what, since: a.Env.Now()}
}

// At shows that done of total is done.
func (b *bar) At(done, total int64, unit func(int64) string) {
	if b == nil || total <= 0 {
		return
	}
	now := b.app.Env.Now()
	if now.Sub(b.since) < barDelay || now.Sub(b.shown) < barEvery {
		return
	}
	b.shown = now
	full := int(min(done, total) * barCells / total)
	line := fmt.Sprintf("%s [%s%s] %s of %s", b.what, strings.Repeat("=", full), strings.Repeat(" ", barCells-full), unit(done), unit(total))
	if columns := b.app.Env.Width(); columns > 0 {
		line = line[:min(len(line), columns-1)] // a wrapped line cannot be erased
	}
	fmt.Fprintf(b.app.Env.Stderr, "\r%s%s", line, strings.Repeat(" ", max(0, b.width-len(line))))
	b.width = len(line)
}

// Done removes the bar from the screen.
func (b *bar) Done() {
	if b != nil && b.width > 0 {
		fmt.Fprintf(b.app.Env.Stderr, "\r%s\r", strings.Repeat(" ", b.width))
		b.width = 0
	}
}
