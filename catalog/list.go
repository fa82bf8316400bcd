package catalog

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/parallel"
)

// List yields the sessions of the project at cwd, wherever under the roots they
// lie, one by one as they are read, the one whose file was written last first.
// A session belongs to the project if its header says so; one whose header
// names no working directory is in ListAll only.
//
// An error comes once, last: the context was cancelled, or the folder for new
// sessions cannot be read. Files that cannot be read are passed over and told to
// Options.Skipped. The sequence can be ranged again and then looks anew.
func List(ctx context.Context, cwd string, o Options) iter.Seq2[Info, error] {
	cwd = o.expand(cwd, "")
	return o.list(ctx, cwd, query{project: newProject(cwd, &o)})
}

// ListAll yields the sessions of all projects, under the terms of List.
func ListAll(ctx context.Context, o Options) iter.Seq2[Info, error] {
	return o.list(ctx, o.expand("", ""), query{})
}

// Sorted collects a list, the session that was used last first, as pi shows it.
// After an error the sessions that came before it are returned too.
func Sorted(seq iter.Seq2[Info, error]) ([]Info, error) {
	var infos []Info
	var failed error
	for info, err := range seq {
		if err != nil {
			failed = err
			break
		}
		if len(infos) == cap(infos) {
			infos = slices.Grow(infos, max(64, len(infos))) // they are large: few moves
		}
		infos = append(infos, info)
	}
	sortByRecency(infos)
	return infos, failed
}

// sortByRecency sorts a list. Facts are large and lists are long: what is sorted
// is their numbers, and each is moved once.
func sortByRecency(infos []Info) {
	order := make([]int, len(infos))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return byRecency(&infos[a], &infos[b]) }) // no two have the same path
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

func byRecency(a, b *Info) int {
	return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path))
}

func (o Options) list(ctx context.Context, cwd string, q query) iter.Seq2[Info, error] {
	q.text, q.internal = o.Text, q.internal || o.IncludeInternal
	return func(yield func(Info, error) bool) {
		o.listIn(ctx, Roots(o, cwd), q, func(*finder) {})(yield)
	}
}

// listIn lists the sessions under roots. found is told what was found there.
func (o Options) listIn(ctx context.Context, roots []Root, q query, found func(*finder)) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		var loading sync.WaitGroup
		if o.Index != nil {
			loading.Go(func() { o.Index.load(ctx) })
		}
		f, failed := find(ctx, roots, &o)
		found(f)
		loading.Wait()
		for info := range o.readAll(ctx, f.files, q) {
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
		}
	}
}

// readAll yields the facts of those files that are sessions which the query
// asks for, in their order.
func (o *Options) readAll(ctx context.Context, files []file, q query) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		l := lister{o: o, q: &q, files: files, yield: yield}
		defer l.keep(ctx)
		unknown := l.ask(ctx)
		read := func(ctx context.Context, r *reader, i int) outcome {
			return r.lookup(ctx, files[unknown[i]], q, o)
		}
		next := 0
		for out := range parallel.InOrder(ctx, len(unknown), read) {
			if out.err != nil && ctx.Err() != nil {
				return
			}
			if !l.tell(unknown[next]) {
				return
			}
			next++
			l.store(ctx, &out)
			if !l.take(out) {
				return
			}
		}
		if next == len(unknown) {
			l.tell(len(files))
		}
	}
}

// A lister puts together what the index knows and what was read.
type lister struct {
	o     *Options
	q     *query
	files []file
	yield func(Info) bool

	known []*row // by file; nil where it must be read
	done  int    // files that were told
	kept  []keeping
	facts facts // scratch space
}

// keptAtOnce is how many rows are written in one transaction, so that it is
// short and yet worth its while.
const keptAtOnce = 400

// ask looks up all files in the index and returns those that must be read.
func (l *lister) ask(ctx context.Context) (unknown []int) {
	if l.o.Index != nil {
		l.o.Index.load(ctx)
	}
	l.known = make([]*row, len(l.files))
	for i := range l.files {
		if l.o.Index != nil {
			l.known[i] = l.o.Index.known(&l.files[i], l.q)
		}
		if l.known[i] == nil {
			unknown = append(unknown, i)
		}
	}
	return unknown
}

// tell yields what the index knew of the files before one; false ends the list.
func (l *lister) tell(before int) bool {
	for l.done < before {
		if !l.take(l.known[l.done].answer(&l.files[l.done], l.q, &l.facts)) {
			return false
		}
	}
	return true
}

// take yields the outcome of the next file, if it is a session that was asked
// for; false ends the list.
func (l *lister) take(out outcome) bool {
	path := l.files[l.done].path
	l.done++
	l.o.progress(l.done, len(l.files))
	switch {
	case out.err == nil:
		return l.yield(out.info)
	case out.err == errUnwanted || errors.Is(out.err, pith.ErrNotSession):
	default:
		l.o.skip(path, out.err)
	}
	return true
}

// store collects what the index should keep of a file.
func (l *lister) store(ctx context.Context, out *outcome) {
	if out.kept == nil {
		return
	}
	l.kept = append(l.kept, *out.kept)
	if len(l.kept) == keptAtOnce {
		l.keep(ctx)
	}
}

func (l *lister) keep(ctx context.Context) {
	if l.o.Index != nil {
		l.o.Index.keep(ctx, l.kept, nil)
		l.kept = l.kept[:0]
	}
}
