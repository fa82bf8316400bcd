package catalog

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/sessiondir"
)

// List yields the sessions of the project at cwd, from all roots, one by one as
// they are read, the most recently written file first. The header decides
// whether a session belongs to the project; a session without a working
// directory in its header is yielded only by ListAll.
//
// An error is yielded once, last: ctx was canceled, or the directory for new
// sessions cannot be read. Files that cannot be read are skipped and reported
// to Options.Skipped. The sequence can be ranged over again, which reads the
// files again.
func List(ctx context.Context, cwd string, o Options) iter.Seq2[Info, error] {
	cwd = o.expand(cwd, "")
	return o.list(ctx, cwd, query{project: newProject(cwd, &o)})
}

// ListAll yields the sessions of all projects, in the same way as List.
func ListAll(ctx context.Context, o Options) iter.Seq2[Info, error] {
	return o.list(ctx, o.expand("", ""), query{})
}

// Sorted collects a list, the most recently used session first, as pi shows it.
// After an error it also returns the sessions before the error.
func Sorted(seq iter.Seq2[Info, error]) ([]Info, error) {
	var infos []Info
	var failed error
	for info, err := range seq {
		if err != nil {
			failed = err
			break
		}
		if len(infos) == cap(infos) {
			infos = slices.Grow(infos, max(64, len(infos))) // infos are large: move them rarely
		}
		infos = append(infos, info)
	}
	sortByRecency(infos)
	return infos, failed
}

// sortByRecency sorts a list. Infos are large and lists are long, so it sorts
// indexes and moves each info once.
func sortByRecency(infos []Info) {
	order, now := make([]int, len(infos)), time.Now()
	used := make([]time.Time, len(infos))
	for i := range order {
		order[i], used[i] = i, infos[i].Recency(now)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(used[b].Compare(used[a]), byID(&infos[a], &infos[b])) }) // paths are unique
	for first := range order {
		if order[first] == first {
			continue
		}
		held, at := infos[first], first
		for from := order[at]; from != first; from = order[at] {
			infos[at], order[at] = infos[from], at
			at = from
		}
		infos[at], order[at] = held, at
	}
}

// ByRecency compares sessions for a list, the most recently used first. That
// is the order of Modified, except that times in the future and times after
// that of the file do not count: see [sessiondir.Recency].
func ByRecency(a, b *Info) int {
	now := time.Now()
	return cmp.Or(b.Recency(now).Compare(a.Recency(now)), byID(a, b))
}

// Recency returns the time by which ByRecency orders a session.
func (i *Info) Recency(now time.Time) time.Time {
	return sessiondir.Recency(i.Modified, i.Created, i.FileTime, now)
}

func byID(a, b *Info) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path)) }

func (o Options) list(ctx context.Context, cwd string, q query) iter.Seq2[Info, error] {
	q.text, q.spent, q.internal = o.Text, o.Responses, q.internal || o.IncludeInternal
	return func(yield func(Info, error) bool) {
		o.listIn(ctx, Roots(o, cwd), q, func(*finder) {})(yield)
	}
}

// listIn lists the sessions under roots. It calls found with the finder of the
// files.
func (o Options) listIn(ctx context.Context, roots []Root, q query, found func(*finder)) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		var loading sync.WaitGroup
		if o.Index != nil && o.Index.savedRows() == nil {
			loading.Go(func() { o.Index.load(ctx) })
		}
		f, failed := find(ctx, roots, &o)
		found(f)
		loading.Wait()
		l := &lister{o: &o, q: &q, files: f.files}
		for info := range l.all(ctx) {
			if !yield(info, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			failed = err
		}
		if failed != nil {
			yield(Info{}, failed)
		} else if o.Index != nil {
			o.Index.keep(ctx, nil, o.Index.goneBelow(roots, f.files))
			o.Index.saveList(f.files)
		}
		if o.IDs != nil && failed == nil {
			quiet := o
			quiet.Progress, quiet.Skipped, quiet.Omit = nil, nil, nil
			o.IDs(quiet.idsOf(ctx, f.files))
		}
	}
}

// readAll yields, in order, the facts of the files that are sessions and match
// the query.
func (o *Options) readAll(ctx context.Context, files []*file, q query) iter.Seq[Info] {
	return (&lister{o: o, q: &q, files: files}).all(ctx)
}

