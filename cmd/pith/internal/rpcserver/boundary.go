package rpcserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

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
	return agent.BoundaryDecision{Continue: a.Continue, Entries: a.Entries}, a.check()
}

// drafts are the entries of an answer, nil if it has none. The session sets their IDs and
// parents.
type drafts []format.Entry

func (d *drafts) read(raw []byte) error {
	if jsonl.KindOf(raw) != '[' {
		return mustBe("a list of entries", raw)
	}
	*d = drafts{}
	for element := range jsonl.Elements(raw) {
		var p interface{ entry() format.Entry }
		var known signature
		switch kind := jsonl.LookupString(element, "type"); kind {
		case "custom":
			p, known = new(customParams), signatureOf[customParams]()
		case "custom_message":
			p, known = new(customMessageParams), signatureOf[customMessageParams]()
		case "context_edit":
			p, known = new(contextEditParams), signatureOf[contextEditParams]()
		case "compaction":
			p, known = new(draftCompaction), signatureOf[draftCompaction]()
		default:
			return invalid(fmt.Sprintf("has an entry of type %q; hooks can add custom, custom_message, context_edit and compaction", kind))
		}
		if err := known.read(element, p); err != nil {
			return err
		}
		*d = append(*d, p.entry())
	}
	return nil
}

// A draftCompaction is the compaction of an answer.
type draftCompaction struct {
	Summary          string          `json:"summary" need:"given"`
	FirstKeptEntryID string          `json:"firstKeptEntryId"`
	TokensBefore     int64           `json:"tokensBefore"`
	Details          json.RawMessage `json:"details"`
	Usage            usage           `json:"usage"`
}

func (p *draftCompaction) entry() format.Entry { return p.compaction() }

func (p *draftCompaction) compaction() *format.Compaction {
	return &format.Compaction{
		Summary: p.Summary, FirstKeptEntryID: p.FirstKeptEntryID, TokensBefore: p.TokensBefore, Details: p.Details, Usage: p.Usage.Usage,
	}
}

// read reads the compaction or the summary of an answer.
func (p *draftCompaction) read(raw []byte) error {
	if jsonl.KindOf(raw) != '{' {
		return mustBe("an object", raw)
	}
	return signatureOf[draftCompaction]().read(raw, p)
}
