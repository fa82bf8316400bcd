package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A Compaction is the result of a compaction.
type Compaction struct {
	*format.Compaction // the written entry
	// EstimatedTokensAfter is the estimated size of the context now.
	EstimatedTokensAfter int64
}

// Compact replaces the older part of the conversation, as models see it, with a
// summary. Instructions tell the summarizer what matters; they may be empty. A run
// in progress is aborted first. If there is nothing to compact, the error matches
// compact.ErrNothing; if the compaction was aborted or a hook prevented it, it
// matches [ErrAborted] or [ErrCancelled]. On any error the session is unchanged.
// Messages queued in the meantime are sent afterwards.
func (a *Conversation) Compact(ctx context.Context, instructions string) (*Compaction, error) {
	ctx, w, err := a.activity.interrupt(ctx, ActivityCompacting)
	if err != nil {
		return nil, err
	}
	a.events.emit(&CompactionStart{ReasonManual})
	job := compactionJob{reason: ReasonManual, instructions: instructions}
	job.plan, err = a.compactor.plan(ctx)
	var result *Compaction
	if err == nil {
		result, err = a.compactor.compact(ctx, &job)
	}
	end := job.end(ctx, result, err)
	a.endAndDeliver(ctx, w, end)
	if err != nil {
		a.hooks.compacted(context.WithoutCancel(ctx), a.Session(), end)
	} else {
		a.compactor.guard.fruitless.Store(0)
	}
	a.events.flush()
	return result, end.error(err)
}

// plan plans a compaction at the leaf for the current model.
func (c *compactor) plan(ctx context.Context) (*compact.Plan, error) {
	if err := c.recorder.catchUp(ctx); err != nil {
		return nil, err
	}
	m := c.choice.model()
	set := c.settings(m)
	if err := set.CheckReserve(m.ContextWindow); err != nil && c.guard.small.Swap(m.ContextWindow) != m.ContextWindow {
		c.events.emit(&Problem{Err: err}) // once per window
	}
	return compact.Prepare(c.recorder.session(), set.Fit(m.ContextWindow))
}

type compactionJob struct {
	reason       Reason
	willRetry    bool
	instructions string
	plan         *compact.Plan
	fromHook     bool
}

func (c *compactor) compact(ctx context.Context, job *compactionJob) (*Compaction, error) {
	c.recorder.setUnderway(true) // a plan applies to one leaf
	if job.reason == ReasonManual {
		defer c.recorder.setUnderway(false)
	}
	content, err := c.content(ctx, job)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, aborted(ctx)
	}
	s := c.recorder.session()
	if err := stillThere(s, job.plan); err != nil {
		return nil, err
	}
	id, err := c.recorder.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendCompaction(ctx, content) })
	if err != nil {
		return nil, err
	}
	content.ID = id
	return c.tellCompacted(ctx, s, job, &content), nil
}

// tellCompacted measures the context and calls the hooks. The compaction is
// already written, so errors here do not fail it.
func (c *compactor) tellCompacted(ctx context.Context, s *pith.Session, job *compactionJob, written *format.Compaction) *Compaction {
	size, err := job.plan.Settings.Estimator.MeasureContext(s, written.ID)
	if err != nil {
		c.events.emit(&Problem{Err: err})
	}
	e, err := s.Entry(written.ID)
	if err != nil {
		c.events.emit(&Problem{Err: err})
	} else if entry, ok := e.(*format.Compaction); ok {
		written = entry
	}
	result := &Compaction{written, size.Tokens}
	c.hooks.compacted(ctx, s, job.end(ctx, result, nil))
	return result
}