// all yields the facts of the sessions. It can be called once.
func (l *lister) all(ctx context.Context) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		l.yield = yield
		defer func() {
			l.keep(ctx)
			l.writing.Wait()
		}()
		unknown := l.ask(ctx)
		l.batch = min(max(leastKept, len(unknown)/16), mostKept)
		read := func(ctx context.Context, r *reader, i int) outcome {
			return r.lookup(ctx, *l.files[unknown[i]], *l.q, l.o)
		}
		next := 0
		for out := range parallel.InOrder(ctx, len(unknown), read) {
			if out.err != nil && ctx.Err() != nil {
				return
			}
			if !l.yieldIndexed(ctx, unknown[next]) {
				return
			}
			next++
			l.store(ctx, &out)
			if !l.take(out) {
				return
			}
		}
		if next == len(unknown) {
			l.yieldIndexed(ctx, len(l.files))
		}
	}
}

// A lister merges the facts from the index with those read from files.
type lister struct {
	o     *Options
	q     *query
	files []*file
	yield func(Info) bool

	known []*row // by file: its row, inSaved, or nil if the file must be read
	done  int    // number of files yielded
	kept  []keeping
	batch int // number of rows to write at once
	// writing is the write of rows in progress. Files are read meanwhile.
	writing sync.WaitGroup
	facts   facts // scratch space
}

// A transaction has at least leastKept and at most mostKept rows: few enough to
// keep it short, and more if there are many, since every transaction writes the
// pages of the database index that its paths are in.
const (
	leastKept = 400
	mostKept  = 4000
)

// ask looks up all files in the index and returns those that must be read.
func (l *lister) ask(ctx context.Context) (unknown []int) {
	if l.o.Index != nil {
		l.known, unknown = l.o.Index.lookUp(ctx, l.files, l.q)
		return unknown
	}
	unknown = make([]int, len(l.files))
	for i := range unknown {
		unknown[i] = i
	}
	return unknown
}

// yieldIndexed yields the indexed facts of the files before an index; it returns false
// to end the list.
func (l *lister) yieldIndexed(ctx context.Context, before int) bool {
	for l.done < before {
		r, omitted := l.indexed(ctx, l.done)
		switch {
		case omitted:
			l.done++
			l.o.progress(l.done, len(l.files))
		case r != nil:
			if !l.take(r.answer(l.files[l.done], l.q, &l.facts)) {
				return false
			}
		default:
			out := new(reader).lookup(ctx, *l.files[l.done], *l.q, l.o)
			l.store(ctx, &out)
			if !l.take(out) {
				return false
			}
		}
	}
	return true
}

// indexed returns the row of a file that is known, and whether Options.Omit leaves
// out its session. The row is nil if it turns out to be damaged.
func (l *lister) indexed(ctx context.Context, i int) (r *row, omitted bool) {
	f := l.files[i]
	if r = l.known[i]; r == inSaved {
		if l.o.Omit != nil {
			if brief, id := f.savedBrief(); id != "" {
				if l.omits(&brief, id) {
					return nil, true
				}
				return l.saved(ctx, f), false
			}
		}
		r = l.saved(ctx, f)
	}
	return r, r != nil && l.o.Omit != nil && l.omits(r, r.id())
}

func (l *lister) saved(ctx context.Context, f *file) *row {
	if r := f.in.saved.row(int(f.row) - 1); r != nil {
		return r
	}
	return l.o.Index.restore(ctx, f, l.q)
}

// omits reports whether Options.Omit leaves out the session of a row.
func (l *lister) omits(r *row, id string) bool {
	return r.kind == rowWhole && r.used > 0 && l.q.wants(r.cwd, r.internal) && l.o.Omit(id, time.UnixMilli(r.used+1))
}

// take yields the outcome of the next file, if it is a session that matches; it
// returns false to end the list.
func (l *lister) take(out outcome) bool {
	f := l.files[l.done]
	l.done++
	l.o.progress(l.done, len(l.files))
	switch {
	case out.err == nil:
		return l.yield(out.info)
	case out.err == errUnwanted || errors.Is(out.err, pith.ErrNotSession):
	default:
		l.o.skip(f.path(), out.err)
	}
	return true
}

// store collects the rows for the index.
func (l *lister) store(ctx context.Context, out *outcome) {
	if out.kept == nil {
		return
	}
	l.kept = append(l.kept, *out.kept)
	if len(l.kept) >= l.batch {
		l.keep(ctx)
	}
}

// keep starts to write the collected rows.
func (l *lister) keep(ctx context.Context) {
	l.writing.Wait()
	if kept := l.kept; l.o.Index != nil && len(kept) > 0 {
		l.kept = nil
		l.writing.Go(func() { l.o.Index.keep(ctx, kept, nil) })
	}
}
