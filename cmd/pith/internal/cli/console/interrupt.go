package console

import (
	"sync"
)

// Interrupts receives Ctrl+C. Without a handler it ends the command. The zero
// value has none.
type Interrupts struct {
	mu   sync.Mutex // guards the fields below
	take func() bool
	last func() // called before the process ends abruptly; may be nil
}

// Taken passes a Ctrl+C to the handler and reports whether it was handled.
func (i *Interrupts) Taken() bool {
	i.mu.Lock()
	take := i.take
	i.mu.Unlock()
	return take != nil && take()
}

// GoTo passes every Ctrl+C to take, until the returned function is called. take
// is called by another goroutine; if it returns false, the command ends.
func (i *Interrupts) GoTo(take func() bool) (restore func()) {
	if i == nil {
		return func() {}
	}
	set := func(f func() bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.take = f
	}
	set(take)
	return func() { set(nil) }
}

// AtExit registers a function to call if the process ends without waiting for
// its command, until the returned function is called. Another goroutine calls
// it.
func (i *Interrupts) AtExit(do func()) (forget func()) {
	if i == nil {
		return func() {}
	}
	set := func(f func()) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.last = f
	}
	set(do)
	return func() { set(nil) }
}

// Leave calls the registered function before the process ends abruptly.
func (i *Interrupts) Leave() {
	i.mu.Lock()
	last := i.last
	i.mu.Unlock()
	if last != nil {
		last()
	}
}
