package edit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

func (a *Commands) Label() *cobra.Command {
	var clear bool
	cmd := &cobra.Command{
		Use:   "label SESSION ENTRY [TEXT...]",
		Short: "Show, set or clear the label of an entry",
		Long: `Show or set the label of an entry. Every command accepts a label in place of the
ID of the entry.`,
		Example: `  pith label @ 8f3a2b1c root-cause
  pith label @ root-cause
  pith label @ root-cause --clear`,
		Args:              flags.Takes(2, -1, 2),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.label(cmd.Context(), args[0], args[1], args[2:], clear, a.JSON)
		},
	}
	cmd.Flags().BoolVar(&clear, "clear", false, "remove the label")
	return cmd
}

func (a *Commands) label(ctx context.Context, ref, entry string, words []string, clear, asJSON bool) (err error) {
	text := format.CleanName(strings.Join(words, " "))
	if len(words) > 0 && clear {
		return exit.Usagef("TEXT and --clear cannot be used together")
	}
	if len(words) > 0 && ops.CheckText(text) != nil {
		return exit.Usagef("the label is empty; use --clear to remove it")
	}
	show := len(words) == 0 && !clear
	var s *pith.Session
	if show {
		s, err = a.OpenForReading(ctx, ref)
	} else {
		s, err = a.OpenForWriting(ctx, ref, pith.Refuse)
	}
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	id, err := lookup.EntryOf(s, entry)
	if err != nil {
		return err
	}
	if !show {
		if _, err := s.SetLabel(ctx, id, text); err != nil {
			return err
		}
	}
	return a.PrintLabel(s, id, asJSON)
}

func (a *Commands) PrintLabel(s *pith.Session, id string, asJSON bool) error {
	label := s.View().Label(id)
	if asJSON {
		return a.Out.JSON(struct {
			Session string `json:"id"`
			Entry   string `json:"entryId"`
			Label   string `json:"label" empty:"null"`
		}{s.ID(), id, label})
	}
	if label == "" {
		a.Note("entry %s has no label", id)
		return nil
	}
	a.Out.Print(termsafe.Line(label) + "\n")
	return nil
}

type nameFlags struct{ clear, ifUnnamed, yes bool }

func (a *Commands) Name() *cobra.Command {
	var f nameFlags
	cmd := &cobra.Command{
		Use:   "name SESSION [TEXT...]",
		Short: "Show, set or clear the name of a session",
		Long: `Show or set the name of a session. Line breaks and control characters are
removed. It is safe while pi has the session open.

A session of Claude Code or Codex gets the name that the agent itself would give
it, unless the agent has it open. pith shows the files that change and asks
first; without a terminal, pass --yes. A name in Codex cannot be removed: Codex
itself takes no empty one.`,
		Example: `  pith name @
  pith name @ "parser bug"
  pith name @ --clear
  pith name @ --if-unnamed "$(make-a-title)"`,
		Args:              flags.Takes(1, -1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.name(cmd.Context(), args[0], args[1:], f)
		},
	}
	cmd.Flags().BoolVar(&f.clear, "clear", false, "remove the name")
	cmd.Flags().BoolVar(&f.ifUnnamed, "if-unnamed", false, "only if the session has no name yet")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.Exclusive(cmd, "clear", "if-unnamed")
	return cmd
}

func (a *Commands) name(ctx context.Context, ref string, words []string, f nameFlags) (err error) {
	text := strings.Join(words, " ")
	if len(words) > 0 && f.clear {
		return exit.Usagef("TEXT and --clear cannot be used together")
	}
	if len(words) > 0 && ops.CheckText(text) != nil {
		return exit.Usagef("the name is empty; use --clear to remove it")
	}
	if len(words) == 0 && !f.clear {
		return a.showName(ctx, ref, a.JSON)
	}
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	if found.InDatabase() || ops.IsForeign(found.Path) {
		return a.nameForeign(ctx, found, ref, text, f)
	}
	s, err := a.OpenToWrite(ctx, found, ref, pith.Refuse, "")
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	if f.ifUnnamed {
		_, _, err = s.SetNameIfUnset(ctx, text) // a title made by a program never replaces a name given by a person (pitfall 141)
	} else {
		_, err = s.SetName(ctx, text)
	}
	if err != nil {
		return err
	}
	if clean := format.CleanName(text); clean != text && clean == s.Name() {
		a.Note("note: removed line breaks and control characters from the name")
	}
	return a.printName(s, ref, a.JSON)
}

// nameForeign gives a session of another agent a name, after a confirmation.
func (a *Commands) nameForeign(ctx context.Context, found catalog.Ref, ref, text string, f nameFlags) error {
	r, err := ops.Rename(ctx, ops.RenameParams{
		Session: found, Name: text, IfUnnamed: f.ifUnnamed, Catalog: a.Listing(), Now: a.Env.Now(),
		Agree: func(ctx context.Context, plan *ops.Renamed) error {
			if f.yes {
				return nil
			}
			if !a.CanAsk() {
				return exit.Usagef("not a terminal; pass --yes to change files of %s", plan.Program)
			}
			for _, file := range plan.Files {
				fmt.Fprintf(a.Env.Stderr, "changes %s\n", termsafe.Line(file))
			}
			if plan.Name == "" {
				return a.Confirm(ctx, fmt.Sprintf("remove the name of the session of %s", plan.Program))
			}
			return a.Confirm(ctx, fmt.Sprintf("give the session of %s the name %s", plan.Program, termsafe.Line(plan.Name)))
		},
	})
	switch {
	case errors.As(err, new(*ops.OpenThereError)), errors.As(err, new(*ops.NoNameError)), errors.As(err, new(*sources.PartError)), errors.Is(err, sources.ErrNoClear):
		return exit.Conflictf("%w", err)
	case err != nil:
		return err
	}
	switch {
	case len(r.Files) == 0:
		a.Note("nothing to change")
	case r.Before != "":
		a.Note("undo with %s", a.Hint("name", ref, r.Before))
	}
	return a.printNameOf(found.ID, r.Name, ref, a.JSON)
}

func (a *Commands) showName(ctx context.Context, ref string, asJSON bool) (err error) {
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printName(s, ref, asJSON)
}

func (a *Commands) printName(s *pith.Session, ref string, asJSON bool) error {
	return a.printNameOf(s.ID(), s.Name(), ref, asJSON)
}

func (a *Commands) printNameOf(id, name, ref string, asJSON bool) error {
	if asJSON {
		return a.Out.JSON(struct {
			Session string `json:"id"`
			Name    string `json:"name" empty:"null"`
		}{id, name})
	}
	if name == "" {
		a.Note("the session has no name; set one with %s", a.Hint("name", ref, "TEXT"))
		return nil
	}
	a.Out.Print(termsafe.Line(name) + "\n")
	return nil
}
