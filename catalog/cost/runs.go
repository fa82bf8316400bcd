package cost

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/spending"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/sessiondir"
)

// A claim is the spending of a run according to its result.
type claim struct {
	spending.Response
	// recorded means that a session of the run records the same spending.
	recorded bool
}

// A family knows which sessions are counted by themselves.
type family struct {
	listed func() map[string]bool
	env    sessiondir.Environment
}

func newFamily(sessions []catalog.Info, env sessiondir.Environment) *family {
	return &family{env: env, listed: sync.OnceValue(func() map[string]bool {
		m := make(map[string]bool, len(sessions))
		for i := range sessions {
			m[canonical(sessions[i].Path)] = true
		}
		return m
	})}
}

func canonical(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// spentByRuns reads the spending of the subagents of a session, on all
// branches. own are the responses found in the session itself; results of runs
// are removed from it. Sessions of runs that are not listed are read here.
func (r *reader) spentByRuns(ctx context.Context, path string, own []spending.Response, fam *family) (_ []spending.Response, claims []claim, err error) {
	session, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
	if err != nil {
		return own, nil, err
	}
	defer session.Close()
	report, err := subagent.Read(ctx, session, subagent.Options{AllBranches: true, Environment: fam.env})
	if err != nil {
		return own, nil, err
	}
	w := runReader{scan: &r.scan, fam: fam, results: map[string]bool{}, calls: map[string]bool{}, read: map[string]bool{canonical(path): true}}
	w.invocations(report.Invocations)
	isOfRuns := func(f spending.Response) bool {
		return f.Kind == spending.Tool && (w.results[f.Entry] || w.calls[f.Call])
	}
	own = slices.DeleteFunc(own, isOfRuns)
	for _, child := range w.children {
		found, err := r.read(ctx, child)
		if err != nil {
			return own, w.claims, err
		}
		own = append(own, slices.DeleteFunc(slices.Clone(found.Responses), isOfRuns)...)
	}
	return own, w.claims, nil
}

// A runReader visits the runs of a session and the runs below them.
type runReader struct {
	scan           *spending.Scanner
	fam            *family
	results, calls map[string]bool // entries and calls of runs
	children       []string        // sessions of runs to read here
	read           map[string]bool
	claims         []claim
}

// invocations recurses as deep as package subagent follows runs, which is
// limited.
func (w *runReader) invocations(list []subagent.Invocation) {
	for i := range list {
		inv := &list[i]
		if inv.ResultEntry != "" {
			w.results[inv.ResultEntry] = true
		}
		if inv.ToolCallID != "" {
			w.calls[inv.ToolCallID] = true
		}
		w.claim(inv, nil, inv.Unassigned, false, "sum")
		w.runs(inv, inv.Runs, "")
	}
}

func (w *runReader) runs(inv *subagent.Invocation, runs []subagent.Run, above string) {
	for i := range runs {
		r := &runs[i]
		name := above + "/" + strconv.Itoa(r.Index) + " " + r.RunID
		recorded := r.Source.IsSession()
		if recorded {
			w.child(r.Source.Path)
		}
		w.claim(inv, r, r.Usage, recorded, name)
		w.invocations(r.Calls)
		w.runs(inv, r.Children, name)
	}
}

func (w *runReader) child(path string) {
	path = canonical(path)
	if w.read[path] || w.fam.listed()[path] {
		return
	}
	w.read[path] = true
	w.children = append(w.children, path)
}

// claim records the spending stated by a result. Its fingerprint is made from
// its place in the result, so that a copy of the result in a fork is
// recognized, whether or not the run's own session was found from there.
func (w *runReader) claim(inv *subagent.Invocation, r *subagent.Run, spent format.Spent, recorded bool, name string) {
	if spent.IsZero() && !recorded {
		return
	}
	c := claim{recorded: recorded}
	c.Key = w.scan.Fingerprint(format.Spent{}, []byte("run"), []byte(inv.ToolCallID), []byte(inv.ResultEntry), []byte(name))
	c.Kind, c.Spent, c.Time = spending.Subagent, spent, inv.Ended
	if r != nil {
		c.Model = r.Model
	}
	w.claims = append(w.claims, c)
}
