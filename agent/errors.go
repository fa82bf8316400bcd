package agent

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

var (
	// ErrAborted means that Abort, Close or the caller's context ended the
	// operation. Everything received by then is in the session.
	ErrAborted = errors.New("aborted")
	// ErrCancelled means that a hook prevented the operation. A hook prevents it by
	// returning this error.
	ErrCancelled = errors.New("canceled by a hook")
	// ErrNoModel means that the conversation has no model.
	ErrNoModel = errors.New("no model is selected; choose one first")
	// ErrNoSummarizer means that neither a model nor a summarizer is configured.
	ErrNoSummarizer = errors.New("no summarizer is configured")
	// ErrEmptyPrompt means that a prompt has no images and only blank text.
	// Providers refuse such messages.
	ErrEmptyPrompt = errors.New("the prompt is empty")
	// ErrNothingToContinue means that the conversation is not waiting for a
	// response.
	ErrNothingToContinue = errors.New("nothing to continue: the last message is from the model")
	// ErrClosed means that the conversation was closed.
	ErrClosed = errors.New("the conversation is closed")
)

// A BusyError means that nothing was done because another activity is in progress.
type BusyError struct{ With Activity }

func (e *BusyError) Error() string {
	return "the conversation is busy with " + e.With.words() + "; wait for it or abort it"
}

// An AnswerError means that the model did not respond. The failed response is
// in the session, hidden from models.
type AnswerError struct {
	EntryID string // entry of the failed response
	Err     error  // usually an *llm.Error
}

func (e *AnswerError) Error() string { return "the model did not respond: " + e.Err.Error() }

func (e *AnswerError) Unwrap() error { return e.Err }

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func invalidf(name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: pith.ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: pith.ErrInvalid}
}
