package llm

import (
	"errors"
	"time"
)

// A Class says what can be done about an error.
type Class uint8

const (
	// Final: the same request would fail again.
	Final Class = iota
	// Retryable: the same request may succeed later.
	Retryable
	// Overflow: the conversation is too long for the model; a shorter one may do.
	Overflow
)

// An Error says why a model did not answer. It never holds a key.
type Error struct {
	Class  Class
	Status int // of HTTP; 0 when there was no response
	// RetryAfter is how long the provider asks to wait; 0 when it does not say.
	RetryAfter time.Duration
	Err        error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// ClassOf is the class of an error; Final for one that is no *[Error].
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return Final
}
