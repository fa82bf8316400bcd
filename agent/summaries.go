package agent

import (
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// summarizer is who writes the next summary; nil for nobody.
func (a *Session) summarizer() compact.Summarizer {
	if a.config.Summarizer == nil {
		return nil
	}
	s := a.config.Summarizer(a.Client())
	if thinker, ok := s.(interface{ Think(level string) }); ok {
		thinker.Think(a.Thinking())
	}
	return s
}

// spent is what a summarizer says that it has used; nil when it does not say.
func spent(s compact.Summarizer) *format.Usage {
	if r, ok := s.(interface{ Usage() *format.Usage }); ok {
		return r.Usage()
	}
	return nil
}

// promptRoom is how much of a conversation one request for a summary may hold; 0
// means all of it. A tenth of the window is left for the instructions, and because
// estimates are estimates.
func promptRoom(s compact.Summarizer, m llm.Model, set compact.Settings) int64 {
	if any, ok := s.(interface{ AnyLength() bool }); ok && any.AnyLength() {
		return 0
	}
	if m.ContextWindow <= 0 {
		return 0
	}
	return compact.Room(m.ContextWindow, set.ReserveTokens) / 10 * 9
}

// A SummarySource says what a summary is for. The words are pi's.
type SummarySource string

// What summaries are for.
const (
	ForCompaction SummarySource = "compaction"
	ForBranch     SummarySource = "branchSummary"
)

// tellRetries tells the retries of a summarizer, if it says when it makes one.
// finished must be called when the summary is there or is not to be had.
func (a *Session) tellRetries(s compact.Summarizer, source SummarySource, why Reason) (finished func()) {
	teller, ok := s.(interface{ Notify(func(llm.Event)) })
	if !ok {
		return func() {}
	}
	retried, waiting := false, false
	begun := func() {
		if waiting {
			a.bus.emit(&SummaryRetryAttempt{Source: source, Reason: why})
		}
		waiting = false
	}
	teller.Notify(func(e llm.Event) {
		begun()
		if e.Kind != llm.Retry {
			return
		}
		retried, waiting = true, true
		a.bus.emit(&SummaryRetryScheduled{Attempt: e.Attempt, Delay: time.Duration(e.WaitMs) * time.Millisecond, Err: e.Err})
	})
	return func() {
		if retried {
			a.bus.emit(&SummaryRetryFinished{})
		}
	}
}
