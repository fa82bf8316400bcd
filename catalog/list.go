package catalog

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
)

// List yields the sessions of the project at cwd, wherever under the roots they
// lie, one by one as they are read, the one whose file was written last first.
// A session belongs to the project if its header says so (pitfalls 51, 52); one
// whose header names no working directory is in ListAll only.
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
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, byRecency)
	return infos, failed
}

func byRecency(a, b Info) int {
	return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.Path, b.Path))
}

func (o Options) list(ctx context.Context, cwd string, q query) iter.Seq2[Info, error] {
	q.text, q.internal = o.Text, q.internal || o.IncludeInternal
	return func(yield func(Info, error) bool) {
		files, failed := discover(ctx, Roots(o, cwd), &o)
		for info := range o.readAll(ctx, files, q) {
			if !yield(info, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			failed = err
		}
		if failed != nil {
			yield(Info{}, failed)
		}
	}
}

// readAll yields the facts of those files that are sessions which the query
// asks for.
func (o *Options) readAll(ctx context.Context, files []file, q query) iter.Seq[Info] {
	type outcome struct {
		info Info
		err  error
	}
	read := func(ctx context.Context, r *reader, i int) outcome {
		info, err := r.read(ctx, files[i], q)
		return outcome{info, err}
	}
	return func(yield func(Info) bool) {
		done := 0
		for out := range inOrder(ctx, len(files), read) {
			if out.err != nil && ctx.Err() != nil {
				return
			}
			path := files[done].path
			done++
			o.progress(done, len(files))
			switch {
			case out.err == nil:
				if !yield(out.info) {
					return
				}
			case out.err == errUnwanted || errors.Is(out.err, pith.ErrNotSession):
			default:
				o.skip(path, out.err)
			}
		}
	}
}
