package lookup

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
)

// Describe returns an entry for use in a sentence: its ID and its line.
func (a *Sessions) Describe(s *pith.Session, id string) string {
	if id == "" {
		return "before the first entry"
	}
	e, err := s.Entry(id)
	if err != nil {
		return layout.OneLine(id)
	}
	cells := 60
	if w := a.Width(); w > 0 {
		cells = max(10, w-20)
	}
	return fmt.Sprintf("%s  %s", layout.OneLine(id), entryline.NewDescriber(a.ShortPath).Describe(e).Cut(cells))
}

// EntryOf returns the ID of the entry that a reference names.
func EntryOf(s *pith.Session, ref string) (string, error) {
	if ref == "" {
		return "", exit.Usagef("ENTRY is empty; use an ID, a label, @leaf or @root")
	}
	id, err := ops.EntryOf(s, ref)
	return id, adviseEntry(err, cmp.Or(s.File(), s.ID()))
}

// AdviseEntry adds to the error of a missing entry how to list those of a session.
func (a *Sessions) AdviseEntry(err error, session string) error {
	return adviseEntry(Shorten(err), session)
}

func adviseEntry(err error, session string) error {
	if missing := (*catalog.NoEntryError)(nil); errors.As(err, &missing) && !missing.Empty {
		return exit.Missingf("%w; %s lists them", err, Command("pith", "tree", session))
	}
	return err
}

// AtFlag returns the entry that an --at flag names, or the leaf without the
// flag, which is never given with an empty value.
func AtFlag(s *pith.Session, ref string) (string, error) {
	if ref == "" {
		return s.LeafID(), nil
	}
	return EntryOf(s, ref)
}
