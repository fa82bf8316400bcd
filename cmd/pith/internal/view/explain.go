package view

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/store"
)

// readOnly returns why a session of another agent cannot be changed, and the
// command with which to continue it. command returns a pith command as a person
// would type it.
func readOnly(e *format.ForeignError, command func(words ...string) string) string {
	if p, ok := all.Find(e.Source); ok {
		return fmt.Sprintf("%s sessions are read-only; import it first: %s", p.Title(), command("import", e.Session))
	}
	return fmt.Sprintf("%s sessions are read-only; continue in a fork: %s", e.Source, command("fork", e.Session))
}

// Refusal returns why a command or a page refuses something, in one sentence that
// says what to do. command returns a pith command as a person would type it.
func Refusal(err error, command func(words ...string) string) string {
	text := err.Error()
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, store.ErrReadOnly) {
		text += "; check the permissions of the file and its directory"
	}
	if foreign := (*format.ForeignError)(nil); errors.As(err, &foreign) {
		text = readOnly(foreign, command)
	}
	if held := (*pith.HeldError)(nil); errors.As(err, &held) {
		text += fmt.Sprintf("; quit %s first, or pass --ignore-open", held.Program)
	}
	return text
}

// Explain returns an error in words for a line of a screen: for a session of another
// agent, or one that is open there, it says what to do.
func Explain(err error) error {
	if held := (*pith.HeldError)(nil); errors.As(err, &held) {
		why := "wrote to this session a moment ago"
		if held.Process != 0 {
			why = fmt.Sprintf("has this session open (process %d)", held.Process)
		}
		return fmt.Errorf("%s %s; quit %[1]s first, or pass --ignore-open", held.Program, why)
	}
	if foreign := (*format.ForeignError)(nil); errors.As(err, &foreign) {
		return errors.New(readOnly(foreign, func(words ...string) string { return "pith " + strings.Join(words, " ") }))
	}
	if file := (*pith.FileError)(nil); errors.As(err, &file) && errors.Is(err, pith.ErrNotSession) {
		return fmt.Errorf("%w: %s", pith.ErrNotSession, filepath.Base(file.Path)) // a line has no room for the path
	}
	return err
}
