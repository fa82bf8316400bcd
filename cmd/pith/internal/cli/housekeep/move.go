package housekeep

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
)

// completeMissing suggests the projects that can be moved, those that are gone,
// and then any directory.
func (a *Commands) completeMissing(cmd *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.SetUp(cmd)
	a.Quiet = true
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	infos, _ := a.List(cmd.Context(), true, false) // those before an error
	var out []cobra.Completion
	for _, p := range project.Group(infos, project.Options{}) {
		if p.Missing && strings.HasPrefix(p.Dir, prefix) && p.Dir == termsafe.Line(p.Dir) {
			out = append(out, cobra.CompletionWithDesc(p.Dir, humanize.Count(len(p.Sessions), "session")))
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
	infos, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	plan, err := move.NewPlan(infos, old, place, move.Options{Catalog: a.Listing(), Force: a.Force})
	if err != nil {
		return err
	}
	if plan.Foreign > 0 {
		a.Note("note: not changed: %s; import first with %s", humanize.Count(plan.Foreign, "session")+" of other agents", a.Hint("import", "--project", from, "--source", "AGENT"))
	}
	r := newMoveRecord(plan, !f.yes)
	if f.yes {
		err = plan.Apply(ctx, r.add)
	} else {
		for _, s := range plan.Steps {
			r.add(move.Done{Step: s})
		}
	}
	if err == nil && f.yes && r.left > 0 {
		err = exit.Conflictf("not moved: %d of %s; run the same command again to continue", r.left, humanize.Count(len(plan.Steps)+len(plan.Refused), "session"))
	}
	if a.JSON {
		if jerr := a.Out.JSON(r); jerr != nil {
			return jerr
		}
		return err
	}
	a.printRehoming(r, from, to, f)
	return err
}

// A moveRecord is a completed or planned move in JSON, as
// docs/reference/json.md describes it.
type moveRecord struct {
	Old      string          `json:"old"`
	New      string          `json:"new"`
	DryRun   bool            `json:"dryRun"`
	Sessions []movedRecord   `json:"sessions"`
	Refused  []refusedRecord `json:"refused"`

	left int
}

type movedRecord struct {
	ID            string `json:"id"`
	From          string `json:"from"`
	To            string `json:"to"`
	Cwd           string `json:"cwd,null"`
	ParentSession string `json:"parentSessionPath,null"`
	Backup        string `json:"backup,null"`
}

type refusedRecord struct {
	Path  string `json:"path"`
	Error string `json:"error"`
}

func newMoveRecord(p *move.Plan, dryRun bool) *moveRecord {
	r := &moveRecord{Old: p.Old, New: p.New, DryRun: dryRun, Sessions: []movedRecord{}, Refused: []refusedRecord{}}
	for _, x := range p.Refused {
		r.refuse(x.Path, x.Err)
	}
	return r
}

func (r *moveRecord) refuse(path string, err error) {
	r.left++
	r.Refused = append(r.Refused, refusedRecord{path, err.Error()})
}

func (r *moveRecord) add(d move.Done) {
	if d.Err != nil {
		r.refuse(d.Session.Path, d.Err)
		return
	}
	r.Sessions = append(r.Sessions, movedRecord{
		d.Session.ID, d.Session.Path, d.To, d.Cwd, d.Parent, d.Backup,
	})
}

func (a *Commands) printRehoming(r *moveRecord, from, to string, f moveFlags) {
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
