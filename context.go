package pith

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A Context is what a model sees of a session from one of its entries: built
// as pi builds it. It is a snapshot; what is appended later does not show. The zero
// Context is empty.
type Context struct {
	// ThinkingLevel is the last one set on the path; "off" when none was.
	ThinkingLevel string
	// Model is the last one chosen or answering on the path; nil when none was.
	Model *format.Model
	// Notes say what the context lacks, in sentences.
	Notes []string
	// First is the position on the path of the first entry that it takes.
	First int
	// Compaction is the position on the path of the compaction which stands for all
	// entries before First; -1 when there is none.
	Compaction int
	// Entries is how many entries of the path may contribute messages.
	Entries int

	plan *transcript.Plan
	view *walk
}

// A ContextMessage is one message of a context. [format.DecodeMessage] makes a Go
// value of it.
type ContextMessage struct {
	EntryID string          // of the entry it comes from
	Raw     json.RawMessage // the message as JSON, in pi's form
}

// Context is what a model sees from the leaf.
func (s *Session) Context() (*Context, error) {
	now := s.now()
	return now.contextAt(now.leaf)
}

func (s *snapshot) contextAt(i int) (*Context, error) {
	v := s.walk(s.path(i))
	plan, err := transcript.Build(route{v, s}, transcript.Origin{Program: s.program(), Header: s.table.Header})
	if err != nil {
		return nil, err
	}
	c := &Context{ThinkingLevel: plan.ThinkingLevel, First: plan.First, Compaction: plan.Boundary, Entries: len(plan.Steps), plan: plan, view: v}
	if plan.Model != nil {
		c.Model = &format.Model{Provider: plan.Model.Provider, ModelID: plan.Model.ModelID}
	}
	for _, n := range plan.Notes {
		c.Notes = append(c.Notes, n.String())
	}
	return c, nil
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
		m.Raw = slices.Clone(m.Raw)
		out = append(out, m)
	}
	return out, nil
}

// System is the prompt and the tools in force at the context's entry. ok is false
// when the context has no system message; nothing is known then.
func (c *Context) System() (_ format.SystemState, ok bool, err error) {
	if c.plan == nil {
		return format.SystemState{}, false, nil
	}
	raw, ok, err := c.plan.System(c.view.anew())
	if err != nil || !ok {
		return format.SystemState{}, false, err
	}
	s := format.DecodeSystemState(raw)
	inForce := map[string]bool{}
	for _, tool := range s.Tools {
		inForce[tool.Name] = true
	}
	s.Withdrawn, err = c.withdrawnTools(inForce)
	return s, true, err
}

// withdrawnTools are the tools that any system message of the path names, except
// those in force. The whole path counts, because a compaction records only what
// is in force.
func (c *Context) withdrawnTools(inForce map[string]bool) ([]string, error) {
	var names []string
	own := c.view.anew()
	seen := map[string]bool{}
	for pos := range own.Len() {
		if e := own.At(pos); e.Kind != envelope.KindMessage || e.Role != envelope.RoleSystem {
			continue
		}
		line, err := own.Line(pos)
		if err != nil {
			return nil, err
		}
		message, _ := jsonl.Lookup(line, "message")
		for _, field := range []string{"toolsRemoved", "toolsAdded"} {
			tools, _ := jsonl.Lookup(message, field)
			for tool := range jsonl.Elements(tools) {
				if name := jsonl.LookupString(tool, "name"); !inForce[name] && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names, nil
}
