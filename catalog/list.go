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
	"github.com/pith-sessions/pith/internal/cache"
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
	q.text, q.spent, q.touched, q.internal = o.Text, o.Responses, o.Touched, q.internal || o.IncludeInternal
	return func(yield func(Info, error) bool) {
		o.listIn(ctx, Roots(o, cwd), q, func(*finder) {})(yield)
	}
}

// listIn lists the sessions under roots. It calls found with the finder of the
// files.
func (o Options) listIn(ctx context.Context, roots []Root, q query, found func(*finder)) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		var known *briefs
		var loading sync.WaitGroup
		loading.Go(func() { known = o.Index.below(ctx, roots) })
		f, failed := find(ctx, roots, &o)
		found(f)
		loading.Wait()
		l := &lister{o: &o, q: &q, files: f.files, known: known}
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
		} else {
			o.Index.store(ctx, nil, known.gone(f.files, f.unlisted))
		}
		if o.IDs != nil && failed == nil {
			o.IDs(l.ids)
		}
	}
}

// readAll yields, in order, the facts of the files that are sessions and match
// the query.
func (o *Options) readAll(ctx context.Context, files []*file, q query, known *briefs) iter.Seq[Info] {
	return (&lister{o: o, q: &q, files: files, known: known}).all(ctx)
}

// all yields the facts of the sessions. It can be called once.
func (l *lister) all(ctx context.Context) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		l.yield = yield
		defer func() {
			l.store(ctx)
			l.writing.Wait()
		}()
		unknown := l.ask()
		read := func(ctx context.Context, r *reader, i int) outcome {
			return r.lookup(ctx, *l.files[unknown[i]], *l.q, l.o, l.prior)
		}
		next := 0
		for out := range parallel.InOrder(ctx, len(unknown), read) {
			if out.err != nil && ctx.Err() != nil {
				return
			}
			if !l.yieldKnown(ctx, unknown[next]) {
				return
			}
			next++
			if !l.take(ctx, out) {
				return
			}
		}
		if next == len(unknown) {
			l.yieldKnown(ctx, len(l.files))
		}
	}
}

// A lister merges the facts from the index with those read from files.
type lister struct {
	o     *Options
	q     *query
	files []*file
	known *briefs
	yield func(Info) bool

	is       []*brief       // by file: its brief, or nil if the file must be read
	done     int            // number of files yielded
	rows     map[int64]*row // of the next files, by id
	upTo     int            // the file before which rows are loaded
	kept     []*row         // to be stored
	ids      []string       // of the files yielded, wanted or not, if they are sessions
	keptRows int            // number of rows of all tables
	// writing is the write of rows in progress. Files are read meanwhile.
	writing sync.WaitGroup
	facts   facts // scratch space
}

const (
	// mostKept is the number of files whose rows are written in one transaction,
	// and mostRows about the number of their rows.
	mostKept, mostRows = 1000, 30_000
	// mostLoaded is the number of rows that are loaded at once.
	mostLoaded = 500
)

func (l *lister) prior(ctx context.Context, f *file) *row {
	return l.known.prior(ctx, l.o.Index, l.q, f)
}

// ask looks up all files in the index and returns those that must be read.
func (l *lister) ask() (unknown []int) {
	l.is = make([]*brief, len(l.files))
	for i, f := range l.files {
		if b := l.known.byPath[f.path()]; b != nil && b.isOf(f) && b.suffices(l.q) {
			l.is[i] = b
		} else {
			unknown = append(unknown, i)
		}
	}
	return unknown
}

// yieldKnown yields the facts of the files before an index that the index knows;
// it returns false to end the list.
func (l *lister) yieldKnown(ctx context.Context, before int) bool {
	for l.done < before {
		if l.done >= l.upTo {
			l.load(ctx)
		}
		if ctx.Err() != nil {
			return false
		}
		f, b := l.files[l.done], l.is[l.done]
		var out outcome
		if r := l.rows[b.id]; l.isEnough(b) {
			out = l.brief(b, f)
		} else if r != nil && r.isOf(f) && r.suffices(l.q) {
			out = r.answer(f, l.q, &l.facts)
		} else { // it is damaged, or another process has changed it
			out = new(reader).lookup(ctx, *f, *l.q, l.o, l.prior)
		}
		if !l.take(ctx, out) {
			return false
		}
	}
	return true
}

// isEnough reports whether a brief answers the query for its file.
func (l *lister) isEnough(b *brief) bool {
	return b.kind == rowOther || !l.q.wants(b.cwd, b.internal) || l.q.headOnly || l.omits(b)
}

// brief returns the outcome for a file for which its brief is enough.
func (l *lister) brief(b *brief, f *file) outcome {
	switch {
	case b.kind == rowOther:
		return outcome{err: pith.ErrNotSession}
	case !l.q.wants(b.cwd, b.internal), l.omits(b):
		return outcome{id: b.session, err: errUnwanted}
	}
	return outcome{id: b.session, info: b.info(f)}
}

// omits reports whether Options.Omit leaves out a session.
func (l *lister) omits(b *brief) bool {
	if b.kind != rowWhole || b.used <= 0 || b.dev == cache.ForeignDevice || // which the agent may have archived
		l.o.Omit == nil || l.q.headOnly {
		return false
	}
	if !b.asked {
		b.asked, b.omitted = true, l.o.Omit(b.session, time.UnixMilli(b.used+1))
	}
	return b.omitted
}

// load loads the rows of the next files.
func (l *lister) load(ctx context.Context) {
	var ids []int64
	for l.upTo = l.done; l.upTo < len(l.files) && len(ids) < mostLoaded; l.upTo++ {
		if b := l.is[l.upTo]; b != nil && !l.isEnough(b) {
			ids = append(ids, b.id)
		}
	}
	l.rows = nil
	if len(ids) > 0 {
		l.rows = l.o.Index.rows(ctx, l.q, ids)
	}
}

// take yields the outcome of the next file, if it is a session that matches; it
// returns false to end the list.
func (l *lister) take(ctx context.Context, out outcome) bool {
	if out.kept != nil {
		l.kept = append(l.kept, out.kept)
		l.keptRows += 1 + len(out.kept.found.responses) + len(out.kept.found.touches)
		if len(l.kept) >= mostKept || l.keptRows >= mostRows {
			l.store(ctx)
		}
	}
	f := l.files[l.done]
	l.done++
	if id := cmp.Or(stampedID(f.name), out.id); id != "" {
		l.ids = append(l.ids, id)
	}
	l.o.progress(l.done, len(l.files))
	if out.damage != nil {
		l.o.skip(f.path(), out.damage)
	}
	switch {
	case out.err == nil:
		return l.yield(out.info)
	case out.err == errUnwanted, errors.Is(out.err, pith.ErrNotSession), errors.As(out.err, new(unlistedError)):
	default:
		l.o.skip(f.path(), out.err)
	}
	return true
}

// store starts to write the collected rows.
func (l *lister) store(ctx context.Context) {
	l.writing.Wait()
	if kept := l.kept; len(kept) > 0 {
		l.kept, l.keptRows = nil, 0
		l.writing.Go(func() { l.o.Index.store(ctx, kept, nil) })
	}
}
