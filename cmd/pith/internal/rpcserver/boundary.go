package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// turnEnd asks the client what follows a turn. It does not ask after an aborted
// turn, because the client waits for the abort; the event turn_end reports that
// turn.
func (l *live) turnEnd(ctx context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
	if ctx.Err() != nil || !l.wants("turn_end") {
		return agent.BoundaryDecision{}, nil
	}
	var results list
	for _, r := range e.Results {
		results.add(r.Raw())
	}
	o := object{}.
		Text("messageEntryId", e.EntryID).
		Raw("message", e.Answer.Raw()).
		Raw("toolResultEntryIds", texts(e.ResultIDs)).
		Raw("toolResults", results.end()).
		Text("outcome", outcome(e.Err))
	return l.boundary(ctx, "turn_end", o)
}

// beforeSettle asks the client what follows a run.
func (l *live) beforeSettle(ctx context.Context, e agent.BoundaryEvent) (agent.BoundaryDecision, error) {
	return l.boundary(ctx, "agent_before_settle", object{}.Text("outcome", outcome(e.Err)))
}

// outcome returns pi's word for how a turn ended.
func outcome(err error) string {
	switch {
	case err == nil:
		return "completed"
	case errors.Is(err, agent.ErrAborted):
		return "aborted"
	}
	return "error"
}

func (l *live) boundary(ctx context.Context, name string, about object) (agent.BoundaryDecision, error) {
	a := l.consult(ctx, name, about)
	d := agent.BoundaryDecision{Continue: a.optFlag("continue")}
	if raw := a.json("entries"); raw != nil {
		d.Entries = a.drafts(raw)
	}
	return d, a.check()
}

// draftMembers are the members of an entry that a hook adds, by its type.
var draftMembers = sync.OnceValue(func() map[string][]parameter {
	return map[string][]parameter{
		"custom":         parameters("customType, data:any?"),
		"custom_message": messageMembers(),
		"context_edit":   parameters("targetId:name, replacement:replacement"),
		"compaction":     parameters("summary, firstKeptEntryId?, details:any?, usage:object?"),
	}
})

// drafts returns the entries of an answer. The result is never nil.
func (a hookAnswer) drafts(raw []byte) []format.Entry {
	out := []format.Entry{}
	for element := range jsonl.Elements(raw) {
		name := jsonl.LookupString(element, "type")
		known, ok := draftMembers()[name]
		if !ok {
			a.reject("entries", fmt.Sprintf("has an entry of type %q; hooks can add custom, custom_message, context_edit and compaction", name))
			return out
		}
		p := readParams(known, element)
		out = append(out, p.draft(name))
		a.take(p)
	}
	return out
}

// customMessage reads a message for the model, which the user sees only if
// display is set.
func (p *params) customMessage() *format.CustomMessage {
	return &format.CustomMessage{CustomType: p.text("customType"), Content: p.content("content"), Display: p.flag("display"), Details: p.json("details")}
}

// customEntry reads an entry with the state of an extension.
func (p *params) customEntry() format.Entry {
	return &format.Custom{CustomType: p.text("customType"), Data: p.raw("data")} // null is data too
}

func (p *params) contextEdit() format.Entry {
	return &format.ContextEdit{TargetID: p.text("targetId"), Replacement: p.replacement("replacement")}
}

// draft reads one entry. The session sets its ID and parent.
func (p *params) draft(kind string) format.Entry {
	switch kind {
	case "custom":
		return p.customEntry()
	case "custom_message":
		return p.customMessage()
	case "context_edit":
		return p.contextEdit()
	}
	return &format.Compaction{Summary: p.text("summary"), FirstKeptEntryID: p.text("firstKeptEntryId"), Details: p.json("details"), Usage: p.optUsage()}
}
