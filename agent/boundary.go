package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// An Outcome says how a turn ended. The words are pi's.
type Outcome string

// The outcomes.
const (
	OutcomeCompleted Outcome = "completed"
	OutcomeFailed    Outcome = "error"
	OutcomeAborted   Outcome = "aborted"
)

// A TurnEndEvent tells that a turn has ended, and asks what to add to it.
type TurnEndEvent struct {
	Session   *pith.Session
	EntryID   string // of the answer
	Answer    *format.Assistant
	ResultIDs []string // of the entries of Results
	Results   []*format.ToolResult
	Outcome   Outcome
	// Decided is what hooks before this one decided.
	Decided BoundaryDecision
}

// A BeforeSettleEvent tells that a run has nothing left to do, and asks what to
// add to it. It does not come when the run was aborted.
type BeforeSettleEvent struct {
	Session *pith.Session
	Outcome Outcome // OutcomeCompleted or OutcomeFailed, of the last turn
	// Decided is what hooks before this one decided.
	Decided BoundaryDecision
}

// A BoundaryDecision says what follows a turn or a run.
type BoundaryDecision struct {
	// Entries are appended in this order: *format.Custom, *format.CustomMessage,
	// *format.ContextEdit and *format.Compaction. Their Base is given by the
	// session. A compaction is marked as made by a hook and its TokensBefore is
	// counted; without a FirstKeptEntryID it keeps nothing. Each is told as an
	// [EntryAppended] and nothing else. Nil keeps what hooks before this one
	// decided. A list with an entry that cannot be appended counts as an error of
	// the hook.
	Entries []format.Entry
	// Continue asks the model again although it has nothing more to do. The
	// conversation must then wait for an answer: end with a message of an
	// extension, for example. Nil keeps what hooks before this one decided.
	Continue *bool
}

func (d *BoundaryDecision) take(other BoundaryDecision) {
	if other.Entries != nil {
		d.Entries = other.Entries
	}
	if other.Continue != nil {
		d.Continue = other.Continue
	}
}

// endTurn asks the hooks, writes what they add and tells the end of the turn.
// again means that a hook wants the model to be asked again.
func (r *run) endTurn(ctx context.Context) (again bool, err error) {
	end := &TurnEnd{EntryID: r.last.id, Answer: r.last.message}
	var ids []string
	for _, result := range r.last.results {
		end.Results, ids = append(end.Results, result.message), append(ids, result.id)
	}
	e := TurnEndEvent{
		Session: r.a.Session(), EntryID: end.EntryID, Answer: end.Answer, ResultIDs: ids, Results: end.Results, Outcome: r.outcome(ctx),
	}
	var d BoundaryDecision
	for _, h := range r.a.hooks.all {
		if h.TurnEnd != nil {
			e.Decided = d
			r.boundaryHook("TurnEnd", &d, func() (BoundaryDecision, error) { return h.TurnEnd(ctx, e) })
		}
	}
	again, err = r.boundary(ctx, "TurnEnd", d)
	r.a.events.emit(end)
	return again, err
}

// beforeSettle asks the hooks whether the run is over. failure is how it has ended
// so far; when a hook goes on it is forgotten.
func (r *run) beforeSettle(ctx context.Context, failure error) (step, error) {
	var unanswered *AnswerError
	if failure != nil && !errors.As(failure, &unanswered) || ctx.Err() != nil {
		return nothing, failure
	}
	e := BeforeSettleEvent{Session: r.a.Session(), Outcome: r.outcome(ctx)}
	var d BoundaryDecision
	for _, h := range r.a.hooks.all {
		if h.BeforeSettle != nil {
			e.Decided = d
			r.boundaryHook("BeforeSettle", &d, func() (BoundaryDecision, error) { return h.BeforeSettle(ctx, e) })
		}
	}
	again, err := r.boundary(ctx, "BeforeSettle", d)
	switch {
	case err != nil:
		return nothing, errors.Join(failure, err)
	case ctx.Err() != nil:
		return nothing, ended(ctx)
	case again:
		return sameAgain, nil
	}
	return nothing, failure
}

func (r *run) outcome(ctx context.Context) Outcome {
	switch {
	case ctx.Err() != nil, r.last.message != nil && r.last.message.StopReason == abandoned:
		return OutcomeAborted
	case r.last.err != nil:
		return OutcomeFailed
	}
	return OutcomeCompleted
}

// boundaryHook asks one hook and adds to d what it decided, if that can be done.
func (r *run) boundaryHook(name string, d *BoundaryDecision, ask func() (BoundaryDecision, error)) {
	r.a.hooks.guarded(name, func() error {
		said, err := ask()
		if err != nil {
			return err
		}
		if err := drafts(said.Entries).check(r.a.Session()); err != nil {
			return err
		}
		d.take(said)
		return nil
	})
}

// boundary writes what hooks decided. again means that the model is asked again.
func (r *run) boundary(ctx context.Context, name string, d BoundaryDecision) (again bool, err error) {
	for _, e := range d.Entries {
		if err := r.a.compactor.appendDraft(e); err != nil {
			return false, fmt.Errorf("write an entry of the hook %s: %w", name, err)
		}
	}
	if d.Continue == nil || !*d.Continue || ctx.Err() != nil {
		return false, nil
	}
	err = canContinue(r.a.Session())
	if errors.Is(err, ErrNothingToContinue) {
		if r.a.queues.empty() {
			r.a.events.emit(&HookFailed{name, fmt.Errorf("it wants to go on, but %w", err)})
		}
		return false, nil
	}
	return err == nil, err
}
