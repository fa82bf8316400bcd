package ops

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/store"
)

// A Checklist has the files that Checkup checks, each once.
type Checklist struct {
	Options doctor.Options

	targets []target
	seen    map[string]bool
}

// A target is a file to check.
type target struct {
	path     string
	named    bool           // by a person
	leftover *doctor.Report // set for a file that a crash left
	found    *doctor.Report // set for a directory that cannot be read
}

func (l *Checklist) add(t target) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[t.path] {
		l.seen[t.path] = true
		l.targets = append(l.targets, t)
	}
}

// Len returns the number of files.
func (l *Checklist) Len() int { return len(l.targets) }

// File adds a file that a person named, whatever it is.
func (l *Checklist) File(path string) { l.add(target{path: path, named: true}) }

// Dir adds the files of a directory, including those that lists of sessions omit, and
// files that crashes left there.
func (l *Checklist) Dir(ctx context.Context, dir string) error {
	files, err := doctor.Files(ctx, dir)
	several, ok := err.(interface{ Unwrap() []error })
	if err != nil && !ok {
		return err
	}
	if ok {
		for _, err := range several.Unwrap() {
			if at := (*fs.PathError)(nil); errors.As(err, &at) {
				l.add(target{path: at.Path, found: unreadable(at.Path, Cause(err))})
			}
		}
	}
	for _, path := range files {
		l.add(target{path: path})
	}
	l.leftovers(ctx, dir, true)
	return nil
}

// leftovers adds files that crashes left in a directory, with backups or without.
func (l *Checklist) leftovers(ctx context.Context, dir string, backups bool) {
	for _, r := range doctor.Leftovers(ctx, dir, l.Options) {
		if _, backup := store.BackupOf(r.File); backups || !backup {
			l.add(target{path: r.File, leftover: r})
		}
	}
}

// Sessions adds the sessions that ran in the wanted directories, except those of other
// agents.
func (l *Checklist) Sessions(ctx context.Context, a *App, wanted func(cwd string) bool) error {
	return l.sessions(Sessions(ctx, a.quiet(), ""), wanted)
}

// quiet returns the App without reports: what cannot be read is a finding.
func (a *App) quiet() *App {
	q := *a
	q.Skipped, q.Working = nil, nil
	return &q
}

func (l *Checklist) sessions(infos iter.Seq2[catalog.Info, error], wanted func(cwd string) bool) error {
	for info, err := range infos {
		if err != nil {
			return err
		}
		if wanted(info.Cwd) && AgentTitle(info.Root) == "" {
			l.add(target{path: info.Path})
		}
	}
	return nil
}

// Project adds the sessions of a project, and all other files in the project's own session
// directory.
func (l *Checklist) Project(ctx context.Context, a *App, cwd string) error {
	if err := l.sessions(Sessions(ctx, a.quiet(), cwd), func(string) bool { return true }); err != nil {
		return err
	}
	place := a.Environment.Place(cwd)
	if dir := place.For(cwd); a.Dir == "" && !place.Flat && dir != "" {
		if _, err := os.Stat(dir); err == nil {
			return l.Dir(ctx, dir)
		}
	}
	return nil
}

// All adds the files of all session directories, and what crashes left in the trash and in
// state, the directory of pith's state, if there is one.
func (l *Checklist) All(ctx context.Context, a *App, state string) {
	for _, root := range catalog.Roots(a.Listing(), a.Cwd) {
		if AgentTitle(root.Name) != "" {
			continue // pith's own files, which can be made again at any time
		}
		if err := l.Dir(ctx, root.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.add(target{path: root.Dir, found: unreadable(root.Dir, Cause(err))})
		}
	}
	if state != "" {
		l.leftovers(ctx, state, true)
	}
	if bin, err := a.trashPlace(); err == nil {
		l.leftovers(ctx, bin.Dir, false) // backups belong there
	}
}

// A Checked is a file that was checked, and perhaps repaired.
type Checked struct {
	Before *doctor.Report
	After  *doctor.Report // nil if nothing was repaired
	Out    *doctor.Outcome
	Err    error // why it was not repaired
}

// Left returns what is the matter with the file now.
func (c *Checked) Left() *doctor.Report {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// CheckupParams say what Checkup does about findings: nothing, a repair, or with DryRun only
// the plan of one.
type CheckupParams struct{ Fix, DryRun bool }

func (p *CheckupParams) repairs() bool { return p.Fix || p.DryRun }

// Checkup checks files: one after the other if they may change, else in parallel. An error
// comes last. It is of a file that a person named; of others it is a finding.
func Checkup(ctx context.Context, a *App, l *Checklist, p CheckupParams) iter.Seq2[*Checked, error] {
	type outcome struct {
		*Checked
		err error
	}
	check := func(ctx context.Context, _ *struct{}, i int) outcome {
		c, err := a.check(ctx, &l.targets[i], l.Options, p)
		return outcome{c, err}
	}
	all := parallel.InOrder(ctx, len(l.targets), check)
	if p.repairs() {
		all = func(yield func(outcome) bool) {
			for i := 0; i < len(l.targets) && ctx.Err() == nil && yield(check(ctx, nil, i)); i++ {
			}
		}
	}
	return func(yield func(*Checked, error) bool) {
		for c := range all {
			if !yield(c.Checked, c.err) || c.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

func (a *App) check(ctx context.Context, t *target, o doctor.Options, p CheckupParams) (*Checked, error) {
	if t.leftover != nil {
		return a.sweep(t.leftover, p), nil
	}
	if t.found != nil {
		return &Checked{Before: t.found}, nil
	}
	report, err := doctor.Check(ctx, t.path, o)
	if err != nil {
		if t.named || ctx.Err() != nil {
			return nil, err
		}
		return &Checked{Before: unreadable(t.path, err)}, nil
	}
	c := &Checked{Before: report}
	if t.named && p.repairs() {
		if err := CheckOwn(t.path); err != nil {
			return nil, err
		}
	}
	if !p.repairs() || report.Fixable() == 0 {
		return c, nil
	}
	repair := doctor.Fix
	if p.DryRun {
		repair = doctor.Preview
	}
	out, err := repair(ctx, t.path, o)
	if err != nil {
		if t.named || ctx.Err() != nil {
			return nil, err
		}
		c.Err = err
		return c, nil
	}
	return &Checked{Before: out.Before, After: out.After, Out: out}, nil
}

// sweep removes a file that a crash left. One that holds a conversation goes to the trash.
func (a *App) sweep(r *doctor.Report, p CheckupParams) *Checked {
	c := &Checked{Before: r}
	if !p.repairs() {
		return c
	}
	if !p.DryRun {
		if c.Err = a.removeLeftover(r.File); c.Err != nil {
			return c
		}
	}
	c.After = &doctor.Report{File: r.File}
	c.Out = &doctor.Outcome{Before: r, After: c.After}
	return c
}

func (a *App) removeLeftover(path string) error {
	if _, ok := store.BackupOf(path); !ok {
		return doctor.RemoveLeftover(path)
	}
	o, err := a.trashPlace()
	if err != nil {
		return err
	}
	_, err = trash.Put(path, o)
	return err
}

func unreadable(path string, err error) *doctor.Report {
	return &doctor.Report{File: path, Findings: []doctor.Finding{doctor.UnreadableFinding(path, err)}}
}

// FindingCodes returns the codes of findings.
func FindingCodes() []doctor.Code { return doctor.Codes() }
