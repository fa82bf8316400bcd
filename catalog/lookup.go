package catalog

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/sessiondir"
)

// An outcome is the result for one file of a list.
type outcome struct {
	info Info
	err  error
	kept *keeping // the row for the index
}

// known returns the row of a file from which the index can answer without
// opening the file, or nil if the file must be read.
func (ix *Index) known(f *file, q *query) *row {
	r := ix.at(f.path())
	if r == nil || !r.isOf(f) || !r.suffices(q) {
		return nil
	}
	return r
}

// atHand returns the row of a session file if the index is already loaded.
// Loading it for one header would cost more than it saves.
func (ix *Index) atHand(f *file) *row {
	r := ix.at(f.path())
	if r == nil || !r.isOf(f) || r.kind == rowOther {
		return nil
	}
	return r
}

// isOf reports whether the row describes this file, unchanged.
func (r *row) isOf(f *file) bool {
	return r.size == f.size && r.mtime == f.modified.UnixNano() && r.inode == f.inode
}

// suffices reports whether a row answers the query.
func (r *row) suffices(q *query) bool {
	switch {
	case r.kind == rowOther, !q.wants(r.cwd, r.internal):
		return true
	case q.text:
		return false
	}
	return r.kind == rowWhole || q.headOnly
}

// answer returns the outcome for a file according to its row; f is scratch
// space.
func (r *row) answer(of *file, q *query, f *facts) outcome {
	if r.kind == rowOther {
		return outcome{err: pith.ErrNotSession}
	}
	if !q.wants(r.cwd, r.internal) {
		return outcome{err: errUnwanted}
	}
	info, err := r.info(of, f)
	return outcome{info: info, err: err}
}

// lookup reads the part of a file that the index does not know. It waits while
// pi rewrites the file.
func (r *reader) lookup(ctx context.Context, f file, q query, o *Options) (out outcome) {
	path := f.path()
	_ = sessiondir.Settled(ctx, path, func() error {
		out = r.lookupNow(ctx, path, f, q, o)
		return out.err
	}) // the outcome has the error
	return out
}

func (r *reader) lookupNow(ctx context.Context, path string, f file, q query, o *Options) outcome {
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
		f.inode, f.size, f.modified = index.InodeOf(stat), stat.Size(), stat.ModTime()
	}
	old := o.Index.at(path)
	if old == nil {
		path, old = o.Index.byInode(f.inode)
	}
	if old != nil {
		if out, ok := r.resume(ctx, in, &f, &q, resumption{o.Index, path, old}); ok {
			return out
		}
	}
	return r.whole(ctx, in, &f, &q, old)
}

// A resumption is the index row of a file that has changed.
type resumption struct {
	index *Index
	path  string // its former path
	row   *row
}

// resume continues where an earlier read stopped, if the file still starts with
// the same bytes.
func (r *reader) resume(ctx context.Context, in sessionFile, f *file, q *query, at resumption) (_ outcome, ok bool) {
	old := at.row
	if old.kind != rowWhole || !q.wants(old.cwd, old.internal) {
		return outcome{}, false
	}
	if old.size == f.size && old.mtime != f.modified.UnixNano() {
		return outcome{}, false // it was rewritten
	}
	state := at.index.stateOf(ctx, at.path)
	r.facts.reset(*q)
	from, err := decodeState(state, &r.facts)
	if err != nil || from.end <= 0 || from.end > f.size {
		return outcome{}, false
	}
	if now, err := startAt(in, from.end); err != nil || now != from {
		return outcome{}, false
	}
	if err := r.fold(ctx, in, from.end); err != nil {
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
		out.kept.row.kind = rowWhole // a newer format has no more facts
	}
	out.info = r.facts.info(f, f.size)
	return out
}

// partly returns the outcome of a file that was not read to its end.
func (r *reader) partly(f *file, kind rowKind) outcome {
	row := &row{inode: f.inode, size: f.size, mtime: f.modified.UnixNano(), kind: kind}
	if kind == rowHead {
		row.holds(&r.facts)
	}
	return outcome{kept: &keeping{path: f.path(), row: row}}
}

// kept returns the outcome of a file that was read to its end.
func (r *reader) kept(in sessionFile, f *file) outcome {
	if !r.torn {
		r.state = appendState(r.state[:0], &r.facts)
	}
	row := &row{inode: f.inode, size: r.size, mtime: f.modified.UnixNano(), kind: rowWhole}
	row.holds(&r.facts)
	out := outcome{info: r.facts.info(f, row.size)}
	from, err := startAt(in, r.end)
	if err != nil {
		return out // it was truncated meanwhile; the next list sees it
	}
	if row.size > f.size {
		if stat, err := in.Stat(); err == nil && stat.Size() == row.size {
			row.mtime = stat.ModTime().UnixNano() // it grew while it was read
		}
	}
	out.kept = &keeping{out.info.Path, row, append(appendStart(make([]byte, 0, len(r.state)+rowRoom), from), r.state...)}
	return out
}
