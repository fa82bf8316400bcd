package cli

import "sync"

// Interrupts is where Ctrl+C arrives. Without a taker it ends the command. The
// zero value has none.
type Interrupts struct {
	mu   sync.Mutex // guards take
	take func() bool
}

// taken offers a Ctrl+C to the taker and reports whether it took it.
func (i *Interrupts) taken() bool {
	i.mu.Lock()
	take := i.take
	i.mu.Unlock()
	return take != nil && take()
}

// goTo has every Ctrl+C offered to take from now on, until the function that is
// returned is called. take is called by another goroutine; if it returns false
// the command ends.
func (i *Interrupts) goTo(take func() bool) (restore func()) {
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
