package housekeep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// completeMissing suggests the projects that can be moved, those that are gone,
// and then any directory.
func (a *Commands) completeMissing(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.SetUp(cmd)
	a.Quiet = true
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	var out []cobra.Completion
	missing := ops.MissingProjects(cmd.Context(), a.App())
	for _, dir := range slices.Sorted(maps.Keys(missing)) {
		if strings.HasPrefix(dir, prefix) && dir == termsafe.Line(dir) {
			out = append(out, cobra.CompletionWithDesc(dir, humanize.Count(missing[dir], "session")))
		}
	}
	if len(out) > 0 {
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

type moveFlags struct{ yes bool }

func (a *Commands) Move() *cobra.Command {
	var f moveFlags
	cmd := &cobra.Command{
		Use:   "move OLD NEW",
		Short: "Update the sessions of a project that moved",
		Long: `Update the sessions of a project whose directory moved from OLD to NEW,
including those of its subdirectories. OLD need not exist.

The header of each session gets the new directory, and its file moves to where
pi looks for it. Nothing is overwritten. Backups of the old files are kept next
to the new ones (FILE.old.bak). Without --yes, only show the changes.`,
		Example: `  pith move ~/work/old-name ~/work/new-name
  pith move ~/work/old-name . --yes`,
		Args:              flags.Takes(2, 2, 2),
		ValidArgsFunction: a.completeMissing,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.move(cmd.Context(), args[0], args[1], f) },
	}
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "move the sessions")
	return cmd
}

func (a *Commands) move(ctx context.Context, from, to string, f moveFlags) error {
	old, err := a.Directory(from)
	if err != nil {
		return err
	}
	place, err := a.Directory(to)
	if err != nil {
		return err
	}
	if err := errors.Join(a.CheckSessionDir(), a.CheckSources()); err != nil {
		return err
	}
	r, err := ops.Move(ctx, a.App(), ops.MoveParams{Old: old, New: place, DryRun: !f.yes})
	if r == nil {
		return err
	}
	if r.Foreign > 0 {
		a.Note("note: not changed: %s; import first with %s", humanize.Count(r.Foreign, "session")+" of other agents", a.Hint("import", "--project", from, "--source", "AGENT"))
	}
	if left := len(r.Refused); err == nil && f.yes && left > 0 {
		err = exit.Conflictf("not moved: %d of %s; run the same command again to continue", left, humanize.Count(r.All, "session"))
	}
	if a.JSON {
		if jerr := a.Out.JSON(r); jerr != nil {
			return jerr
		}
		return err
	}
	a.printRehoming(r, from, to)
	return err
}

func (a *Commands) printRehoming(r *ops.Moved, from, to string) {
	moved, linked := 0, 0
	for i := range r.Sessions {
		m := &r.Sessions[i]
		if m.Cwd == "" {
			linked++
			continue
		}
		moved++
		a.Out.Printf("%s\n  %s\n", termsafe.Line(m.From), termsafe.Line(m.To))
	}
	for _, x := range r.Refused {
		a.Note("not moved: %s: %s", x.Path, x.Error)
	}
	also := ""
	if linked > 0 {
		also = fmt.Sprintf(" and update %s forked from them", humanize.Count(linked, "session"))
	}
	switch {
	case len(r.Sessions)+len(r.Refused) == 0:
		a.Note("no sessions in %s; pith ls --projects lists all projects", r.Old)
		return
	case moved == 0:
		return
	case !r.DryRun:
		a.Note("moved %s to %s", humanize.Count(moved, "session"), r.New)
		return
	}
	if info, err := os.Stat(r.Old); err == nil && info.IsDir() {
		a.Note("note: %s still exists", r.Old)
	}
	args := []string{"move", from, to, "--yes"}
	a.Note("would move %s to %s%s; to do it: %s", humanize.Count(moved, "session"), r.New, also, a.Hint(args...))
}
