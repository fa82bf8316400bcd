package agent

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/llm"
)

// guard holds the state that makes automatic compaction terminate.
type guard struct {
	// recovered is set after a recovery from an overflow, until the next user
	// message. Only the running goroutine uses it.
	recovered bool
	// repaired holds the changes reported last. Only the running goroutine uses
	// it.
	repaired []pith.Finding
	// fruitless counts consecutive compactions that left the context too large.
	fruitless atomic.Int32
	// small is the context window last reported as too small for the reserve.
	small atomic.Int64
}

// maxFruitless is the number of consecutive compactions without effect after
// which no more are tried (pitfall 109).
const maxFruitless = 2

// An occasion is a point at which the size of the context is checked.
type occasion uint8

const (
	afterRun occasion = iota
	beforePrompt
)

// checkBeforePrompt checks the last response before a new prompt. It covers
// aborted responses, and sessions that other programs left too large.
func (r *run) checkBeforePrompt(ctx context.Context) error {
	x, ok, err := lastAnswer(r.a.Session())
	if err != nil || !ok {
		return err
	}
	if _, err = r.check(ctx, x, beforePrompt); err != nil {
		return err
	}
	return ended(ctx)
}

// check compacts if a response shows that the context is too large. again means
// that the response should be requested again.
func (r *run) check(ctx context.Context, x answer, when occasion) (again bool, err error) {
	model := r.a.Model()
	set := r.a.compactor.settings(model)
	if !set.Enabled || x.message == nil || when == afterRun && x.message.StopReason == abandoned {
		return false, nil
	}
	f, err := since(r.a.Session(), x.id)
	if err != nil || f.compacted { // the response was for another context (pitfall 105)
		return false, err
	}
	if trouble := f.trouble(x, model); trouble != nil {
		return r.recoverFrom(ctx, x, trouble, when)
	}
	tokens, err := r.a.compactor.tokens(x, f)
	if err != nil {
		return false, err
	}
	r.compactAbove(ctx, tokens, model, set)
	return false, nil
}

// compactBetween checks the context between tool results and the next request.
func (r *run) compactBetween(ctx context.Context) error {
	model := r.a.Model()
	set := r.a.compactor.settings(model)
	if !set.Enabled || model.ContextWindow <= 0 {
		return nil
	}
	size, err := r.a.compactor.measure()
	if err != nil {
		return err
	}
	r.compactAbove(ctx, size.Tokens, model, set)
	return nil
}

// compactAbove compacts a context that exceeds the threshold. It does nothing
// if the context window is unknown.
func (r *run) compactAbove(ctx context.Context, tokens int64, model llm.Model, set compact.Settings) {
	fruitless := &r.a.compactor.guard.fruitless
	if model.ContextWindow <= 0 {
		return
	}
	if !set.ShouldCompact(tokens, model.ContextWindow) {
		fruitless.Store(0)
		return
	}
	if n := fruitless.Load(); n >= maxFruitless {
		if n == maxFruitless { // report it once
			fruitless.Add(1)
			r.giveUp(ctx, ReasonThreshold, ErrNoProgress)
		}
		return
	}
	if r.failures >= maxFruitless { // each failure was reported; try again with the next input
		return
	}
	result := r.autoCompact(ctx, ReasonThreshold, finalAnswer)
	switch {
	case result == nil:
	case set.ShouldCompact(result.EstimatedTokensAfter, model.ContextWindow):
		fruitless.Add(1)
	default:
		fruitless.Store(0)
	}
}

// retrying indicates whether the same request follows a compaction.
type retrying bool

const (
	finalAnswer retrying = false
	askAgain    retrying = true
)

// autoCompact compacts automatically. It returns nil if nothing was written;
// the reason was reported, unless there was nothing to do.
func (r *run) autoCompact(ctx context.Context, reason Reason, again retrying) *Compaction {
	a := r.a
	if !a.compactor.possible() {
		return nil
	}
	plan, err := a.compactor.plan(ctx)
	if errors.Is(err, compact.ErrNothing) {
		return nil
	}
	job := compactionJob{reason: reason, willRetry: bool(again), plan: plan}
	a.events.emit(&CompactionStart{reason})
	var result *Compaction
	if err == nil {
		result, err = a.compactor.compact(ctx, &job)
	}
	end := job.end(ctx, result, err)
	a.events.emit(end)
	if err != nil {
		r.failures++
		a.hooks.compacted(context.WithoutCancel(ctx), a.Session(), end)
	}
	return result
}

// giveUp reports that a due compaction is not attempted.
func (r *run) giveUp(ctx context.Context, reason Reason, err error) {
	end := &CompactionEnd{Reason: reason, Err: err}
	r.a.events.emit(end)
	r.a.hooks.compacted(context.WithoutCancel(ctx), r.a.Session(), end)
}

// tokens returns the size of the context after a response: the provider's
// count, unless there is none or the context has changed since (pitfalls 105,
// 106).
func (c *compactor) tokens(x answer, f facts) (int64, error) {
	if n := countOf(x.message); n > 0 && !f.edited && x.message.StopReason != failed {
		return n, nil
	}
	size, err := c.measure()
	return size.Tokens, err
}

// countOf returns the provider's token count for the context of a response, or
// 0.
func countOf(m *format.Assistant) int64 {
	usage, _ := jsonl.Lookup(m.Raw(), "usage")
	n, _ := compact.UsageTokens(usage)
	return n
}

// lastAnswer returns the last response on the path. ok is false if none follows
// the last compaction.
func lastAnswer(s *pith.Session) (_ answer, ok bool, err error) {
	var results []toolResult // results of the response, newest first
	for e, err := range back(s) {
		if err != nil {
			return answer{}, false, err
		}
		if _, ok := e.(*format.Compaction); ok {
			return answer{}, false, nil
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			continue
		}
		switch message := m.Message.(type) {
		case *format.ToolResult:
			results = append(results, toolResult{m.ID, message})
		case *format.Assistant:
			slices.Reverse(results)
			return answer{id: m.ID, message: message, results: results}, true, nil
		}
	}
	return answer{}, false, nil
}

// back yields the entries of the path from the leaf to the root. An error is
// yielded once and ends the sequence.
func back(s *pith.Session) iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		v := s.View()
		path, err := v.Path("")
		if err != nil {
			yield(nil, err)
			return
		}
		for _, at := range slices.Backward(path) {
			e, err := v.Entry(at)
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
