package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// take overrides d with the decision of a later hook.
func (d *BoundaryDecision) take(other BoundaryDecision) {
	if other.Entries != nil {
		d.Entries = other.Entries
	}
	d.Continue = cmp.Or(other.Continue, d.Continue)
}

// endTurn calls the TurnEnd hooks, writes the entries that they add and reports
// the end of the turn. again means that a hook requests another response.
func (r *run) endTurn(ctx context.Context) (again bool, err error) {
	e := r.boundaryEvent(ctx)
	again, err = r.boundary(ctx, "TurnEnd", e, func(h Hooks) boundaryHook { return h.TurnEnd })
	r.a.events.emit(&TurnEnd{EntryID: e.EntryID, Answer: e.Answer, Results: e.Results})
	return again, err
}

// beforeSettle asks the hooks whether the run is over. failure is its error so far,
// which is dropped if a hook continues the run.
func (r *run) beforeSettle(ctx context.Context, failure error) (step, error) {
	if failure != nil && !isA[*AnswerError](failure) || ctx.Err() != nil {
		return nothing, failure
	}
	again, err := r.boundary(ctx, "BeforeSettle", r.boundaryEvent(ctx), func(h Hooks) boundaryHook { return h.BeforeSettle })
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

func (r *run) boundaryEvent(ctx context.Context) BoundaryEvent {
	e := BoundaryEvent{Session: r.a.Session(), EntryID: r.last.id, Answer: r.last.message, Err: r.last.err}
	for _, result := range r.last.results {
		e.Results, e.ResultIDs = append(e.Results, result.message), append(e.ResultIDs, result.id)
	}
	switch {
	case ctx.Err() != nil:
		e.Err = ended(ctx)
	case e.Answer != nil && e.Answer.StopReason == abandoned && !errors.Is(e.Err, ErrAborted):
		e.Err = ErrAborted
	}
	return e
}

type boundaryHook = func(context.Context, BoundaryEvent) (BoundaryDecision, error)

// boundary calls the hooks and writes the entries that they add. again means
// that a hook requests another response.
func (r *run) boundary(ctx context.Context, name string, e BoundaryEvent, hook func(Hooks) boundaryHook) (again bool, err error) {
	var d BoundaryDecision
	for _, h := range r.a.hooks.all {
		f := hook(h)
		if f == nil {
			continue
		}
		e.Decided = d
		_ = r.a.hooks.guarded(name, func() error {
			decision, err := f(ctx, e)
			if err != nil {
				return err
			}
			if err := drafts(decision.Entries).check(r.a.Session()); err != nil {
				return err
			}
			d.take(decision)
			return nil
		})
	}
	for _, e := range d.Entries {
		if err := r.a.compactor.appendDraft(ctx, e); err != nil {
			return false, fmt.Errorf("write entry of hook %s: %w", name, err)
		}
	}
	if d.Continue == nil || !*d.Continue || ctx.Err() != nil {
		return false, nil
	}
	err = canContinue(r.a.Session())
	if errors.Is(err, ErrNothingToContinue) {
		if r.a.queues.empty() {
			r.a.events.emit(&Problem{name, fmt.Errorf("it asked to continue, but %w", err)})
		}
		return false, nil
	}
	return err == nil, err
}
