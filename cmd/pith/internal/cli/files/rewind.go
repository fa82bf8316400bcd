package files

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
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/blame"
)

type rewindFlags struct {
	files, conversation, dryRun, yes bool // the first two by --only
}

// errDryRun ends a rewind after its plan.
var errDryRun = errors.New("dry run")

func (a *Commands) Rewind() *cobra.Command {
	var f rewindFlags
	cmd := &cobra.Command{
		Use:   "rewind SESSION ENTRY [FILE...]",
		Short: "Take files and conversation back to an entry",
		Long: `Give the files that a session changed after ENTRY the contents that they had
then, and make ENTRY the current entry. pith lists the files and asks first;
without a terminal, pass --yes.

A file is left as it is if something that is not recorded or another session
changed it since, unless you confirm it or name it as FILE. Files outside the
project, below symbolic links, binary, or without sufficient records are always
left. Replaced files go to the trash; pith trash restore takes them back.

For sessions of other agents, only files are restored.`,
		Example: `  pith rewind @ 4f1c09ab
  pith rewind @ 4f1c09ab --dry-run
  pith rewind @ 4f1c09ab main.go --only files`,
		Args:              flags.Takes(2, -1, -1),
		ValidArgsFunction: a.CompleteSession(1, a.CompleteEntries),
	}
	only := flags.Choice(cmd, "only", "take back only this `PART`", "all", "files", "conversation")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f.files, f.conversation = only.Value == "files", only.Value == "conversation"
		return a.rewind(cmd.Context(), args, f)
	}
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "only show the files")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.Exclusive(cmd, "dry-run", "yes")
	return cmd
}

func (a *Commands) rewind(ctx context.Context, args []string, f rewindFlags) (err error) {
	if f.conversation && len(args) > 2 {
		return exit.Usagef("--only conversation takes no FILE")
	}
	if a.JSON && !f.dryRun && !f.yes {
		return exit.Usagef("--json needs --yes or --dry-run")
	}
	if !f.dryRun && !f.yes && !a.CanAsk() {
		return exit.Usagef("not a terminal; pass --yes to rewind, or --dry-run to see what would change")
	}
	here, err := a.ProjectDir("")
	if err != nil {
		return err
	}
	found, err := a.Locate(ctx, args[0])
	if err != nil {
		return err
	}
	s, err := a.openToRewind(ctx, found, args[0], &f)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	p := ops.RewindParams{Here: here}
	if p.Entry, err = lookup.EntryOf(s, args[1]); err != nil {
		return err
	}
	if !f.files {
		p.Session = s
	}
	if !f.conversation {
		past, err := ops.Past(ctx, a.App(), s)
		if err != nil {
			return err
		}
		p.Past = past
		if p.Only, err = named(past, args[2:], here); err != nil {
			return err
		}
		if p.Trash, err = a.Trash(); err != nil {
			return err
		}
	}
	p.Agree = func(ctx context.Context, plan *ops.Rewound) error { return a.agree(ctx, plan, s, p.Entry, &f) }
	r, err := ops.Rewind(ctx, p)
	switch {
	case errors.Is(err, errDryRun):
		err = nil
	case errors.As(err, new(*ops.ElsewhereError)), errors.Is(err, ops.ErrChangedMeanwhile):
		err = exit.Conflictf("%w", err)
	case errors.As(err, new(*ops.NotChangedError)):
		err = exit.Missingf("%w", err)
	case errors.Is(err, exit.ErrDeclined):
		return err
	}
	if a.JSON {
		return errors.Join(a.Out.JSON(r.Record(s.ID())), err, unfinished(r, &f))
	}
	if !f.dryRun {
		a.printRewound(r, s, p.Session != nil && err == nil)
	}
	return errors.Join(err, unfinished(r, &f))
}

// openToRewind opens a session for what its agent and the flags allow.
func (a *Commands) openToRewind(ctx context.Context, found catalog.Ref, ref string, f *rewindFlags) (*pith.Session, error) {
	if s, err := a.Read(ctx, found); err != nil || f.files || f.dryRun {
		return s, err
	} else if s.Header().Source != "" {
		if f.conversation {
			err := s.Header().CheckWritable()
			lookup.Close(s, &err)
			return nil, err
		}
		f.files = true
		return s, nil
	} else if err := s.Close(); err != nil {
		return nil, err
	}
	return a.OpenToWrite(ctx, found, ref, pith.Refuse, "")
}

