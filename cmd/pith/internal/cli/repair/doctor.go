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
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/store"
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
				return a.reindex(cmd.Context(), a.JSON)
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
			return o, exit.Usagef("invalid --only %q: use %s", name, strings.Join(flags.Words(doctor.Codes()), ", "))
		}
		o.Only = append(o.Only, code)
	}
	return o, nil
}

// A fileResult is a file that was checked, and perhaps repaired.
type fileResult struct {
	before *doctor.Report
	after  *doctor.Report // nil if nothing was repaired
	out    *doctor.Outcome
	err    error // why it was not repaired
}

func (t *fileResult) left() *doctor.Report {
	if t.after != nil {
		return t.after
	}
	return t.before
}

func (a *Commands) doctor(ctx context.Context, args []string, f doctorFlags) error {
	if f.Given() && len(args) > 0 {
		return exit.Usagef("sessions and --all or --project cannot be used together")
	}
	o, err := f.options(a)
	if err != nil {
		return err
	}
	targets, err := a.targets(ctx, args, &f.Scope, o)
	if err != nil {
		return err
	}
	if len(targets) == 0 && !a.JSON {
		if !a.noteOthers(ctx, &f.Scope) {
			a.NoteNothingHere(ctx, f.Everywhere())
		}
		a.noteExpiring(ctx)
		return nil
	}
	w := checkup{Commands: a, args: args, flags: f, opt: o, least: severities[f.severity.Value], sorts: len(targets) > 1 && !a.JSON}
	if err := w.checkAll(ctx, targets); err != nil {
		return err
	}
	if len(args) == 0 {
		a.noteExpiring(ctx)
	}
	return w.finish(len(args) == 1 && len(targets) == 1)
}

// checkAll checks the files: one after the other if they may change, else in
// parallel.
func (w *checkup) checkAll(ctx context.Context, targets []target) error {
	type outcome struct {
		*fileResult
		err error
	}
	checkFile := func(ctx context.Context, _ *struct{}, i int) outcome {
		t, err := w.checkFile(ctx, targets[i])
		return outcome{t, err}
	}
	all := parallel.InOrder(ctx, len(targets), checkFile)
	if w.flags.repairs() {
		all = func(yield func(outcome) bool) {
			for i := 0; i < len(targets) && ctx.Err() == nil && yield(checkFile(ctx, nil, i)); i++ {
			}
		}
	}
	for v := range all {
		if v.err != nil {
			return v.err
		}
		w.report(v.fileResult)
		w.Working("checking", int64(w.checked), int64(len(targets)), humanize.Number)
	}
	return ctx.Err()
}

// A checkup checks files and counts their findings.
type checkup struct {
	*Commands
	args  []string
	flags doctorFlags
	opt   doctor.Options
	least doctor.Severity

	checked, changed int
	left             [doctor.Error + 1]int // remaining findings, by severity
	fixable          int
	records          []fileRecord
	sorts            bool          // print files at the end, the worst first
	waiting          []*fileResult // until then
	last             *fileResult
}

// checkFile checks one file. An error ends the command: a file named on the command
// line cannot be read. For other files that is a finding.
func (w *checkup) checkFile(ctx context.Context, p target) (*fileResult, error) {
	if p.leftover != nil {
		return w.sweep(p.leftover)
	}
	if p.found != nil {
		return &fileResult{before: p.found}, nil
	}
	report, err := doctor.Check(ctx, p.path, w.opt)
	if err != nil {
		if p.named || ctx.Err() != nil {
			return nil, lookup.Shorten(err)
		}
		return &fileResult{before: unreadable(p.path, err)}, nil
	}
	t := &fileResult{before: report}
	if p.named && w.flags.repairs() {
		if err := ops.CheckOwn(p.path); err != nil {
			return nil, err
		}
	}
	if !w.flags.repairs() || report.Fixable() == 0 {
		return t, nil
	}
	repair := doctor.Fix
	if w.flags.dryRun {
		repair = doctor.Preview
	}
	out, err := repair(ctx, p.path, w.opt)
	if err != nil {
		if p.named || ctx.Err() != nil {
			return nil, err
		}
		t.err = err
		return t, nil
	}
	t.before, t.after, t.out = out.Before, out.After, out
	return t, nil
}

// sweep removes a file that a crash left.
func (w *checkup) sweep(r *doctor.Report) (*fileResult, error) {
	t := &fileResult{before: r}
	if !w.flags.repairs() {
		return t, nil
	}
	if !w.flags.dryRun {
		if t.err = w.removeLeftover(r.File); t.err != nil {
			return t, nil
		}
	}
	t.after = &doctor.Report{File: r.File}
	t.out = &doctor.Outcome{Before: r, After: t.after}
	return t, nil
}

// removeLeftover removes an unfinished file. One that holds a conversation goes
// to the trash.
func (w *checkup) removeLeftover(path string) error {
	if _, ok := store.BackupOf(path); !ok {
		return doctor.RemoveLeftover(path)
	}
	o, err := w.Trash()
	if err != nil {
		return err
	}
	_, err = trash.Put(path, o)
	return err
}

func unreadable(path string, err error) *doctor.Report {
	return &doctor.Report{File: path, Findings: []doctor.Finding{doctor.UnreadableFinding(path, err)}}
}

// shown returns the findings of a report that are severe enough to print.
func (w *checkup) shown(r *doctor.Report) []doctor.Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f doctor.Finding) bool { return f.Severity < w.least })
}

// report counts and prints the findings of a file.
func (w *checkup) report(t *fileResult) {
	w.checked++
	w.last = t
	for _, f := range w.shown(t.left()) {
		w.left[f.Severity]++
		if f.Fixable() {
			w.fixable++
		}
	}
	if t.out != nil && t.out.Changed() {
		w.changed++
	}
	if len(w.shown(t.before)) == 0 && t.out == nil {
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
func (w *checkup) minor(t *fileResult) bool {
	if t.err != nil || worst(t) > doctor.Note {
		return false
	}
	return t.out == nil || len(t.out.Hunks) == 0 && t.out.Backup == "" && len(w.shown(t.after)) == 0
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
	for _, f := range w.last.before.Findings {
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
