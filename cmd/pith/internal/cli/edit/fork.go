package edit

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/opencalls"
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
	id, err := lookup.AtFlag(source, at, at != "")
	if err != nil {
		return err
	}
	s, err := source.Extract(ctx, id)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	if err := opencalls.Close(ctx, s, a.Env.Now()); err != nil { // pitfall 131
		return err
	}
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
	if err := lookup.CheckOwn(info.Path); err != nil {
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
	if err := lookup.CheckOwn(source.File()); err != nil {
		return err
	}
	id, err := lookup.EntryOf(source, entry)
	if err != nil {
		return err
	}
	text, err := a.userText(source, id)
	if err != nil {
		return err
	}
	s, err := source.Fork(ctx, id)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.printNewSession(s, asJSON, &text)
}

// userText returns the text of a user message. A fork at any other entry would
// leave out that entry without a way to say it again.
func (a *Commands) userText(s *pith.Session, id string) (string, error) {
	e, err := s.Entry(id)
	if err != nil {
		return "", err
	}
	if m, ok := e.(*format.MessageEntry); ok {
		if user, ok := m.Message.(*format.User); ok {
			return user.Content.Joined(), nil
		}
	}
	return "", exit.Usagef("ENTRY must be a user message, and %s is not; to copy up to any entry: %s", id, a.Hint("clone", s.File(), "--at", id))
}
