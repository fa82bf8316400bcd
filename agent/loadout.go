package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// ActiveTools are the names of the tools that the model is offered from the next
// request on, in the order of [Config.Tools].
//
// They are those of the branch (pitfall 85). Where its path records which tools
// are in force, as sessions of pi since 0.86 do, a tool that the path has
// withdrawn is not offered, and one that the path does not know is. Where nothing
// is recorded all are offered. Moving in the session and changing it choose anew.
func (a *Session) ActiveTools() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var names []string
	for _, t := range a.config.Tools {
		if name := t.Spec().Name; a.active[name] {
			names = append(names, name)
		}
	}
	return names
}

// SetActiveTools chooses which of the tools of [Config.Tools] the model is offered
// from the next request on. A session that records tools gets the change with that
// request; in others it is forgotten when the position or the session changes.
func (a *Session) SetActiveTools(names []string) error {
	active := make(map[string]bool, len(names))
	for _, name := range names {
		if a.tools[name] == nil {
			return fmt.Errorf("%w: there is no tool %q", pith.ErrInvalid, name)
		}
		active[name] = true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active = active
	return nil
}

// adoptTools chooses the tools that the branch has in force.
func (a *Session) adoptTools(c *pith.Context) error {
	active := make(map[string]bool, len(a.tools))
	for name := range a.tools {
		active[name] = true
	}
	if len(a.tools) > 0 { // otherwise nothing needs to be read
		state, _, err := c.System()
		if err != nil {
			return err
		}
		for _, name := range state.Withdrawn {
			delete(active, name)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.active = active
	return nil
}

// adoptFollowed is adoptTools behind what others wrote: they may have withdrawn
// tools there. The model stays the one that the user has chosen here.
func (a *Session) adoptFollowed(s *pith.Session) {
	if len(a.tools) == 0 {
		return
	}
	c, err := s.Context()
	if err == nil {
		err = a.adoptTools(c)
	}
	if err != nil {
		a.bus.emit(&Problem{fmt.Errorf("find the tools of the branch: %w", err)})
	}
}

// declareTools records, before a request, what has changed about the tools since
// the session recorded them. A session that records none stays without.
//
// Tools that the session records and that this program does not have stay
// recorded: whoever has them, such as pi, finds them in force again.
func (r *run) declareTools() error {
	if len(r.a.tools) == 0 {
		return nil
	}
	c, err := r.a.Session().Context()
	if err != nil {
		return err
	}
	state, ok, err := c.System()
	if err != nil || !ok {
		return err
	}
	m := r.a.toolChanges(state)
	if m == nil {
		return nil
	}
	_, err = r.write(m)
	return err
}

// toolChanges is the message that makes the record say which tools are offered;
// nil when it says so. A tool that is declared in other words is withdrawn and
// added, as pi does it.
func (a *Session) toolChanges(state pith.SystemState) *format.System {
	recorded := make(map[string]json.RawMessage, len(state.Tools))
	for _, t := range state.Tools {
		recorded[t.Name] = t.Raw
	}
	active := a.ActiveTools()
	var added, removed [][]byte
	for _, t := range a.config.Tools {
		spec := t.Spec()
		before, known := recorded[spec.Name]
		offered := slices.Contains(active, spec.Name)
		if known && (!offered || !declares(before, spec.Tool)) {
			removed = append(removed, object(`{}`).set("name", spec.Name))
		}
		if offered && (!known || !declares(before, spec.Tool)) {
			added = append(added, declaration(spec.Tool))
		}
	}
	if added == nil && removed == nil {
		return nil
	}
	return &format.System{
		Content: format.TextContent(""), ToolsAdded: list(added), ToolsRemoved: list(removed), Timestamp: a.config.Now().UnixMilli(),
	}
}

// declaration is a tool as pi records it.
func declaration(t llm.Tool) []byte {
	return object(`{}`).set("name", t.Name).set("description", t.Description).raw("parameters", parameters(t))
}

func parameters(t llm.Tool) []byte {
	if len(t.Parameters) == 0 || !jsonl.Valid(t.Parameters) {
		return []byte(`{}`)
	}
	return jsonl.AppendCompact(nil, t.Parameters)
}

// declares reports whether a recorded declaration says the same about a tool.
func declares(recorded json.RawMessage, t llm.Tool) bool {
	schema, _ := jsonl.Lookup(recorded, "parameters")
	return jsonl.LookupString(recorded, "description") == t.Description && bytes.Equal(jsonl.AppendCompact(nil, schema), parameters(t))
}

// list is a JSON array; nil for an empty one.
func list(elements [][]byte) json.RawMessage {
	if len(elements) == 0 {
		return nil
	}
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}