// content returns the compaction from a hook, or else from the summarizer.
func (c *compactor) content(ctx context.Context, job *compactionJob) (format.Compaction, error) {
	s := c.recorder.session()
	d, cancelled := c.hooks.beforeCompact(ctx, BeforeCompactEvent{
		Session: s, Plan: job.plan, Instructions: job.instructions, Reason: job.reason, WillRetry: job.willRetry,
	})
	if cancelled {
		return format.Compaction{}, ErrCancelled
	}
	if d.Compaction != nil {
		job.fromHook = true
		return fromHook(s, job.plan, *d.Compaction)
	}
	summarizer := c.summarizer()
	if summarizer == nil {
		return format.Compaction{}, ErrNoSummarizer
	}
	if err := s.Writable(format.TypeCompaction); err != nil {
		return format.Compaction{}, err
	}
	options := compact.SummaryOptions{Instructions: job.instructions, MaxTokens: promptRoom(summarizer, c.choice.model(), job.plan.Settings)}
	if d.Instructions != "" {
		options.Instructions = d.Instructions
	}
	finished := c.tellRetries(summarizer, job.reason)
	content, err := job.plan.Summarize(ctx, summarizer, options)
	finished()
	if err != nil {
		return format.Compaction{}, err
	}
	content.Usage = spent(summarizer)
	if d.Details != nil {
		content.Details = d.Details
	}
	return content, nil
}

// fromHook completes and checks the compaction of a hook. The kept range must
// start on the path, or it would vanish (pitfall 88).
func fromHook(s *pith.Session, p *compact.Plan, c format.Compaction) (format.Compaction, error) {
	if strings.TrimSpace(c.Summary) == "" {
		return c, fmt.Errorf("the hook's compaction: %w", compact.ErrEmptySummary)
	}
	c.FirstKeptEntryID = cmp.Or(c.FirstKeptEntryID, p.FirstKeptEntryID)
	path, err := s.View().PathIDs(p.LeafID)
	if err != nil {
		return c, err
	}
	if !slices.Contains(path, c.FirstKeptEntryID) {
		return c, invalidf("first kept entry", c.FirstKeptEntryID, "the hook's compaction keeps entries from %q, which is not on the path", c.FirstKeptEntryID)
	}
	c.TokensBefore = cmp.Or(c.TokensBefore, p.TokensBefore)
	c.FromHook = new(true)
	return c, nil
}

// stillThere returns an error if the session has left the leaf that a plan
// applies to.
func stillThere(s *pith.Session, p *compact.Plan) error {
	path, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		return err
	}
	if !slices.Contains(path, p.LeafID) {
		return errors.New("the leaf moved while the summary was written; compact again")
	}
	return nil
}

func (j *compactionJob) end(ctx context.Context, result *Compaction, err error) *CompactionEnd {
	end := &CompactionEnd{Reason: j.reason, Result: result, FromHook: j.fromHook}
	switch {
	case err == nil:
		end.WillRetry = j.willRetry
	case ctx.Err() != nil || errors.Is(err, ErrCancelled):
		end.Aborted = true
	default:
		end.Err = err
	}
	return end
}

// error returns the error for the caller of a manual compaction.
func (e *CompactionEnd) error(err error) error {
	if e.Aborted && !errors.Is(err, ErrCancelled) && !errors.Is(err, ErrAborted) {
		return fmt.Errorf("%w: %w", ErrAborted, err)
	}
	return err
}

// ContextUsage returns the size of the context in tokens. counted is false
// after a compaction until the next response: then tokens is only an estimate.
func (a *Conversation) ContextUsage() (tokens int64, counted bool, err error) {
	size, err := a.compactor.measure()
	if err != nil || size.UsageEntryID != "" {
		return size.Tokens, true, err
	}
	counted, err = answeredSinceCompaction(a.Session())
	return size.Tokens, counted, err
}

// answeredSinceCompaction reports whether a response with a token count follows
// the last compaction on the path. It is true without a compaction.
func answeredSinceCompaction(s *pith.Session) (bool, error) {
	for e, err := range back(s) {
		if err != nil {
			return false, err
		}
		switch e := e.(type) {
		case *format.Compaction:
			return false, nil
		case *format.MessageEntry:
			x, ok := e.Message.(*format.Assistant)
			if ok && x.StopReason != failed && x.StopReason != abandoned && countOf(x) > 0 {
				return true, nil
			}
		}
	}
	return true, nil
}
