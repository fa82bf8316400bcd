package catalog

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/sessiondir"
)

// An outcome is the result for one file of a list.
type outcome struct {
	info Info
	err  error
	kept *row // for the index
	// damage means that a part of the session could not be read.
	damage error
}

// answer returns the outcome for a file according to its row; f is scratch
// space.
func (r *row) answer(of *file, q *query, f *facts) outcome {
	switch {
	case r.kind == rowOther:
		return outcome{err: pith.ErrNotSession}
	case !q.wants(r.cwd, r.internal):
		return outcome{err: errUnwanted}
	}
	return outcome{info: r.whole(of, f)}
}

// A priorFunc returns the row of a file as it was read before, perhaps under
// another name, or nil.
type priorFunc func(ctx context.Context, f *file) *row

// lookup reads the part of a file that the index does not know. It waits while
// pi rewrites the file.
func (r *reader) lookup(ctx context.Context, f file, q query, o *Options, prior priorFunc) (out outcome) {
	path := f.path()
	_ = sessiondir.Settled(ctx, path, func() error {
		out = r.lookupNow(ctx, path, f, q, o, prior)
		return out.err
	}) // the outcome has the error
	return out
}

func (r *reader) lookupNow(ctx context.Context, path string, f file, q query, o *Options, prior priorFunc) outcome {
	if f.isForeign() {
		return r.translated(ctx, &f, &q)
	}
	if o.Index == nil || q.text {
		info, err := r.read(ctx, f, q, o.opener())
		return outcome{info: info, err: err}
	}
	in, err := o.opener()(path)
	if err != nil {
		return outcome{err: readError("open", path, err)}
	}
	defer in.Close()
	if stat, err := in.Stat(); err == nil { // it may differ from the file that was found
		f.inode, f.size, f.modified = cache.InodeOf(stat), stat.Size(), stat.ModTime()
	}
	old := prior(ctx, &f)
	if old != nil {
		if out, ok := r.resume(ctx, in, &f, &q, old); ok {
			return out
		}
	}
	return r.whole(ctx, in, &f, &q, old)
}

// translated reads the lines of another agent's session as they are made.
func (r *reader) translated(ctx context.Context, f *file, q *query) outcome {
	s := foreign.Find(f.path())
	if s == nil {
		return outcome{err: readError("open", f.path(), fs.ErrNotExist)}
	}
	r.facts.reset(*q)
	var err error
	r.size = 0
	for line, failed := range s.Lines(ctx) {
		if err = failed; err != nil {
			break
		}
		if !r.facts.stopped {
			err = r.facts.line(line, r.size)
		}
		if r.size += int64(len(line)) + 1; err == errEnough && !q.headOnly {
			err = nil // a newer format has no more facts, but a size
		}
		if err != nil {
			break
		}
	}
	damage, _ := errors.AsType[*foreign.DamagedError](err)
	if damage != nil {
		err = nil
	}
	if err == nil && !r.facts.hasHeader {
		err = pith.ErrNotSession
	}
	switch {
	case errors.Is(err, pith.ErrNotSession):
		out := r.partly(f, rowOther)
		out.err = located(ctx, f.path(), err)
		return out
	case err == errUnwanted || err == errEnough && q.headOnly:
		out := r.partly(f, rowHead)
		if out.info = r.facts.info(f, 0); err == errUnwanted {
			out.err = err
		}
		return out
	case err != nil:
		return outcome{err: located(ctx, f.path(), err)}
	}
	is := &row{}
	is.of(f)
	is.size = r.size
	is.holds(&r.facts)
	out := outcome{info: r.facts.info(f, r.size), kept: is}
	out.info.Responses = r.responses()
	if damage != nil {
		out.kept, out.damage = nil, damage // it is read again next time
	}
	return out
}

// resume continues where an earlier read stopped, if the file still starts with
// the same bytes.
func (r *reader) resume(ctx context.Context, in sessionFile, f *file, q *query, old *row) (_ outcome, ok bool) {
	if old.kind != rowWhole || !q.wants(old.cwd, old.internal) {
		return outcome{}, false
	}
	if old.size == f.size && old.mtime != f.modified.UnixNano() {
		return outcome{}, false // it was rewritten
	}
	if old.start.end <= 0 || old.start.end > f.size {
		return outcome{}, false
	}
	r.facts.reset(*q)
	if !old.resume(&r.facts) {
		return outcome{}, false
	}
	if now, err := startAt(in, old.start.end); err != nil || now != old.start {
		return outcome{}, false
	}
	if err := r.fold(ctx, in, old.start.end); err != nil {
		return outcome{err: located(ctx, f.path(), err)}, true
	}
	if r.facts.ends.state == stateUnknown {
		return outcome{}, false // the leaf is an entry in the part that was not read
	}
	return r.kept(in, f), true
}

// whole reads a file from its start, as far as the query requires.
func (r *reader) whole(ctx context.Context, in sessionFile, f *file, q *query, old *row) outcome {
	r.facts.reset(*q)
	err := r.fold(ctx, in, 0)
	switch {
	case err == nil:
		out := r.kept(in, f)
		out.info.Responses = r.responses()
		return out
	case errors.Is(err, pith.ErrNotSession):
		out := r.partly(f, rowOther)
		out.err = located(ctx, f.path(), err)
		return out
	case err != errEnough && err != errUnwanted:
		return outcome{err: located(ctx, f.path(), err)}
	}
	var out outcome
	if old == nil || old.kind != rowWhole { // the old row contains more than this
		out = r.partly(f, rowHead)
	}
	if err == errUnwanted {
		out.err = err
		return out
	}
	if !q.headOnly && out.kept != nil {
		out.kept.kind = rowWhole // a newer format has no more facts
	}
	out.info = r.facts.info(f, f.size)
	return out
}

// partly returns the outcome of a file that was not read to its end.
func (r *reader) partly(f *file, kind rowKind) outcome {
	is := &row{}
	is.of(f)
	is.size, is.kind = f.size, kind
	if kind == rowHead {
		is.holds(&r.facts)
	}
	return outcome{kept: is}
}

// kept returns the outcome of a file that was read to its end. If a torn line
// is there, reading does not continue from it: it is not known what it becomes.
func (r *reader) kept(in sessionFile, f *file) outcome {
	is := &row{}
	is.of(f)
	is.size = r.size
	is.holds(&r.facts)
	out := outcome{info: r.facts.info(f, is.size)}
	end := r.size
	if stat, err := in.Stat(); err != nil || stat.Size() < end {
		return out // it was truncated meanwhile; the next list sees it
	} else if is.size > f.size && stat.Size() == is.size {
		is.mtime = stat.ModTime().UnixNano() // it grew while it was read
	}
	if !r.torn {
		from, err := startAt(in, end)
		if err != nil {
			return out
		}
		is.start = from
	}
	out.kept = is
	return out
}
