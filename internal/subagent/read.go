package subagent

import (
	"cmp"
	"context"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// DefaultDepth is the default number of levels of child sessions that are
// followed.
const DefaultDepth = 8

// mostFiles is the maximum number of child sessions that one call opens.
const mostFiles = 2000

// Options configure what is read. The zero value reads the active path.
type Options struct {
	// Leaf is the entry whose path is read; "" means the leaf of the session.
	Leaf string
	// AllBranches reads the entries of all branches instead.
	AllBranches bool
	// Depth is the number of levels of child sessions that are followed. Zero
	// means DefaultDepth; a negative value means none.
	Depth int
	// Environment gives the home directory for paths that start with ~.
	Environment sessiondir.Environment
}

// A Report contains all runs of a session, including nested ones.
type Report struct {
	Invocations []Invocation `json:"invocations"`
	// Own is the spending of the session itself on the entries that were read,
	// Children that of its runs and all below them, All the sum. Cost that a
	// result, its message and a child's file mention counts once.
	Own      format.Spent `json:"own"`
	Children format.Spent `json:"children"`
	All      format.Spent `json:"all"`
	// Runs is the number of runs on all levels, Bad of those that did not end
	// well, Gone of those without any conversation left.
	Runs int `json:"runs"`
	Bad  int `json:"bad"`
	Gone int `json:"gone"`
	// Limited means that something was left out because of a limit.
	Limited bool `json:"limited"`
}

// Read finds the runs of a session, locates their conversations, and follows
// those that are sessions themselves. Missing files are part of the report; an
// error means that the session itself cannot be read, or that ctx ended.
func Read(ctx context.Context, s *pith.Session, o Options) (*Report, error) {
	o.Depth = cmp.Or(o.Depth, DefaultDepth)
	lines, err := scope(s, o)
	if err != nil {
		return nil, err
	}
	f, err := scan(lines)
	if err != nil {
		return nil, err
	}
	r := &Report{Invocations: f.finish(), Own: f.own}
	w := &walker{ended: func() bool { return ctx.Err() != nil }, openFile: opening(ctx), env: o.Environment, depth: o.Depth, report: r}
	w.know(s)
	r.Children = w.invocations(r.Invocations, s, []*pith.Session{s}, 0)
	r.All = r.Own.Plus(r.Children)
	return r, ctx.Err()
}

func scope(s *pith.Session, o Options) (iter.Seq2[pith.Line, error], error) {
	if o.AllBranches {
		return s.View().Reader().Lines(), nil
	}
	return onPath(s, cmp.Or(o.Leaf, s.LeafID()))
}

// Flat yields every run below a list of invocations, parents before children,
// with its level, from 0.
func Flat(list []Invocation) func(yield func(level int, r *Run) bool) {
	return func(yield func(int, *Run) bool) { flatCalls(list, 0, yield) }
}

func flatCalls(list []Invocation, level int, yield func(int, *Run) bool) bool {
	for i := range list {
		if !flatRuns(list[i].Runs, level, yield) {
			return false
		}
	}
	return true
}

// flatRuns recurses as deep as runs are followed, which is limited.
func flatRuns(runs []Run, level int, yield func(int, *Run) bool) bool {
	for i := range runs {
		r := &runs[i]
		if !yield(level, r) || !flatCalls(r.Calls, level+1, yield) || !flatRuns(r.Children, level+1, yield) {
			return false
		}
	}
	return true
}
