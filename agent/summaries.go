package agent

import (
	"slices"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A compactor plans compactions, has summaries written and writes them.
type compactor struct {
	config   *Config
	events   *bus
	hooks    *hookSet
	recorder *recorder
	choice   *choice
	guard    guard
}

// settings are those for a model.
func (c *compactor) settings(m llm.Model) compact.Settings {
	if c.config.Compaction == nil {
		return compact.Defaults()
	}
	return c.config.Compaction(m)
}

// measure is the size of the context where the session stands.
func (c *compactor) measure() (compact.Size, error) {
	s := c.recorder.session()
	return c.settings(c.choice.model()).Estimator.MeasureContext(s, s.LeafID())
}

// possible reports whether there is anybody to give the content of a compaction.
func (c *compactor) possible() bool {
	return c.summarizer() != nil || slices.ContainsFunc(c.hooks.all, func(h Hooks) bool { return h.BeforeCompact != nil })
}

// summarizer is who writes the next summary: the model in force, unless something
// else is configured; nil for nobody.
func (c *compactor) summarizer() compact.Summarizer {
	client, level := c.choice.inForce()
	var s compact.Summarizer
	switch {
	case c.config.Summarizer != nil:
		s = c.config.Summarizer(client)
	case client != nil:
		s = summarize.Model(client, summarize.ModelOptions{Retry: c.config.Retry, Now: c.config.Now})
	}
	if thinker, ok := s.(interface{ Think(level string) }); ok {
		thinker.Think(level)
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
// finished must be called when the summary is there or has failed.
func (c *compactor) tellRetries(s compact.Summarizer, source SummarySource, why Reason) (finished func()) {
	notifier, ok := s.(interface{ Notify(func(llm.Event)) })
	if !ok {
		return func() {}
	}
	retried, waiting := false, false
	begun := func() {
		if waiting {
			c.events.emit(&SummaryRetryAttempt{Source: source, Reason: why})
		}
		waiting = false
	}
	notifier.Notify(func(e llm.Event) {
		begun()
		if e.Kind != llm.Retry {
			return
		}
		retried, waiting = true, true
		c.events.emit(&SummaryRetryScheduled{Attempt: e.Attempt, Delay: time.Duration(e.WaitMs) * time.Millisecond, Err: e.Err})
	})
	return func() {
		if retried {
			c.events.emit(&SummaryRetryFinished{})
		}
	}
}
