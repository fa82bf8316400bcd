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
	"github.com/pith-sessions/pith/internal/patchedlog"
	"github.com/pith-sessions/pith/store"
)

// Check looks at one file and changes nothing. The error is about reading the
// file; that it is no session is a finding.
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

// An Outcome is what a repair did, or would do.
type Outcome struct {
	Before *Report
	After  *Report
	// Backup is where the former file is kept; "" when its bytes did not change.
	Backup string
	// Hunks are the lines that change. They are filled by Preview.
	Hunks []Hunk
}

// Changed reports whether anything was changed, or would be.
func (o *Outcome) Changed() bool { return o.After != o.Before }

// Fix repairs a file as far as its findings say that something can be done. The
// former file is kept beside it. The error matches pith.ErrTooNew or
// pith.ErrNotSession for a file that is left alone; store.ErrConflict when
// somebody else wrote meanwhile, and store.ErrReadOnly; a *pith.HeldError while the
// program that the session belongs to may have it open; ErrUnverified when the
// repaired copy was not good enough. In all these cases nothing was changed. An
// outcome beside an error means that the file was repaired, and could not be looked
// at again.
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

// Preview is Fix without the writing: it says which lines would change.
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
		out.Hunks, err = diff(p.body, p.size, copied, copied.Size())
	}
	return out, err
}

// plan reads a file and finds out what its repair comes to. It must be closed.
func plan(ctx context.Context, path string, o Options) (*repaired, error) {
	r, err := read(ctx, path, o)
	if err != nil {
		return nil, err
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

// repairParts repairs the kinds of findings that can be, where all together cannot:
// one kind after the other is added to those whose repair holds. Without any the
// error is that of the whole.
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

// refusal says why a file is left alone; nil when it needs nothing.
func (r *reading) refusal() error {
	switch {
	case r.verdict == NotSession:
		return fmt.Errorf("repair %s: %w", r.file, format.ErrNotSession)
	case r.verdict == TooNew:
		return fmt.Errorf("repair %s: %w", r.file, format.ErrTooNew)
	case r.verdict == "" && r.was.table.Header.Version > format.Version:
		return fmt.Errorf("repair %s: %w", r.file, r.was.table.Header.CheckWritable())
	}
	return nil
}

// held returns a *pith.HeldError when the program that the session belongs to seems
// to have it open, and would write over the repair or lose what comes next.
func (r *reading) held(ctx context.Context) error {
	if r.opt.Force || r.was == nil || !r.was.table.Signature.Program(r.file).HoldsSessions() {
		return nil
	}
	s, err := pith.Open(ctx, r.file, pith.Options{Store: r.opt.Store, Now: r.opt.Now, ReadOnly: true})
	if errors.Is(err, format.ErrNotSession) {
		return nil // no program has open what has no header
	}
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Held(ctx)
}

// A repaired is what a repair of a file comes to.
type repaired struct {
	*reading                 // of the file as it is
	report   *Report         // what was found
	copied   *patchedlog.Log // nil when no line changes
	private  bool
}

// result is the file as the repair leaves it.
func (p *repaired) result() *patchedlog.Log {
	if p.copied != nil {
		return p.copied
	}
	return whole(p.body, p.size)
}

// whole is a log as it is.
func whole(log io.ReaderAt, size int64) *patchedlog.Log {
	out := patchedlog.New(log)
	out.Keep(0, size)
	return out
}

// rounds is how often a copy is looked at again. Taking one fault away can show
// another that it covered.
const rounds = 8

// repair makes a copy in which nothing is left to repair. Each step is verified
// against the one before.
func (r *reading) repair() (*repaired, error) {
	out := &repaired{reading: r}
	for n := range rounds {
		d, err := r.diagnose()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			out.report, out.private = d.report, d.cure.private
		}
		if !d.cure.changesLines() {
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

// publish puts the copy in the place of the file, and keeps that under another
// name.
func (r *reading) publish(ctx context.Context, copied *patchedlog.Log) (backup string, err error) {
	fill := func(w io.Writer) error {
		_, err := copied.WriteTo(w)
		return err
	}
	log, backup, err := store.ReplaceKeeping(ctx, r.opt.keeper(), r.log, r.size, fill, r.file)
	switch {
	case errors.Is(err, store.ErrConflict):
		return "", fmt.Errorf("%w; another program uses the session: nothing was changed, try again when it is done", err)
	case err != nil:
		return "", err
	}
	_ = log.Close() // it is complete and durable
	return backup, nil
}

// makePrivate takes a file, and the copy that is kept of it, away from others.
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