// named returns the names that a session has for files.
func named(past *blame.Past, args []string, here string) (names []string, err error) {
	for _, arg := range args {
		c, ok := past.Find(arg, here)
		if !ok {
			return nil, exit.Missingf("%w", &ops.NotChangedError{Name: arg})
		}
		names = append(names, c.Name)
	}
	return names, nil
}

// agree shows a plan and asks.
func (a *Commands) agree(ctx context.Context, plan *ops.Rewound, s *pith.Session, entry string, f *rewindFlags) error {
	if a.JSON {
		return dryRun(f)
	}
	for i := range plan.Files {
		a.Out.Print(a.planned(&plan.Files[i]) + "\n")
	}
	if len(plan.Files) == 0 && !f.conversation {
		a.Note("no file differs from its content at this entry")
	}
	if f.dryRun || f.yes {
		return dryRun(f)
	}
	if err := a.Out.Flush(); err != nil {
		return err
	}
	n := 0
	for i := range plan.Files {
		if plan.Files[i].Restorable() {
			n++
		}
	}
	what := "restore " + humanize.Count(n, "file")
	switch {
	case f.conversation || n == 0 && !f.files:
		what = "go back to " + a.Describe(s, entry)
	case !f.files:
		what += " and go back to " + a.Describe(s, entry)
	}
	conflict := false
	for i := range plan.Files {
		conflict = conflict || plan.Files[i].Err == nil && !plan.Files[i].Restorable()
	}
	if n > 0 || !f.files {
		if err := a.Confirm(ctx, what); err != nil {
			return err
		}
	}
	for i := range plan.Files {
		c := &plan.Files[i]
		if !conflict || c.Err != nil || c.Restorable() {
			continue
		}
		err := a.Confirm(ctx, fmt.Sprintf("also restore %s, which %s", termsafe.Line(c.Name), a.conflict(c)))
		if err != nil && !errors.Is(err, exit.ErrDeclined) {
			return err
		}
		c.Confirmed = err == nil
	}
	return nil
}

func dryRun(f *rewindFlags) error {
	if f.dryRun {
		return errDryRun
	}
	return nil
}

// planned is the line of a file in a plan.
func (a *Commands) planned(c *ops.RewoundFile) string {
	if c.Err != nil {
		return "  left      " + termsafe.Line(c.Name) + ": " + termsafe.Line(why(c.Err))
	}
	word := "restore"
	switch {
	case !c.Now.Exists:
		word = "create"
	case !c.Then.Exists:
		word = "remove"
	}
	added, removed := c.Lines()
	text := fmt.Sprintf("  %-9s %s  +%d -%d", word, termsafe.Line(c.Name), added, removed)
	if c.Conflict() {
		text = fmt.Sprintf("  %-9s %s  +%d -%d  %s", "conflict", termsafe.Line(c.Name), added, removed, a.conflict(c))
	}
	return text
}

// conflict says who changed a file since.
func (a *Commands) conflict(c *ops.RewoundFile) string {
	var by []string
	for i := range c.Others {
		by = append(by, "session "+termsafe.Line(c.Others[i].ID))
	}
	if c.Unrecorded {
		by = append(by, "something that is not recorded")
	}
	return "was changed since by " + strings.Join(by, " and ")
}

// why says why a file is left, without its path.
func why(err error) string {
	if f := (*blame.FileError)(nil); errors.As(err, &f) {
		if errors.Is(err, blame.ErrNotRecorded) {
			return "no record of its content then"
		}
		return f.Err.Error()
	}
	return err.Error()
}

// printRewound prints what was done.
func (a *Commands) printRewound(r *ops.Rewound, s *pith.Session, moved bool) {
	var items []string
	for i := range r.Files {
		if c := &r.Files[i]; c.Done {
			line := "restored  " + termsafe.Line(c.Name)
			if c.Trash != "" {
				line += "  (in the trash: " + c.Trash + ")"
				items = append(items, c.Trash)
			}
			a.Out.Print(line + "\n")
		}
	}
	if moved {
		a.Out.Printf("from      %s\nto        %s\n", a.Describe(s, r.From), a.Describe(s, r.To))
	}
	if len(items) > 0 {
		a.NoteLater("undo the files with pith trash restore %s", strings.Join(items, " "))
	}
}

// unfinished is the error of a rewind that left files with conflicts.
func unfinished(r *ops.Rewound, f *rewindFlags) error {
	var names []string
	for i := range r.Files {
		if c := &r.Files[i]; c.Err == nil && c.Conflict() && !c.Confirmed {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 || f.dryRun {
		return nil
	}
	return exit.Conflictf("left as they are because of changes since: %s; name a file to restore it anyway", strings.Join(names, ", "))
}
