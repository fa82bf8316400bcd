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
	i.change(func() { i.take = take })
	return func() { i.change(func() { i.take = nil }) }
}

// change calls set, which sets a field. It does nothing if i is nil.
func (i *Interrupts) change(set func()) {
	if i != nil {
		i.mu.Lock()
		defer i.mu.Unlock()
		set()
	}
}

// AtExit registers a function to call if the process ends without waiting for
// its command, until the returned function is called. Another goroutine calls
// it.
func (i *Interrupts) AtExit(do func()) (forget func()) {
	i.change(func() { i.last = do })
	return func() { i.change(func() { i.last = nil }) }
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
