package llm

import (
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A RetryPolicy determines how often failed requests are retried and how long
// to wait. The zero policy is pi's: three retries, after two, four and eight
// seconds.
type RetryPolicy struct {
	// Max is the number of retries after the first attempt; 0 means 3, a
	// negative value none.
	Max int
	// Base is the wait before the first retry; 0 means 2 s. It doubles each time.
	Base time.Duration
	// Longest limits a wait that the provider did not request; 0 means 60 s.
	Longest time.Duration
	// LongestAsked limits the wait that a provider may request; 0 means 60 s.
	// If it requests more, its error is returned immediately: an earlier retry
	// would fail.
	LongestAsked time.Duration
	// Sleep waits; nil means a timer. It returns early with the error of ctx.
	Sleep func(ctx context.Context, d time.Duration) error
}

// WithRetry returns a client that repeats requests of c whose error is
// [Retryable]. The events of each attempt are reported, with a [Retry] between
// two attempts. There are no retries after ctx is cancelled. The clients of
// this package do not retry by themselves.
func WithRetry(c Client, p RetryPolicy) Client { return &retrying{c, p} }

type retrying struct {
	Client
	policy RetryPolicy
}

func (r *retrying) Stream(ctx context.Context, req Request, observe func(Event)) (*format.Assistant, error) {
	if observe == nil {
		observe = func(Event) {}
	}
	for attempt := 1; ; attempt++ {
		m, err := r.Client.Stream(ctx, req, observe)
		if err == nil || ctx.Err() != nil || ClassOf(err) != Retryable {
			return m, err
		}
		wait, ok := r.policy.Wait(attempt, err)
		if !ok {
			return m, err
		}
		observe(Event{Kind: Retry, Attempt: attempt, WaitMs: wait.Milliseconds(), Err: err})
		if err := r.policy.Pause(ctx, wait); err != nil {
			// Keep the partial response; the user ended it, not the error.
			aborted := format.Assistant{}
			if m != nil {
				aborted = *m
			}
			aborted.StopReason, aborted.ErrorMessage = stopAborted, abortedText
			return &aborted, err
		}
	}
}

// Retries returns the number of retries after the first attempt.
func (p RetryPolicy) Retries() int {
	if p.Max == 0 {
		return 3
	}
	return max(0, p.Max)
}

// Wait returns how long to wait before retry n, counted from 1, of a request
// that failed with err. ok is false if it should not be retried.
func (p RetryPolicy) Wait(n int, err error) (_ time.Duration, ok bool) {
	if n > p.Retries() {
		return 0, false
	}
	if e, ok := errors.AsType[*Error](err); ok && e.RetryAfter > 0 {
		return e.RetryAfter, e.RetryAfter <= orDefault(p.LongestAsked, time.Minute)
	}
	longest := orDefault(p.Longest, time.Minute)
	wait := orDefault(p.Base, 2*time.Second)
	for i := 1; i < n && wait < longest; i++ {
		wait += min(wait, longest-wait) // double, but at most longest
	}
	return min(wait, longest), true
}

// Pause waits. It returns early with the error of ctx.
func (p RetryPolicy) Pause(ctx context.Context, d time.Duration) error {
	if p.Sleep != nil {
		return p.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return otherwise
}
