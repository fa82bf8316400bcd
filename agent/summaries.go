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
	if thinker, ok := s.(summarize.Thinker); ok {
		thinker.Think(level)
	}
	return s
}

// spent is what a summarizer says that it has used; nil when it does not say.
func spent(s compact.Summarizer) *format.Usage {
	if r, ok := s.(summarize.UsageReporter); ok {
		return r.Usage()
	}
	return nil
}

// promptRoom is how much of a conversation one request for a summary may hold; 0
// means all of it. A tenth of the window is left for the instructions, and because
// estimates are estimates.
func promptRoom(s compact.Summarizer, m llm.Model, set compact.Settings) int64 {
	if long, ok := s.(summarize.Unlimited); ok && long.AnyLength() {
		return 0
	}
	if m.ContextWindow <= 0 {
		return 0
	}
	return compact.Room(m.ContextWindow, set.ReserveTokens) / 10 * 9
}

// tellRetries reports the retries of a summarizer that announces them. why is the
// reason of the compaction; "" for the summary of a branch. finished must be called
// when the summary is there or has failed.
func (c *compactor) tellRetries(s compact.Summarizer, why Reason) (finished func()) {
	notifier, ok := s.(summarize.Notifier)
	if !ok {
		return func() {}
	}
	retried, waiting := false, false
	notifier.Notify(func(e llm.Event) {
		if waiting {
			c.events.emit(&RetryEnd{Summary: true, Reason: why})
		}
		waiting = e.Kind == llm.Retry
		if !waiting {
			return
		}
		retried = true
		c.events.emit(&RetryStart{Summary: true, Attempt: e.Attempt, Delay: time.Duration(e.WaitMs) * time.Millisecond, Err: e.Err})
	})
	return func() {
		if retried {
			c.events.emit(&RetryEnd{Summary: true, Reason: why, Done: true})
		}
	}
}
