package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/sessiondir"
)

// An outcome is the result for one file of a list.
type outcome struct {
	info Info
	id   string // of the session, also if it is not wanted
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
		return outcome{id: r.session, err: errUnwanted}
	}
	return outcome{id: r.session, info: r.whole(of, q, f)}
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
	if out.err == nil || out.err == errUnwanted {
		out.id = r.facts.head.ID
	}
	return out
}

func (r *reader) lookupNow(ctx context.Context, path string, f file, q query, o *Options, prior priorFunc) outcome {
	if f.isForeign() {
		var old *row
		if o.Index != nil && !q.text {
			old = prior(ctx, &f)
		}
		return r.translated(ctx, &f, &q, old)
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
func (r *reader) translated(ctx context.Context, f *file, q *query, old *row) outcome {
	s := foreign.Find(f.path())
	if s == nil {
		return outcome{err: readError("open", f.path(), fs.ErrNotExist)}
	}
	r.facts.reset(q.collects(old, f.path()))
	var err error
	r.size = 0
	for line, failed := range s.Lines(ctx) {
		if err = failed; err != nil {
			break
		}
		err = r.facts.line(line, r.size, int64(len(line))+1)
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
		if old != nil && old.kind == rowWhole {
			out.kept = nil // the old row contains more than this
		}
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
	is.collected(&r.facts, nil)
	out := outcome{info: r.facts.info(f, r.size), kept: is}
	is.gives(&out.info, q)
	if damage != nil {
		out.kept, out.damage = nil, damage // it is read again next time
	}
	if f.root() == "" {
		out.kept = nil // it was not found in a list, where it may have another ID
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
	base := old
	if old.path != f.path() || old.responses < 0 && old.touches < 0 {
		base = nil
	}
	if q.spent && (base == nil || old.responses < 0) || q.touched && (base == nil || old.touches < 0) {
		return outcome{}, false // what it lacks is in the part that was read
	}
	r.facts.reset(q.collects(old, f.path()))
	if !old.resume(&r.facts) {
		return outcome{}, false
	}
	if now, err := startAt(in, old.start.end); err != nil || now != old.start {
		return outcome{}, false
	}
	if r.facts.query.touched && !r.reopen(ctx, in, old) {
		return outcome{}, false
	}
	if err := r.fold(ctx, in, old.start.end); err != nil {
		return outcome{err: located(ctx, f.path(), err)}, true
	}
	if r.facts.ends.state == stateUnknown {
		return outcome{}, false // the leaf is an entry in the part that was not read
	}
	return r.kept(in, f, q, base), true
}

// reopen reads the calls again whose results did not come.
func (r *reader) reopen(ctx context.Context, in sessionFile, old *row) bool {
	var calls []edits.OpenCall
	if json.Unmarshal([]byte(old.openCalls), &calls) != nil {
		return false
	}
	for _, call := range calls {
		line, err := r.lines.At(ctx, in, call.At, call.Size)
		if err != nil {
			return false
		}
		if r.facts.record.Read(bytes.TrimRight(line, "\n")) {
			r.facts.touches.Reopen(&r.facts.record, call)
		}
	}
	return true
}

// whole reads a file from its start, as far as the query requires.
func (r *reader) whole(ctx context.Context, in sessionFile, f *file, q *query, old *row) outcome {
	r.facts.reset(q.collects(old, f.path()))
	err := r.fold(ctx, in, 0)
	switch {
	case err == nil:
		return r.kept(in, f, q, nil)
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
	out.info = r.facts.info(f, f.size)
	if !q.headOnly && out.kept != nil {
		out.kept.kind = rowWhole // a newer format has no more facts
		out.kept.collected(&r.facts, nil)
		out.kept.gives(&out.info, q)
	}
	return out
}

// partly returns the outcome of a file that was not read to its end.
func (r *reader) partly(f *file, kind rowKind) outcome {
	is := &row{}
	is.of(f)
	is.size, is.kind = f.size, kind
	is.responses, is.touches = -1, -1
	if kind == rowHead {
		is.holds(&r.facts)
	}
	return outcome{kept: is}
}

// kept returns the outcome of a file that was read to its end, from the start or
// after base. Reading does not continue from a torn line: what it becomes is
// unknown.
func (r *reader) kept(in sessionFile, f *file, q *query, base *row) outcome {
	is := &row{}
	is.of(f)
	is.size = r.size
	is.holds(&r.facts)
	is.collected(&r.facts, base)
	out := outcome{info: r.facts.info(f, is.size)}
	is.gives(&out.info, q)
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
