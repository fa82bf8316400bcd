package edit

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
)

func (a *Commands) Clone() *cobra.Command {
	var at string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "clone SESSION",
		Short: "Copy a session up to the current entry",
		Long: `Copy the current branch, up to the current entry or --at, into a new session,
and print its ID and file. Entries keep their IDs; labels and the name are
copied. Tool calls without a result get one that says so. The source is not
changed.`,
		Example: `  pith clone @
  pith clone @ --at root-cause`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.clone(cmd.Context(), args[0], at, asJSON)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "copy up to `ENTRY`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	a.CompleteEntryFlag(cmd, "at")
	return cmd
}

func (a *Commands) clone(ctx context.Context, ref, at string, asJSON bool) (err error) {
	source, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(source, &err)
	id, err := lookup.AtFlag(source, at)
	if err != nil {
		return err
	}
	s, err := change.Clone(ctx, source, id, a.Env.Now())
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, asJSON, nil)
}

type forkFlags struct {
	into, id string
	json     bool
}

func (a *Commands) Fork() *cobra.Command {
	var f forkFlags
	cmd := &cobra.Command{
		Use:   "fork SESSION [ENTRY]",
		Short: "Start a new session before a message, or copy a session",
		Long: `Copy the entries before a user message into a new session, and print its ID, its
file and the text of the message, so that you can ask it differently.

With --into, copy the whole session with all branches to another project. The
source is not changed; the new session records it as its parent.`,
		Example: `  pith fork @ 8f3a2b1c
  pith fork 0199a --into ~/src/other-project`,
		Args:              flags.Takes(1, 2, 2),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.fork(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.into, "into", "", "copy the whole session to the project at `DIR`")
	cmd.Flags().StringVar(&f.id, "id", "", "with --into: the `ID` of the copy")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	_ = cmd.MarkFlagDirname("into") // the flag was just made
	return cmd
}

func (a *Commands) fork(ctx context.Context, args []string, f forkFlags) error {
	switch {
	case f.into != "" && len(args) == 2:
		return exit.Usagef("ENTRY and --into cannot be used together")
	case f.into != "":
		return a.forkInto(ctx, args[0], f)
	case len(args) == 1:
		return exit.Helpf("missing ENTRY or --into DIR; see pith fork --help")
	case f.id != "":
		return exit.Usagef("--id needs --into")
	}
	return a.forkBefore(ctx, args[0], args[1], f.json)
}

func (a *Commands) forkInto(ctx context.Context, ref string, f forkFlags) (err error) {
	info, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	if err := change.CheckOwn(info.Path); err != nil {
		return err
	}
	dir, err := a.ProjectDir(f.into)
	if err != nil {
		return err
	}
	o := a.Engine()
	o.ID, o.Cwd = f.id, dir
	s, err := pith.ForkFrom(ctx, info.Path, o)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, f.json, nil)
}

func (a *Commands) forkBefore(ctx context.Context, ref, entry string, asJSON bool) (err error) {
	source, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(source, &err)
	if err := change.CheckOwn(source.File()); err != nil {
		return err
	}
	id, err := lookup.EntryOf(source, entry)
	if err != nil {
		return err
	}
	s, text, err := change.Fork(ctx, source, id)
	if errors.As(err, new(*change.NotUserMessageError)) {
		return exit.Usagef("ENTRY must be a user message, and %s is not; to copy up to any entry: %s", id, a.Hint("clone", source.File(), "--at", id))
	}
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, asJSON, &text)
}
