// Package repair implements the command that checks and repairs files: doctor.
package repair

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/doctor"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

func (a *Commands) Doctor() *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor [SESSION|DIR]...",
		Short: "Check session files and repair them",
		Long: `Check session files for damaged lines, misplaced entries, history that pi does
not show, and more. Each finding explains the problem and its fix. Without
arguments, check the sessions of this project.

--fix repairs a copy of the file, verifies that no entry and no message is lost,
and then replaces the file; a backup is kept next to it. A file of an old format
version is upgraded. --dry-run shows the changes.

--reindex builds the index of all sessions again, which ls and search use. They
work without it, only slower, and update it a little each time they run.`,
		Example: `  pith doctor
  pith doctor old.jsonl --fix --dry-run
  pith doctor --all --severity error
  pith doctor --all --fix --only mode
  pith doctor --reindex`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = flags.Of(cmd).Only("all", "project")
			if f.reindex {
				if len(args) > 0 || f.Given() || f.repairs() || len(f.only) > 0 {
					return exit.Usagef("--reindex takes no sessions and no flags but --json")
				}
				return a.reindex(cmd.Context())
			}
			return a.doctor(cmd.Context(), args, f)
		},
	}
	a.AddScope(cmd, &f.Scope, "check")
	cmd.Flags().BoolVar(&f.fix, "fix", false, "repair the files")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "only show the changes --fix would make")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "only findings with this `CODE`; can be repeated")
	f.severity = flags.Choice(cmd, "severity", "show findings of at least this `SEVERITY`", "note", "warning", "error")
	cmd.Flags().BoolVar(&f.reindex, "reindex", false, "build the search index again")
	return cmd
}

type doctorFlags struct {
	lookup.Scope
	fix, dryRun, reindex bool
	only                 []string
	severity             *flags.OneOf
	given                flags.Given // of the scope
}

// repairs reports whether to repair, or to show what a repair would change.
func (f *doctorFlags) repairs() bool { return f.fix || f.dryRun }

// severities are the values of --severity, the lowest severity to print.
var severities = map[string]doctor.Severity{"note": doctor.Note, "warning": doctor.Warning, "error": doctor.Error}

func (f *doctorFlags) options(a *Commands) (doctor.Options, error) {
	o := doctor.Options{Now: a.Env.Now, Force: a.Force}
	for _, name := range f.only {
		code := doctor.Code(name)
		if !code.Known() {
			return o, exit.Usagef("invalid --only %q: use %s", name, strings.Join(flags.Words(ops.FindingCodes()), ", "))
		}
		o.Only = append(o.Only, code)
	}
	return o, nil
}

func (a *Commands) doctor(ctx context.Context, args []string, f doctorFlags) error {
	if f.Given() && len(args) > 0 {
		return exit.Usagef("sessions and --all or --project cannot be used together")
	}
	o, err := f.options(a)
	if err != nil {
		return err
	}
	l := &ops.Checklist{Options: o}
	if err := a.list(ctx, l, args, &f.Scope); err != nil {
		return err
	}
	if l.Len() == 0 && !a.JSON {
		if !a.noteOthers(ctx, &f.Scope) {
			a.NoteNothingHere(ctx, f.Everywhere())
		}
		a.noteExpiring(ctx)
		return nil
	}
	w := checkup{Commands: a, args: args, flags: f, least: severities[f.severity.Value], sorts: l.Len() > 1 && !a.JSON}
	if err := w.checkAll(ctx, l); err != nil {
		return err
	}
	if len(args) == 0 {
		a.noteExpiring(ctx)
	}
	return w.finish(len(args) == 1 && l.Len() == 1)
}

// checkAll checks the files.
func (w *checkup) checkAll(ctx context.Context, l *ops.Checklist) error {
	for c, err := range ops.Checkup(ctx, w.App(), l, ops.CheckupParams{Fix: w.flags.fix, DryRun: w.flags.dryRun}) {
		if err != nil {
			return lookup.Shorten(err)
		}
		w.report(c)
		w.Working("checking", int64(w.checked), int64(l.Len()), humanize.Number)
	}
	return nil
}

// A checkup checks files and counts their findings.
type checkup struct {
	*Commands
	args  []string
	flags doctorFlags
	least doctor.Severity

	checked, changed int
	left             [doctor.Error + 1]int // remaining findings, by severity
	fixable          int
	records          []fileRecord
	sorts            bool           // print files at the end, the worst first
	waiting          []*ops.Checked // until then
	last             *ops.Checked
}

// shown returns the findings of a report that are severe enough to print.
func (w *checkup) shown(r *doctor.Report) []doctor.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f doctor.Finding) bool { return f.Severity < w.least })
}

// report counts and prints the findings of a file.
func (w *checkup) report(t *ops.Checked) {
	w.checked++
	w.last = t
	for _, f := range w.shown(t.Left()) {
		w.left[f.Severity]++
		if f.Fixable() {
			w.fixable++
		}
	}
	if t.Out != nil && t.Out.Changed() {
		w.changed++
	}
	if len(w.shown(t.Before)) == 0 && t.Out == nil {
		return
	}
	if w.JSON {
		w.records = append(w.records, w.record(t))
		return
	}
	if w.sorts && (!w.flags.repairs() || w.minor(t)) {
		w.waiting = append(w.waiting, t)
		return
	}
	w.print(t)
}

// minor reports whether a file has only notes and there is nothing else to
// print about it: a repair showed no lines, kept no backup and left no notes.
func (w *checkup) minor(t *ops.Checked) bool {
	if t.Err != nil || worst(t) > doctor.Note {
		return false
	}
	return t.Out == nil || len(t.Out.Hunks) == 0 && t.Out.Backup == "" && len(w.shown(t.After)) == 0
}

// finish ends the command: it prints the totals and returns the error for
// the exit code.
func (w *checkup) finish(single bool) error {
	if w.JSON {
		if err := w.Out.JSON(w.sum()); err != nil {
			return err
		}
	} else {
		w.printWaiting()
		w.printSum()
	}
	if single && w.last != nil {
		if err := w.refused(); err != nil {
			return err
		}
	}
	if w.left[doctor.Error]+w.left[doctor.Warning] == 0 {
		return nil
	}
	return exit.Findingsf("%s", w.verdict())
}

// refused returns the error for a single file that cannot be repaired.
func (w *checkup) refused() error {
	for _, f := range w.last.Before.Findings {
		switch {
		case f.Code == doctor.NotSession:
			return fmt.Errorf("%s: %w", f.File, pith.ErrNotSession)
		case f.Code == doctor.TooNew && w.flags.repairs():
			return fmt.Errorf("%s: %w", f.File, pith.ErrTooNew)
		}
	}
	return nil
}

// verdict returns a line about the remaining findings.
func (w *checkup) verdict() string {
	text := fmt.Sprintf("%s and %s remain", humanize.Count(w.left[doctor.Error], "error"), humanize.Count(w.left[doctor.Warning], "warning"))
	if w.fixable > 0 && !w.flags.repairs() {
		text += "; repair with --fix"
	}
	return text
}
