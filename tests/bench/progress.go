package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// silence is how long the command measures without saying so.
const silence = 20 * time.Second

// progress tells on standard error what is being measured, and for how long.
type progress struct {
	w     io.Writer
	begin time.Time

	mu    sync.Mutex // guards the following
	in    string     // the section
	now   string     // the run
	spoke time.Time
}

func newProgress(w io.Writer) *progress { return &progress{w: w, begin: time.Now()} }

func (p *progress) section(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.in, p.now = name, "preparing"
	p.say("section " + name)
}

// doing records the run that begins. It is reported only if it takes long.
func (p *progress) doing(run string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = run
}

func (p *progress) logf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(fmt.Sprintf(format, args...))
}

// say prints a line. Callers must hold p.mu.
func (p *progress) say(text string) {
	p.spoke = time.Now()
	fmt.Fprintf(p.w, "[%s] %s\n", time.Since(p.begin).Round(time.Second), text)
}

// keepTalking reports the current run whenever nothing was said for a while,
// until stop is called.
func (p *progress) keepTalking() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(silence / 4)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				p.mu.Lock()
				if time.Since(p.spoke) >= silence {
					p.say(p.in + ": " + p.now)
				}
				p.mu.Unlock()
			}
		}
	}()
	return func() { close(done); <-ended }
}
