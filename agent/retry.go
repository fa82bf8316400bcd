package agent

import (
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/llm"
)

// willRetry reports whether the answer failed for a cause that may have passed
// when it is asked for again.
func (r *run) willRetry() bool {
	if r.last.err == nil || llm.ClassOf(r.last.err) != llm.Retryable || r.ctx.Err() != nil {
		return false
	}
	_, ok := retryDelay(r.a.config.Retry, r.tries+1, r.last.err)
	return ok
}

// prepareRetry hides the failed answer from models and waits (pitfall 96).
func (r *run) prepareRetry() error {
	policy := r.a.config.Retry
	r.tries++
	delay, _ := retryDelay(policy, r.tries, r.last.err)
	r.a.bus.emit(&RetryStart{Attempt: r.tries, MaxAttempts: retries(policy), Delay: delay, Err: r.last.err})
	if err := r.a.omit(r.last.id); err != nil {
		return err
	}
	if err := sleep(r.ctx, policy, delay); err != nil {
		r.last.err = r.aborted()
		r.endRetry()
		return r.last.err
	}
	return nil
}

// endRetry tells how repeating ended, if anything was repeated.
func (r *run) endRetry() {
	if r.tries == 0 {
		return
	}
	r.a.bus.emit(&RetryEnd{Attempt: r.tries, Err: r.last.err})
	r.tries = 0
}

func retries(p llm.RetryPolicy) int {
	if p.Max == 0 {
		return 3
	}
	return max(0, p.Max)
}

// retryDelay is how long to wait before the nth repetition: as long as the
// provider asks for, or twice as long each time. ok is false when there is none.
func retryDelay(p llm.RetryPolicy, n int, err error) (_ time.Duration, ok bool) {
	if n > retries(p) {
		return 0, false
	}
	var e *llm.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		return e.RetryAfter, e.RetryAfter <= orElse(p.LongestAsked, time.Minute)
	}
	delay, longest := orElse(p.Base, 2*time.Second), orElse(p.Longest, time.Minute)
	for i := 1; i < n && delay < longest; i++ {
		delay += min(delay, longest-delay) // twice as long, and never more than the longest
	}
	return min(delay, longest), true
}

func orElse(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

func sleep(ctx context.Context, p llm.RetryPolicy, d time.Duration) error {
	if p.Sleep != nil {
		return p.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
