package agent

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

var (
	// ErrBusy matches every [BusyError].
	ErrBusy = errors.New("the session is busy")
	// ErrAborted means that Abort, Close or the caller's context ended what was
	// going on. What had come by then is in the session.
	ErrAborted = errors.New("aborted")
	// ErrCancelled means that a hook did not let it happen.
	ErrCancelled = errors.New("cancelled by a hook")
	// ErrNoModel means that there is no client to ask.
	ErrNoModel = errors.New("no model is selected; choose one first")
	// ErrNoSummarizer means that there is nobody to write summaries: neither a model
	// nor anything else is configured.
	ErrNoSummarizer = errors.New("no summarizer is configured")
	// ErrEmptyPrompt means that a prompt has neither pictures nor text that is not
	// blank. Providers refuse such messages.
	ErrEmptyPrompt = errors.New("the prompt is empty")
	// ErrNothingToContinue means that the conversation does not wait for an answer.
	ErrNothingToContinue = errors.New("there is nothing to continue: the last word is the model's")
	// ErrClosed means that the session was closed.
	ErrClosed = errors.New("the session is closed")
)

// A BusyError means that something else is going on and that nothing was done.
type BusyError struct{ With Activity }

func (e *BusyError) Error() string {
	return ErrBusy.Error() + " with " + e.With.String() + "; wait for it, or abort it"
}

// Is makes every BusyError match ErrBusy.
func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// An AnswerError means that the model did not answer. The failed answer is in the
// session, where models do not see it.
type AnswerError struct {
	EntryID string // of the failed answer
	Err     error  // usually an *llm.Error
}

func (e *AnswerError) Error() string { return "the model did not answer: " + e.Err.Error() }

func (e *AnswerError) Unwrap() error { return e.Err }

// invalidf is an argument that cannot be right; the text is a sentence for people.
func invalidf(name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: pith.ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: pith.ErrInvalid}
}
