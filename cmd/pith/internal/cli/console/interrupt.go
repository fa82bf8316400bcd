package console

import (
	"sync"
)

// Interrupts is where Ctrl+C arrives. Without a taker it ends the command. The
// zero value has none.
type Interrupts struct {
	mu   sync.Mutex // guards the fields below
	take func() bool
	last func() // before the process ends in a hurry; may be nil
}

// Taken offers a Ctrl+C to the taker and reports whether it took it.
func (i *Interrupts) Taken() bool {
	i.mu.Lock()
	take := i.take
	i.mu.Unlock()
	return take != nil && take()
}

// GoTo has every Ctrl+C offered to take from now on, until the function that is
// returned is called. take is called by another goroutine; if it returns false
// the command ends.
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

// AtExit has do called if the process ends without waiting for its command, until
// the function that is returned is called. Another goroutine calls it.
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

// Leave does what is to be done before the process ends in a hurry.
func (i *Interrupts) Leave() {
	i.mu.Lock()
	last := i.last
	i.mu.Unlock()
	if last != nil {
		last()
	}
}
