package agent

import (
	"context"

	"github.com/pith-sessions/pith/llm"
)

// willRetry reports whether the response failed for a temporary reason and will
// be requested again.
func (r *run) willRetry(ctx context.Context) bool {
	if r.last.err == nil || llm.ClassOf(r.last.err) != llm.Retryable || ctx.Err() != nil {
		return false
	}
	_, ok := r.a.config.Retry.Wait(r.tries+1, r.last.err)
	return ok
}

// prepareRetry hides the failed response from models and waits (pitfall 96).
func (r *run) prepareRetry(ctx context.Context) error {
	policy := r.a.config.Retry
	r.tries++
	delay, _ := policy.Wait(r.tries, r.last.err)
	r.a.events.emit(&RetryStart{Attempt: r.tries, MaxAttempts: policy.Retries(), Delay: delay, Err: r.last.err})
	if err := r.a.recorder.omit(ctx, r.last.id); err != nil {
		return err
	}
	if err := policy.Pause(ctx, delay); err != nil {
		r.last.err = ended(ctx)
		r.endRetry()
		return r.last.err
	}
	return nil
}

// endRetry reports how the retries ended, if there were any.
func (r *run) endRetry() {
	if r.tries == 0 {
		return
	}
	r.a.events.emit(&RetryEnd{Attempt: r.tries, Err: r.last.err})
	r.tries = 0
}
