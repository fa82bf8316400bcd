package agent

import (
	"slices"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

type compactor struct {
	config   *Config
	events   *bus
	hooks    *hookSet
	recorder *recorder
	choice   *choice
	guard    guard
}

func (c *compactor) settings(m llm.Model) compact.Settings {
	if c.config.Compaction == nil {
		return compact.Defaults()
	}
	return c.config.Compaction(m)
}

// measure returns the size of the context at the leaf.
func (c *compactor) measure() (compact.Size, error) {
	s := c.recorder.session()
	return c.settings(c.choice.model()).Estimator.MeasureContext(s, s.LeafID())
}

// possible reports whether a summarizer or a hook can provide a compaction.
func (c *compactor) possible() bool {
	return c.summarizer() != nil || slices.ContainsFunc(c.hooks.all, func(h Hooks) bool { return h.BeforeCompact != nil })
}

// summarizer returns the summarizer for the next summary: the current model,
// unless configured otherwise, or nil.
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

func spent(s compact.Summarizer) *format.Usage {
	if r, ok := s.(summarize.UsageReporter); ok {
		return r.Usage()
	}
	return nil
}

// promptRoom returns how many tokens of a conversation fit in one summary
// request; 0 means all. A tenth of the window is left for the instructions and
// for estimation errors.
func promptRoom(s compact.Summarizer, m llm.Model, set compact.Settings) int64 {
	if long, ok := s.(summarize.Unlimited); ok && long.AnyLength() {
		return 0
	}
	if m.ContextWindow <= 0 {
		return 0
	}
	return compact.Room(m.ContextWindow, set.ReserveTokens) / 10 * 9
}

// tellRetries reports the retries of a summarizer that announces them. why is
// the reason of the compaction, or "" for a branch summary. The caller must
// call finished when the summary is complete or has failed.
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
