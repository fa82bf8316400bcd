package llm

import (
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A RetryPolicy says how often and how patiently a failed request is repeated.
// The zero policy is pi's: three retries, after two, four and eight seconds.
type RetryPolicy struct {
	// Max is how many retries follow the first attempt; 0 means 3, less than 0
	// means none.
	Max int
	// Base is the wait before the first retry; 0 means 2 s. It doubles each time.
	Base time.Duration
	// Longest limits a wait that the provider did not ask for; 0 means 60 s.
	Longest time.Duration
	// LongestAsked limits what a provider may ask for; 0 means 60 s. When it asks
	// for more its error is returned at once: an earlier retry would fail.
	LongestAsked time.Duration
	// Sleep waits; nil means a timer. It returns early with the error of ctx.
	Sleep func(ctx context.Context, d time.Duration) error
}

// WithRetry returns a client that asks c again when its error is [Retryable].
// The events of each attempt are told; between two attempts comes a [Retry].
// Nothing is repeated after ctx is cancelled. The clients of this package do not
// retry by themselves.
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
			// What had come is kept; it ended by the user's will, not by the error.
			aborted := format.Assistant{}
			if m != nil {
				aborted = *m
			}
			aborted.StopReason, aborted.ErrorMessage = stopAborted, abortedText
			return &aborted, err
		}
	}
}

// Retries is how many retries follow the first attempt.
func (p RetryPolicy) Retries() int {
	if p.Max == 0 {
		return 3
	}
	return max(0, p.Max)
}

// Wait is how long to wait before retry n, which counts from 1, of a request that
// ended with err; ok is false when there is no such retry.
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
		wait += min(wait, longest-wait) // twice as long, and never more than the longest
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
