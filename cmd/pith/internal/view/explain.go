package view

import (
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// ReadOnly returns why a session of another agent cannot be changed. command is
// the one that imports it.
func ReadOnly(e *format.ForeignError, command string) string {
	title := e.Source
	if p, ok := all.Find(e.Source); ok {
		title = p.Title()
	}
	return fmt.Sprintf("%s sessions are read-only; import it first: %s", title, command)
}

// Explain returns an error in words for a screen: for a session of another agent
// it says what to do.
func Explain(err error) error {
	if foreign := (*format.ForeignError)(nil); errors.As(err, &foreign) {
		return errors.New(ReadOnly(foreign, "pith import "+foreign.Session))
	}
	return err
}
