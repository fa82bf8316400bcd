package llm_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// waits collects the waits of a policy instead of waiting.
func waits(p llm.RetryPolicy, out *[]time.Duration) llm.RetryPolicy {
	p.Sleep = func(ctx context.Context, d time.Duration) error {
		*out = append(*out, d)
		return ctx.Err()
	}
	return p
}

func TestRetry(t *testing.T) {
	busy, ok := llmtest.Status(529, "overloaded_error"), llmtest.Text("ok")
	tests := map[string]struct {
		policy  llm.RetryPolicy
		answers []llmtest.Answer
		waits   []time.Duration
		fails   bool
	}{
		"no need":            {answers: []llmtest.Answer{ok}},
		"once":               {answers: []llmtest.Answer{busy, ok}, waits: []time.Duration{2 * time.Second}},
		"as often as it may": {answers: []llmtest.Answer{busy, busy, busy, ok}, waits: []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"too often":          {answers: []llmtest.Answer{busy, busy, busy, busy}, waits: []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, fails: true},
		"never":              {policy: llm.RetryPolicy{Max: -1}, answers: []llmtest.Answer{busy}, fails: true},
		"the longest wait": {
			policy: llm.RetryPolicy{Max: 5, Base: time.Second, Longest: 3 * time.Second}, answers: []llmtest.Answer{busy, busy, busy, busy, ok},
			waits: []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second},
		},
		"as asked":       {answers: []llmtest.Answer{llmtest.Throttled(17), ok}, waits: []time.Duration{17 * time.Second}},
		"asked too much": {answers: []llmtest.Answer{llmtest.Throttled(61)}, fails: true},
		"a cut stream":   {answers: []llmtest.Answer{ok.CutAt(200), ok}, waits: []time.Duration{2 * time.Second}},
		"a final error":  {answers: []llmtest.Answer{llmtest.Status(400, "no")}, fails: true},
		"an overflow":    {answers: []llmtest.Answer{llmtest.Status(400, "prompt is too long")}, fails: true},
	}
	s := newServer(t)
	for name, tt := range tests {
		for api, c := range clients(s) {
			t.Run(name+" "+api, func(t *testing.T) {
				s.Answer(tt.answers...)
				var got []time.Duration
				var told []int
				m, err := llm.WithRetry(c, waits(tt.policy, &got)).Stream(context.Background(), ask("?"), func(e llm.Event) {
					if e.Kind == llm.Retry {
						told = append(told, e.Attempt)
						if e.Err == nil || e.WaitMs != got1(tt.waits, e.Attempt) {
							t.Errorf("told of retry %d after %d ms, %v", e.Attempt, e.WaitMs, e.Err)
						}
					}
				})
				if (err != nil) != tt.fails || m == nil || (m.StopReason == "error") != tt.fails {
					t.Errorf("Stream = %+v, %v; want an error: %v", m, err, tt.fails)
				}
				if !slices.Equal(got, tt.waits) || len(told) != len(tt.waits) {
					t.Errorf("waited %v and told %v; want %v", got, told, tt.waits)
				}
				if n := s.Waiting(); n != 0 {
					t.Errorf("%d answers were not asked for", n)
				}
			})
		}
	}
}

func got1(waits []time.Duration, attempt int) int64 { return waits[attempt-1].Milliseconds() }

func TestNoRetryAfterCancel(t *testing.T) {
	s := newServer(t)
	for api, c := range clients(s) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		s.Answer(llmtest.Status(503, "busy"))
		before := len(s.Requests())
		// The default wait is seconds; the cancellation must end it
		// immediately.
		start := time.Now()
		m, err := llm.WithRetry(c, llm.RetryPolicy{Base: time.Hour, Longest: time.Hour}).Stream(ctx, ask("?"), func(e llm.Event) {
			if e.Kind == llm.Retry {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) || m.StopReason != "aborted" {
			t.Errorf("%s: Stream = %+v, %v; want an aborted message", api, m, err)
		}
		if n := len(s.Requests()) - before; n != 1 || time.Since(start) > time.Minute {
			t.Errorf("%s: %d requests in %v; want one, and a prompt end", api, n, time.Since(start))
		}
		if got := llm.WithRetry(c, llm.RetryPolicy{}).Model(); !reflect.DeepEqual(got, c.Model()) {
			t.Errorf("%s: Model = %+v; want that of the client", api, got)
		}
	}
}
