package pith

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A Context holds the messages that a model sees from one entry of a session,
// built as pi builds them. It is a snapshot: later appends do not change it.
// The zero Context is empty.
type Context struct {
	// ThinkingLevel is the last level set on the path, or "off".
	ThinkingLevel string
	// Model is the last model chosen or used on the path, or nil.
	Model *format.Model
	// Notes describe content missing from the context, as sentences.
	Notes []string
	// First is the path position of the first entry in the context.
	First int
	// Compaction is the path position of the compaction that replaces all
	// entries before First, or -1.
	Compaction int
	// Entries is the number of path entries that may contribute messages.
	Entries int

	plan *transcript.Plan
	path *path
}

// A ContextMessage is one message of a context. [format.DecodeMessage] decodes
// it.
type ContextMessage struct {
	EntryID string          // id of the entry it comes from
	Raw     json.RawMessage // the message as JSON, as pi encodes it
}

// contextAt returns the context at an entry.
func (v *View) contextAt(i int) (*Context, error) {
	path := v.path(v.state.Path(i))
	plan, err := transcript.Build(path, transcript.Origin{Program: v.program(), Header: v.state.Header})
	if err != nil {
		return nil, err
	}
	c := &Context{ThinkingLevel: plan.ThinkingLevel, Model: plan.Model, First: plan.First, Compaction: plan.Boundary, Entries: len(plan.Steps), plan: plan, path: path}
	for _, n := range plan.Notes {
		c.Notes = append(c.Notes, n.String())
	}
	return c, nil
}

// Messages yields the messages in order. The caller may retain them. An error
// is yielded once and ends the sequence. The sequence can be ranged over again.
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

// ReusedMessages is like Messages but reuses its buffer: the bytes of a message
// are valid only until the next iteration. It avoids copying the whole context.
func (c *Context) ReusedMessages() iter.Seq2[ContextMessage, error] {
	return func(yield func(ContextMessage, error) bool) {
		if c.plan == nil {
			return
		}
		own := c.path.clone()
		for m, err := range c.plan.Messages(own) {
			if err != nil {
				yield(ContextMessage{}, err)
				return
			}
			if !yield(ContextMessage{own.At(m.Pos).ID, m.Raw}, nil) {
				return
			}
		}
	}
}

// Repaired returns the context in a form that any provider accepts: every tool
// call is followed by its result, failed attempts are removed, and text is
// valid Unicode. It returns a finding for each change, with the entry and
// a text. The session itself does not change.
func (c *Context) Repaired() ([]ContextMessage, []Finding, error) {
	msgs, err := c.collect()
	if err != nil {
		return nil, nil, err
	}
	repaired, changes := transcript.Repair(msgs)
	out := make([]ContextMessage, len(repaired))
	for i, m := range repaired {
		out[i] = ContextMessage{c.path.At(m.Pos).ID, m.Raw}
	}
	report := make([]Finding, len(changes))
	for i, ch := range changes {
		report[i] = Finding{EntryID: c.path.At(ch.Pos).ID, Text: ch.String()}
	}
	return out, report, nil
}

// ForModel converts a context message to the roles that models know: shell
// commands, extension messages and summaries become user messages. ok is false
// if models do not receive the message.
func ForModel(m ContextMessage) (_ ContextMessage, ok bool) {
	raw, ok := transcript.ForModel(m.Raw)
	return ContextMessage{m.EntryID, raw}, ok
}

func (c *Context) collect() ([]transcript.Message, error) {
	var out []transcript.Message
	if c.plan == nil {
		return nil, nil
	}
	for m, err := range c.plan.Messages(c.path.clone()) {
		if err != nil {
			return nil, err
		}
		m.Raw = slices.Clone(m.Raw)
		out = append(out, m)
	}
	return out, nil
}

// System returns the prompt and the tools in force at the context's entry. ok
// is false if the context has no system message.
func (c *Context) System() (_ format.SystemState, ok bool, err error) {
	if c.plan == nil {
		return format.SystemState{}, false, nil
	}
	raw, ok, err := c.plan.System(c.path.clone())
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

// withdrawnTools returns the tools that any system message of the path names,
// except those in force. It searches the whole path, because a compaction
// records only the tools in force.
func (c *Context) withdrawnTools(inForce map[string]bool) ([]string, error) {
	var names []string
	own := c.path.clone()
	seen := map[string]bool{}
	for pos := range own.Len() {
		if e := own.At(pos); e.Kind != journal.KindMessage || e.Role != journal.RoleSystem {
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

// Context returns the context at an entry, or at the leaf for "".
func (v *View) Context(id string) (*Context, error) {
	i, err := v.findOr(id, v.leaf)
	if err != nil {
		return nil, err
	}
	return v.contextAt(i)
}
