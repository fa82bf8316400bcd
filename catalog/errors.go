package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

var (
	// ErrAmbiguous matches the errors for references with several matches.
	ErrAmbiguous = errors.New("ambiguous reference")
	// ErrNotFound matches every *NotFoundError.
	ErrNotFound = errors.New("no such session")
)

// errNotFile is the error for directories, pipes and devices. It matches
// pith.ErrNotSession.
var errNotFile = fmt.Errorf("not a regular file: %w", pith.ErrNotSession)

// listedMatches is the number of matches that an error prints.
const listedMatches = 10

// An AmbiguousError means that a reference matches several sessions.
type AmbiguousError struct {
	Ref     string
	Matches []Info // newest first
}

func (e *AmbiguousError) Error() string {
	ids := make([]string, len(e.Matches))
	for i, m := range e.Matches {
		ids[i] = m.ID
	}
	short := ShortIDs(ids)
	var b strings.Builder
	fmt.Fprintf(&b, "%q matches %d sessions; use more of the ID, or the path", e.Ref, len(e.Matches))
	for i, m := range e.Matches {
		if i == listedMatches {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Matches)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s  %s", format.CleanName(short[m.ID]), format.FormatTime(m.Modified), format.CleanName(m.Path))
		if m.Name != "" {
			fmt.Fprintf(&b, "  %s", format.CleanName(m.Name))
		}
	}
	return b.String()
}

// Is makes every AmbiguousError match ErrAmbiguous.
func (e *AmbiguousError) Is(target error) bool { return target == ErrAmbiguous }

// A NotFoundError means that a reference matches no session. It also matches
// fs.ErrNotExist.
type NotFoundError struct {
	Ref string
	// Path is the path at which a file was expected, if the reference is a
	// path.
	Path string
	// Project is the working directory to which the search was limited, or ""
	// if all sessions were searched.
	Project string
	// Searched is the number of sessions that were searched.
	Searched int
}

func (e *NotFoundError) Error() string {
	switch {
	case e.Path != "":
		return fmt.Sprintf("no such session file: %s", e.Path)
	case e.Project != "":
		return fmt.Sprintf("no session %q: %s has %d sessions", e.Ref, e.Project, e.Searched)
	}
	return fmt.Sprintf("no session %q: none of %d sessions has this ID, file or name", e.Ref, e.Searched)
}

// Is makes every NotFoundError match ErrNotFound and fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool {
	return target == ErrNotFound || target == fs.ErrNotExist
}

// A NoEntryError means that a reference matches no entry. It matches
// pith.ErrNoEntry.
type NoEntryError struct {
	Ref string
	// Empty means that the leaf is before the first entry, so that neither leaf
	// nor root exists.
	Empty bool
}

func (e *NoEntryError) Error() string {
	if e.Empty {
		return fmt.Sprintf("%v: no %s before the first entry", pith.ErrNoEntry, e.Ref)
	}
	return fmt.Sprintf("%v: no ID starts with %q and no label is %q", pith.ErrNoEntry, e.Ref, e.Ref)
}

// Is makes every NoEntryError match pith.ErrNoEntry.
func (e *NoEntryError) Is(target error) bool { return target == pith.ErrNoEntry }

// An AmbiguousEntryError means that a reference matches several entries.
type AmbiguousEntryError struct {
	Ref string
	IDs []string // in tree order
}

func (e *AmbiguousEntryError) Error() string {
	shown, more := e.IDs, ""
	if len(shown) > listedMatches {
		more = fmt.Sprintf(" and %d more", len(shown)-listedMatches)
		shown = shown[:listedMatches]
	}
	return fmt.Sprintf("entry %q is ambiguous: %s%s; use more of the ID", e.Ref, strings.Join(shown, ", "), more)
}

// Is makes every AmbiguousEntryError match ErrAmbiguous.
func (e *AmbiguousEntryError) Is(target error) bool { return target == ErrAmbiguous }

// emptyReference returns the error for an empty reference, with advice on what
// to give.
func emptyReference(name, advice string) error {
	return &format.ValueError{Name: name, Text: pith.ErrInvalid.Error() + ": empty " + name + ": " + advice, Err: pith.ErrInvalid}
}
