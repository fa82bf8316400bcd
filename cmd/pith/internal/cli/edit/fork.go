package edit

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

type forkFlags struct {
	at, into, id string
}

func (a *Commands) Fork() *cobra.Command {
	var f forkFlags
	cmd := &cobra.Command{
		Use:     "fork SESSION [ENTRY]",
		Aliases: []string{"clone"},
		Short:   "Copy a session, or the part before a message",
		Long: `Copy the current branch, up to the current entry or --at, into a new session,
and print its ID and file. Entries keep their IDs; labels and the name are
copied. Tool calls without a result get one that says so.

With ENTRY, a user message, copy the entries before it, and print also the text
of the message, so that you can ask it differently.

With --into, copy the whole session with all branches to another project. The
source is not changed; the new session records it as its parent.`,
		Example: `  pith fork @
  pith fork @ 8f3a2b1c
  pith fork @ --at root-cause
  pith fork 0199a --into ~/src/other-project`,
		Args:              flags.Takes(1, 2, 2),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.fork(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.at, "at", "", "copy up to `ENTRY`")
	cmd.Flags().StringVar(&f.into, "into", "", "copy the whole session to the project at `DIR`")
	cmd.Flags().StringVar(&f.id, "id", "", "with --into: the `ID` of the copy")
	a.CompleteEntryFlag(cmd, "at")
	flags.Exclusive(cmd, "at", "into")
	_ = cmd.MarkFlagDirname("into") // the flag was just made
	return cmd
}

func (a *Commands) fork(ctx context.Context, args []string, f forkFlags) error {
	switch {
	case len(args) == 2 && f.into != "":
		return exit.Usagef("ENTRY and --into cannot be used together")
	case len(args) == 2 && f.at != "":
		return exit.Usagef("ENTRY and --at cannot be used together: ENTRY copies the entries before it, --at ENTRY also the entry itself")
	case f.into != "":
		return a.forkInto(ctx, args[0], f)
	case f.id != "":
		return exit.Usagef("--id needs --into")
	case len(args) == 2:
		return a.forkBefore(ctx, args[0], args[1], a.JSON)
	}
	return a.forkAt(ctx, args[0], f)
}

func (a *Commands) forkAt(ctx context.Context, ref string, f forkFlags) (err error) {
	source, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(source, &err)
	id, err := lookup.AtFlag(source, f.at)
	if err != nil {
		return err
	}
	s, err := ops.Clone(ctx, source, id, a.Env.Now())
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, a.JSON, nil)
}

func (a *Commands) forkInto(ctx context.Context, ref string, f forkFlags) (err error) {
	info, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	if err := ops.CheckOwn(info.Path); err != nil {
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
	return a.printNewSession(s, a.JSON, nil)
}

func (a *Commands) forkBefore(ctx context.Context, ref, entry string, asJSON bool) (err error) {
	source, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(source, &err)
	if err := ops.CheckOwn(source.File()); err != nil {
		return err
	}
	id, err := lookup.EntryOf(source, entry)
	if err != nil {
		return err
	}
	s, text, err := ops.Fork(ctx, source, id)
	if errors.As(err, new(*ops.NotUserMessageError)) {
		return exit.Usagef("ENTRY must be a user message, and %s is not; to copy up to any entry: %s", id, a.Hint("fork", source.File(), "--at", id))
	}
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, asJSON, &text)
}
