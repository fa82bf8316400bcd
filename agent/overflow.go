package agent

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

var (
	// ErrNoProgress means that compactions do not make the context small
	// enough. No more are tried until the context is smaller, the model
	// changes, or the user compacts or navigates.
	ErrNoProgress = errors.New("compaction cannot make the context small enough: the messages to keep are too large; " +
		"keep fewer tokens, start a new session, or choose a model with a larger context window")
	// ErrOverflowAgain means that the conversation was too long for the model even
	// after a compaction.
	ErrOverflowAgain = errors.New("context overflow recovery failed after one compaction: " +
		"the conversation is still too long for the model; shorten it, or choose a model with a larger context window")
	// ErrTruncatedAgain means that a response was cut off even after a
	// compaction.
	ErrTruncatedAgain = errors.New("truncated response recovery failed after one compaction: the response was cut off again")
)

// facts describes the path after a response.
type facts struct {
	compacted bool // it has a compaction
	edited    bool // it has a context edit
	omitted   bool // the latest edit hides the response
}

// since scans from the leaf back to a response.
func since(s *pith.Session, id string) (facts, error) {
	var f facts
	decided := false
	for e, err := range back(s) {
		if err != nil {
			return facts{}, err
		}
		if e.Head().ID == id {
			break
		}
		switch e := e.(type) {
		case *format.Compaction:
			f.compacted = true
			return f, nil
		case *format.ContextEdit:
			f.edited = true
			if e.TargetID == id && !decided {
				decided, f.omitted = true, e.Replacement == nil
			}
		}
	}
	return f, nil
}

// trouble returns the size problem that a response indicates, or nil. Only
// responses of the current model count: others had another context window
// (pitfall 116).
func (f facts) trouble(x answer, m llm.Model) error {
	if x.message.Provider != m.Provider || x.message.Model != m.ID || f.omitted {
		return nil
	}
	explicit := x.message.StopReason == failed && (llm.ClassOf(x.err) == llm.Overflow || llm.Overflowed(x.message, 0))
	switch {
	case explicit, !f.edited && llm.Overflowed(x.message, m.ContextWindow):
		return ErrOverflowAgain
	case llm.LengthRecoverable(x.message, m.MaxTokens):
		return ErrTruncatedAgain
	}
	return nil
}

// recoverFrom compacts a conversation that is too long. A failed response is
// hidden and requested again, once for each user input; a complete one is kept.
// trouble is the error if that was tried before.
func (r *run) recoverFrom(ctx context.Context, x answer, trouble error, when occasion) (again bool, err error) {
	if !r.a.compactor.possible() {
		return false, nil // hiding the response alone would not help
	}
	if x.message.StopReason == stopped {
		r.autoCompact(ctx, ReasonOverflow, finalAnswer)
		return false, nil
	}
	if r.a.compactor.guard.recovered {
		r.giveUp(ctx, ReasonOverflow, trouble)
		return false, nil
	}
	r.a.compactor.guard.recovered = true
	if err := r.a.recorder.omit(ctx, x.id); err != nil {
		return false, err
	}
	for _, result := range x.results {
		if err := r.a.recorder.omit(ctx, result.id); err != nil {
			return false, err
		}
	}
	if when == beforePrompt {
		r.autoCompact(ctx, ReasonOverflow, finalAnswer) // the user has a new prompt
		return false, nil
	}
	return r.autoCompact(ctx, ReasonOverflow, askAgain) != nil, nil
}
