package pith

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A Context is what a model sees of a session from one of its entries: built
// as pi builds it. It is a snapshot; what is appended later does not show. The zero
// Context is empty.
type Context struct {
	// ThinkingLevel is the last one set on the path; "off" when none was.
	ThinkingLevel string
	// Model is the last one chosen or answering on the path; nil when none was.
	Model *Model
	// Notes say what the context lacks, in sentences.
	Notes []string

	plan *transcript.Plan
	view *walk
}

// A Model names a model as a session records it.
type Model struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}

// A ContextMessage is one message of a context.
type ContextMessage struct {
	EntryID string          // of the entry it comes from
	Raw     json.RawMessage // the message as JSON, in pi's form
}

// Decode is the message as a Go value.
func (m ContextMessage) Decode() (format.Message, error) { return format.DecodeMessage(m.Raw) }

// Context is what a model sees from the leaf.
func (s *Session) Context() (*Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.snapshot()
	return now.contextAt(now.leaf)
}

func (s *snapshot) contextAt(i int) (*Context, error) {
	v := s.walk(s.tree.Path(i))
	plan, err := transcript.Build(route{v, s.tree}, transcript.Origin{Program: s.program(), Header: s.table.Header})
	if err != nil {
		return nil, err
	}
	c := &Context{ThinkingLevel: plan.ThinkingLevel, plan: plan, view: v}
	if plan.Model != nil {
		c.Model = &Model{plan.Model.Provider, plan.Model.ModelID}
	}
	for _, n := range plan.Notes {
		c.Notes = append(c.Notes, n.String())
	}
	return c, nil
}

// Start says where on its path the context begins: first is the position on the
// path of the first entry that it takes, compaction that of the compaction which
// stands for all entries before first, or -1 when there is none.
func (c *Context) Start() (first, compaction int) {
	if c.plan == nil {
		return 0, -1
	}
	return c.plan.First, c.plan.Boundary
}

// Len is how many entries of the path may contribute messages.
func (c *Context) Len() int {
	if c.plan == nil {
		return 0
	}
	return len(c.plan.Steps)
}

// Messages yields the messages in order. They may be kept. An error comes once,
// last. The sequence can be ranged over again.
func (c *Context) Messages() iter.Seq2[ContextMessage, error] {
	return func(yield func(ContextMessage, error) bool) {
		for m, err := range c.ReusedMessages() {
			m.Raw = slices.Clone(m.Raw)
			if !yield(m, err) {
				return
			}
		}
	}
}

// ReusedMessages is Messages for who keeps none of them: the bytes of a message
// stay valid only until the next one is taken, because its memory is used again.
// That spares a copy of all that a model sees.
func (c *Context) ReusedMessages() iter.Seq2[ContextMessage, error] {
	return func(yield func(ContextMessage, error) bool) {
		if c.plan == nil {
			return
		}
		own := c.view.anew()
		for m, err := range c.plan.Messages(own) {
			if err != nil {
				yield(ContextMessage{}, err)
				return
			}
			if !yield(ContextMessage{own.ID(m.Pos), m.Raw}, nil) {
				return
			}
		}
	}
}

// All are the messages in order.
func (c *Context) All() ([]ContextMessage, error) {
	var out []ContextMessage
	for m, err := range c.Messages() {
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// A Change is one thing that Repaired did to a context, as a sentence, and the
// entry that it is about.
type Change struct {
	EntryID string
	Text    string
}

// Repaired is the context made acceptable to any provider: every tool call has
// its result behind it, failed attempts are gone, text is valid Unicode. Every
// change is reported; the session itself stays as it is.
func (c *Context) Repaired() ([]ContextMessage, []Change, error) {
	msgs, err := c.collect()
	if err != nil {
		return nil, nil, err
	}
	repaired, changes := transcript.Repair(msgs)
	out := make([]ContextMessage, len(repaired))
	for i, m := range repaired {
		out[i] = ContextMessage{c.view.ID(m.Pos), m.Raw}
	}
	report := make([]Change, len(changes))
	for i, ch := range changes {
		report[i] = Change{c.view.ID(ch.Pos), ch.String()}
	}
	return out, report, nil
}

// ForModel translates a message of a context to the roles that models know:
// shell commands, messages of extensions and summaries become messages of the
// user. ok is false for a message that models do not get.
func ForModel(m ContextMessage) (_ ContextMessage, ok bool) {
	raw, ok := transcript.ForModel(m.Raw)
	return ContextMessage{m.EntryID, raw}, ok
}

func (c *Context) collect() ([]transcript.Message, error) {
	var out []transcript.Message
	if c.plan == nil {
		return nil, nil
	}
	for m, err := range c.plan.Messages(c.view.anew()) {
		if err != nil {
			return nil, err
		}
		m.Raw = append(json.RawMessage(nil), m.Raw...)
		out = append(out, m)
	}
	return out, nil
}
