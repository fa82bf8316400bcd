package agent

import (
	"slices"
	"sync"

	"github.com/pith-sessions/pith/format"
)

// Steer sends a message into a run: behind the results of the turn that is going
// on, before the model is asked again. Without a run it begins one.
//
// Messages keep their kind and their order, whatever is going on. One goes with
// each turn.
func (a *Conversation) Steer(text string, images ...*format.ImageBlock) error {
	return a.enqueue(&a.queues.steering, text, images)
}

// FollowUp sends a message when the model has nothing more to do. Without a run
// it begins one.
func (a *Conversation) FollowUp(text string, images ...*format.ImageBlock) error {
	return a.enqueue(&a.queues.followUp, text, images)
}

func (a *Conversation) enqueue(to *[]*prompt, text string, images []*format.ImageBlock) error {
	p, err := newPrompt(text, images)
	if err != nil {
		return err
	}
	if a.activity.isClosed() {
		return ErrClosed
	}
	a.queues.add(to, p)
	a.deliver()
	return nil
}

// Queued are the texts that wait, in the order in which they will go.
func (a *Conversation) Queued() (steering, followUp []string) { return a.queues.texts() }

// ClearQueue takes back what waits, for example to edit it, and returns its texts.
func (a *Conversation) ClearQueue() (steering, followUp []string) { return a.queues.clear() }

// queues are the messages that wait. Each change is told.
type queues struct {
	events   *bus
	mu       sync.Mutex // guards all below
	steering []*prompt
	followUp []*prompt
}

func (q *queues) add(to *[]*prompt, p *prompt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	*to = append(*to, p)
	q.tellLocked()
}

func (q *queues) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.steering)+len(q.followUp) == 0
}

func (q *queues) texts() (steering, followUp []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return texts(q.steering), texts(q.followUp)
}

func (q *queues) clear() (steering, followUp []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	steering, followUp = texts(q.steering), texts(q.followUp)
	q.steering, q.followUp = nil, nil
	q.tellLocked()
	return steering, followUp
}

// takeSteering takes the next message to steer with; nil when there is none.
func (q *queues) takeSteering() *prompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeLocked(&q.steering)
}

// take takes the next message of either kind.
func (q *queues) take() *prompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.takeLocked(&q.steering); p != nil {
		return p
	}
	return q.takeLocked(&q.followUp)
}

// putBack returns a message that could not be written to the head of its queue, if
// it was taken from one.
func (q *queues) putBack(p *prompt) {
	if p == nil || p.from == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	*p.from = slices.Insert(*p.from, 0, p)
	q.tellLocked()
}

func (q *queues) takeLocked(from *[]*prompt) *prompt {
	if len(*from) == 0 {
		return nil
	}
	p := (*from)[0]
	*from = slices.Delete(*from, 0, 1)
	p.from = from
	q.tellLocked()
	return p
}

func (q *queues) tellLocked() { q.events.emit(&QueueChanged{texts(q.steering), texts(q.followUp)}) }

func texts(q []*prompt) []string {
	out := make([]string, len(q))
	for i, p := range q {
		out[i] = p.text
	}
	return out
}
