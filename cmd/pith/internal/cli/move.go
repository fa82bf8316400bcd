package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/housekeeping/move"
)

type moveFlags struct{ yes, noBackup, json bool }

func (a *app) moveCommand() *cobra.Command {
	var f moveFlags
	cmd := &cobra.Command{
		Use:   "move OLD NEW",
		Short: "Bring the sessions of a moved project to its new directory",
		Long: `Tell the sessions of a project where the project is now. OLD is the directory in
which they were made, which need not exist any more; NEW is where it is now. The
sessions of directories below OLD go along.

The header of each session then names the new directory, and its file lies where
pi looks for it; sessions that were made from it find it there. Nothing else in a
file changes, nothing is overwritten, and the files as they were are kept beside
the new ones (FILE.old.bak). Without --yes it only says what would be done.`,
		Example: `  pith move ~/work/old-name ~/work/new-name
  pith move ~/work/old-name . --yes`,
		Args:              takes(2, 2, 2),
		ValidArgsFunction: a.completeMissing,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.move(cmd.Context(), args[0], args[1], f) },
	}
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it")
	cmd.Flags().BoolVar(&f.noBackup, "no-backup", false, "keep no copies of the files as they were")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *app) move(ctx context.Context, from, to string, f moveFlags) error {
	old, err := a.directory(from)
	if err != nil {
		return err
	}
	place, err := a.directory(to)
	if err != nil {
		return err
	}
	infos, err := a.sessions(ctx, true, true)
	if err != nil {
		return err
	}
	plan, err := move.Make(infos, old, place, move.Options{Catalog: a.listing(), NoBackup: f.noBackup})
	if err != nil {
		return err
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
		err = conflictError{fmt.Errorf("%d of %s were left as they were; the same command goes on with them", r.left, humanize.Count(len(plan.Steps)+len(plan.Refused), "session"))}
	}
	if f.json {
		if jerr := a.out.json(r); jerr != nil {
			return jerr
		}
		return err
	}
	a.printRehoming(r, from, to, f)
	return err
}

// A moveRecord is what was done, or would be, in JSON as docs/cli.md describes it.
type moveRecord struct {
	Old      jsText          `json:"old"`
	New      jsText          `json:"new"`
	DryRun   bool            `json:"dryRun"`
	Sessions []movedRecord   `json:"sessions"`
	Refused  []refusedRecord `json:"refused"`

	left int
}

type movedRecord struct {
	ID            jsText  `json:"id"`
	From          jsText  `json:"from"`
	To            jsText  `json:"to"`
	Cwd           *jsText `json:"cwd"`
	ParentSession *jsText `json:"parentSession"`
	Backup        *jsText `json:"backup"`
}

type refusedRecord struct {
	Path  jsText `json:"path"`
	Error jsText `json:"error"`
}

func newMoveRecord(p *move.Plan, dryRun bool) *moveRecord {
	r := &moveRecord{Old: jsText(p.Old), New: jsText(p.New), DryRun: dryRun, Sessions: []movedRecord{}, Refused: []refusedRecord{}}
	for _, x := range p.Refused {
		r.refuse(x.Path, x.Err)
	}
	return r
}

func (r *moveRecord) refuse(path string, err error) {
	r.left++
	r.Refused = append(r.Refused, refusedRecord{jsText(path), jsText(err.Error())})
}

func (r *moveRecord) add(d move.Done) {
	if d.Err != nil {
		r.refuse(d.Session.Path, d.Err)
		return
	}
	r.Sessions = append(r.Sessions, movedRecord{
		jsText(d.Session.ID), jsText(d.Session.Path), jsText(d.To), jsTextOrNull(d.Cwd), jsTextOrNull(d.Parent), jsTextOrNull(d.Backup),
	})
}

func (a *app) printRehoming(r *moveRecord, from, to string, f moveFlags) {
	moved, linked := 0, 0
	for i := range r.Sessions {
		m := &r.Sessions[i]
		if m.Cwd == nil {
			linked++
			continue
		}
		moved++
		a.out.printf("%s\n  %s\n", termsafe.Line(string(m.From)), termsafe.Line(string(m.To)))
	}
	for _, x := range r.Refused {
		a.note("left: %s: %s", x.Path, x.Error)
	}
	also := ""
	if linked > 0 {
		also = fmt.Sprintf(", and change %s made from them", humanize.Count(linked, "session"))
	}
	switch {
	case len(r.Sessions)+len(r.Refused) == 0:
		a.note("no session was made in %s; see pith projects", r.Old)
		return
	case moved == 0:
		return
	case !r.DryRun:
		a.note("moved %s to %s", humanize.Count(moved, "session"), r.New)
		return
	}
	if info, err := os.Stat(string(r.Old)); err == nil && info.IsDir() {
		a.note("note: %s still exists", r.Old)
	}
	args := []string{"move", from, to, "--yes"}
	if f.noBackup {
		args = append(args, "--no-backup")
	}
	a.note("would move %s to %s%s; do it with %s", humanize.Count(moved, "session"), r.New, also, a.hint(args...))
}
