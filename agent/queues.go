package agent

import (
	"slices"
	"sync"

	"github.com/pith-sessions/pith/format"
)

// Steer queues a message for the current run: it is sent after the results of the
// current turn, before the next request. If the conversation is idle, it starts a
// run.
//
// Queued messages keep their kind and their order. Each turn sends one.
func (a *Conversation) Steer(text string, images ...*format.ImageBlock) error {
	return a.enqueue(&a.queues.steering, text, images)
}

// FollowUp queues a message that is sent when the run has nothing left to do. If the
// conversation is idle, it starts a run.
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

// Queued returns the queued texts in the order in which they will be sent.
func (a *Conversation) Queued() (steering, followUp []string) { return a.queues.texts() }

// ClearQueue removes the queued messages and returns their texts.
func (a *Conversation) ClearQueue() (steering, followUp []string) { return a.queues.clear() }

// queues holds the queued messages. Each change is reported.
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

// takeSteering removes and returns the next steering message, or nil.
func (q *queues) takeSteering() *prompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeLocked(&q.steering)
}

// take removes and returns the next message of either kind, or nil.
func (q *queues) take() *prompt {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.takeLocked(&q.steering); p != nil {
		return p
	}
	return q.takeLocked(&q.followUp)
}

// putBack returns a message that could not be written to the head of its queue,
// if it was taken from one.
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
