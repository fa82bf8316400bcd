package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
)

type filesFlags struct {
	at, diff       string
	diffBare, json bool
}

// startOfSession is the entry that --diff means without a value.
const startOfSession = "@root"

func (a *Commands) Files() *cobra.Command {
	var f filesFlags
	cmd := &cobra.Command{
		Use:   "files SESSION [FILE]",
		Short: "Show the files that a session changed, and earlier versions",
		Long: `Show the files that a session changed, with the turns that changed them.

--at ENTRY prints FILE as it was at an entry. --diff ENTRY prints a patch from
the present files to their contents at ENTRY, for "git apply"; without ENTRY, to
those before the session. With --at, the patch starts at that entry instead of
the present. Nothing in the project is changed.

Contents come from the records of all sessions. A file for which they do not
suffice is named on standard error and left out.`,
		Example: `  pith files @
  pith files @ main.go --at 4f1c09ab
  pith files @ --diff 4f1c09ab | git apply
  pith files @ main.go --at 4f1c09ab --diff 77aa0d12`,
		Args:              flags.Takes(1, 3, -1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.diffBare = f.diff == startOfSession
			return a.files(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.at, "at", "", "print FILE as it was at `ENTRY`, or start the patch there")
	cmd.Flags().StringVar(&f.diff, "diff", "", "print a patch back to `ENTRY`")
	cmd.Flags().Lookup("diff").NoOptDefVal = startOfSession
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	a.CompleteEntryFlag(cmd, "at")
	a.CompleteEntryFlag(cmd, "diff")
	return cmd
}

func (a *Commands) files(ctx context.Context, args []string, f filesFlags) (err error) {
	found, err := a.Locate(ctx, args[0])
	if err != nil {
		return err
	}
	s, err := a.Read(ctx, found)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	name := f.arguments(s, args[1:])
	if f.at != "" {
		if f.at, err = lookup.EntryOf(s, f.at); err != nil {
			return err
		}
	}
	if f.diff != "" {
		if f.diff, err = lookup.EntryOf(s, f.diff); err != nil {
			return err
		}
	}
	o, done, err := a.options(ctx)
	if err != nil {
		return err
	}
	defer done()
	past, err := a.past(ctx, s, found, o)
	if err != nil {
		return err
	}
	list := past.Files()
	if name != "" {
		file, ok := past.Find(name, a.Env.Here()) // without a directory, the names that the list has are meant
		if !ok {
			return exit.Missingf("this session did not change %s; %s lists the files", name, a.Hint("files", args[0]))
		}
		list = []blame.Changed{*file}
	}
	switch {
	case f.diff != "":
		return a.patch(ctx, past, list, &f)
	case f.at != "" && name == "":
		return exit.Usagef("--at needs a FILE")
	case f.at != "":
		c, err := past.At(ctx, &list[0], f.at)
		if err != nil {
			return unrecorded(err)
		}
		return a.content(&list[0], c, &f)
	case f.json:
		return a.Out.JSON(view.Files{Root: view.Text(past.Root()), Files: view.ChangedFiles(list)})
	}
	a.list(list)
	return nil
}

// arguments takes FILE from the arguments after SESSION, and ENTRY where --diff was
// followed by a space.
func (f *filesFlags) arguments(s *pith.Session, args []string) (name string) {
	for _, arg := range args {
		if id, err := catalog.ResolveEntry(s, arg); err == nil && f.diffBare {
			f.diff, f.diffBare = id, false
			continue
		}
		name = arg
	}
	return name
}

// past opens the files of a session.
func (a *Commands) past(ctx context.Context, s *pith.Session, found catalog.Ref, o blame.Options) (*blame.Past, error) {
	at := slices.IndexFunc(o.Sessions, func(i catalog.Info) bool { return i.Path == found.Path })
	if at < 0 { // a file that no list has
		info, err := catalog.Facts(ctx, found, a.Listing())
		if err != nil {
			return nil, err
		}
		at = len(o.Sessions)
		o.Sessions = append(o.Sessions, info)
	}
	return blame.OpenPast(ctx, s, at, o)
}

// unrecorded says that the records do not suffice.
func unrecorded(err error) error {
	if f := (*blame.FileError)(nil); errors.As(err, &f) && errors.Is(err, blame.ErrNotRecorded) {
		return exit.Missingf("no record of what %s contained then", f.Path)
	}
	return explain(err)
}

func (a *Commands) content(f *blame.Changed, c blame.Content, flags *filesFlags) error {
	if flags.json {
		return a.Out.JSON(view.FileContent{File: view.Text(f.Name), EntryID: view.Text(flags.at), Exists: c.Exists, Content: view.Text(c.Text)})
	}
	if !c.Exists {
		return exit.Missingf("%s did not exist then", f.Name)
	}
	a.raw(c.Text)
	return nil
}

// raw prints a content as it is, and harmless on a terminal.
func (a *Commands) raw(text string) {
	if a.Out.Terminal {
		text = termsafe.Text(text)
	}
	a.Out.Print(text)
}

// patch prints a patch for all files for which the records suffice.
func (a *Commands) patch(ctx context.Context, past *blame.Past, list []blame.Changed, f *filesFlags) error {
	p, err := view.PatchOf(ctx, past, list, f.at, f.diff)
	if err != nil {
		return err
	}
	if f.json {
		return a.Out.JSON(p)
	}
	paging := a.Page()
	defer paging.End()
	if !a.Colors.On {
		a.raw(string(p.Patch))
	} else {
		for line := range strings.Lines(string(p.Patch)) {
			a.Out.Print(a.Colors.Paint(patchTone(line), termsafe.Text(strings.TrimSuffix(line, "\n"))) + "\n")
		}
	}
	for _, o := range p.Omitted {
		a.Note("note: left out: %v", unrecorded(o.Err))
	}
	if len(p.Omitted) > 0 && len(p.Omitted) == len(list) {
		return exit.Missingf("no patch: there is no record of what the files contained then")
	}
	return nil
}

func patchTone(line string) tone.Tone {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
		return tone.Bold
	case strings.HasPrefix(line, "@@"):
		return tone.User
	case strings.HasPrefix(line, "+"):
		return tone.Assistant
	case strings.HasPrefix(line, "-"):
		return tone.Error
	}
	return tone.None
}

// list prints the files with their turns.
func (a *Commands) list(list []blame.Changed) {
	if len(list) == 0 {
		a.Note("this session changed no files")
		return
	}
	for i := range list {
		f := &list[i]
		note := ""
		if f.Outside {
			note = a.Colors.Dim("  (outside the project)")
		}
		a.Out.Print(a.Colors.Bold(layout.OneLine(f.Name)) + note + "\n")
		for k := range f.Changes {
			c := &f.Changes[k]
			mark := " "
			if c.Left {
				mark = "~"
			}
			text := fmt.Sprintf("  %s%3d  %s  %s  %-8s %s", mark, c.Number, layout.OneLine(c.EntryID), a.When(c.Time), view.ChangeWord(c.Kind), layout.OneLine(cmp.Or(c.Request, "-")))
			if c.From != "" {
				text = fmt.Sprintf("  %s%3d  %s  %s  renamed from %s", mark, c.Number, layout.OneLine(c.EntryID), a.When(c.Time), layout.OneLine(c.From))
			}
			if w := a.Width(); w > 0 {
				text = termsafe.Fit(text, w)
			}
			a.Out.Print(text + "\n")
		}
	}
}
