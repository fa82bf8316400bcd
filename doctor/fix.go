package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
)

// Check checks one file and changes nothing. It returns an error only if it
// cannot read the file; a file that is not a session is a finding.
func Check(ctx context.Context, path string, o Options) (*Report, error) {
	r, err := read(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer r.close()
	d, err := r.diagnose()
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", r.file, err)
	}
	return d.report, nil
}

// An Outcome is the result of a repair or its preview.
type Outcome struct {
	Before *Report
	After  *Report
	// Backup is the path of the backup; "" if the bytes did not change.
	Backup string
	// Hunks are the changed lines. Only Preview sets them.
	Hunks []Hunk
}

// Changed reports whether anything was changed, or would be.
func (o *Outcome) Changed() bool { return o.After != o.Before }

// Fix repairs the fixable findings of a file and keeps a backup next to it. The
// error matches pith.ErrTooNew or pith.ErrNotSession for a file that is left
// alone, store.ErrConflict if another program wrote in the meantime,
// store.ErrReadOnly, or ErrUnverified if the repaired copy failed verification;
// it is a *pith.HeldError while the program that owns the session may have it
// open. In all these cases nothing was changed. If both an outcome and an error
// are returned, the file was repaired but could not be checked again.
func Fix(ctx context.Context, path string, o Options) (*Outcome, error) {
	p, err := plan(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	out := &Outcome{Before: p.report, After: p.report}
	if p.copied == nil && !p.private {
		return out, p.refusal()
	}
	if err := p.held(ctx); err != nil {
		return nil, err
	}
	if p.copied != nil {
		if out.Backup, err = p.publish(ctx, p.copied); err != nil {
			return nil, err
		}
	}
	if p.private {
		if err := makePrivate(p.file, out.Backup); err != nil {
			return nil, err
		}
	}
	if out.After, err = Check(ctx, p.file, o); err != nil {
		return out, err
	}
	return out, nil
}

// Preview is Fix without writing: it reports the lines that would change.
func Preview(ctx context.Context, path string, o Options) (*Outcome, error) {
	p, err := plan(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	out := &Outcome{Before: p.report, After: p.report}
	if p.copied == nil && !p.private {
		return out, p.refusal()
	}
	mode := p.mode
	if p.private {
		mode = 0o600
	}
	copied := p.result()
	next, err := p.reread(copied, mode)
	if err != nil {
		return nil, err
	}
	d, err := next.diagnose()
	if err != nil {
		return nil, err
	}
	out.After = d.report
	if p.copied != nil {
		out.Hunks, err = diff(ctx, p.body, p.size, copied, copied.Size())
	}
	return out, err
}

// plan reads a file and determines its repair. The caller must close the
// result.
func plan(ctx context.Context, path string, o Options) (*repaired, error) {
	r, err := read(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if r.was != nil && r.was.state.Header != nil && r.was.state.Header.Source != "" {
		r.close()
		return nil, fmt.Errorf("repair %s: %w", r.file, r.was.state.Header.CheckWritable())
	}
	p, err := r.repair()
	if errors.Is(err, ErrUnverified) {
		p, err = r.repairParts(err)
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("repair %s: %w", r.file, err)
	}
	return p, nil
}

// repairParts repairs as many kinds of findings as possible if all together
// fail verification: it adds one kind after another to those whose repair
// succeeds. If none does, it returns the error of the whole.
func (r *reading) repairParts(whole error) (*repaired, error) {
	all, err := r.diagnose()
	if err != nil {
		return nil, err
	}
	only := r.opt.Only
	defer func() { r.opt.Only = only }()
	var held []Code
	var best *repaired
	tried := map[Code]bool{}
	for _, f := range all.report.Findings {
		if !f.Fixable() || tried[f.Code] {
			continue
		}
		tried[f.Code] = true
		r.opt.Only = append(slices.Clone(held), f.Code)
		p, err := r.repair()
		if errors.Is(err, ErrUnverified) {
			continue
		}
		if err != nil {
			return nil, err
		}
		held, best = append(held, f.Code), p
	}
	if best == nil || best.copied == nil && !best.private {
		return nil, whole
	}
	best.report = all.report
	return best, nil
}

// refusal returns the reason why a file is left alone, or nil.
func (r *reading) refusal() error {
	switch {
	case r.verdict == NotSession:
		return fmt.Errorf("repair %s: %w", r.file, format.ErrNotSession)
	case r.verdict == TooNew:
		return fmt.Errorf("repair %s: %w", r.file, format.ErrTooNew)
	case r.verdict == "" && r.was.state.Header.Version > format.Version:
		return fmt.Errorf("repair %s: %w", r.file, r.was.state.Header.CheckWritable())
	}
	return nil
}

// held returns a *pith.HeldError if the program that owns the session seems to
// have it open, and would overwrite the repair or lose later entries.
func (r *reading) held(ctx context.Context) error {
	if r.opt.Force || r.was == nil || !r.was.state.Signature.Program(r.file).HoldsSessions() {
		return nil
	}
	s, err := pith.Open(ctx, r.file, pith.Options{Store: r.opt.Store, Now: r.opt.Now, ReadOnly: true})
	if errors.Is(err, format.ErrNotSession) {
		return nil // no program has a file open that has no header
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Held(ctx)
}

// A repaired is the result of a repair before it is published.
type repaired struct {
	*reading          // the current file
	report   *Report  // its findings
	copied   *patched // nil if no line changes
	private  bool
}

// result returns the file as the repair leaves it.
func (p *repaired) result() *patched {
	if p.copied != nil {
		return p.copied
	}
	return whole(p.body, p.size)
}

func whole(log io.ReaderAt, size int64) *patched {
	out := newPatched(log)
	out.Keep(0, size)
	return out
}

// rounds is how often a copy is checked again. Repairing one fault can reveal
// another.
const rounds = 8

// repair makes a copy in which nothing is left to repair. Each step is verified
// against the previous one.
func (r *reading) repair() (*repaired, error) {
	out := &repaired{reading: r}
	for n := range rounds {
		d, err := r.diagnose()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			out.report, out.private = d.report, d.changeSet.private
		}
		if !d.changeSet.changesLines() {
			break
		}
		copied, err := d.apply()
		if err != nil {
			return nil, err
		}
		next, err := r.reread(copied, r.mode)
		if err != nil {
			return nil, err
		}
		if next.verdict != "" || next.made != nil {
			return nil, unverified("it is not a session")
		}
		if err := d.verify(next.was); err != nil {
			return nil, err
		}
		out.copied, r = copied, next
	}
	return out, nil
}

// publish replaces the file with the copy and keeps a backup.
func (r *reading) publish(ctx context.Context, copied *patched) (backup string, err error) {
	fill := func(w io.Writer) error {
		_, err := copied.WriteTo(w)
		return err
	}
	log, backup, err := store.ReplaceKeeping(ctx, r.opt.logs(), r.log, r.size, fill, r.file)
	switch {
	case errors.Is(err, store.ErrConflict):
		return "", fmt.Errorf("%w; another program is using the session. Nothing was changed; try again later", err)
	case err != nil:
		return "", err
	}
	_ = log.Close() // it is complete and durable
	return backup, nil
}

// makePrivate removes other users' access to a file and its backup.
func makePrivate(paths ...string) error {
	for _, path := range paths {
		if path == "" {
			continue
		}
		if err := os.Chmod(path, 0o600); err != nil {
			return fmt.Errorf("make %s private: %w", path, err)
		}
	}
	return nil
}
