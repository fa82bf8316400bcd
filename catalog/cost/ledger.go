package cost

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/scans"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/sessiondir"
)

// Options change how sessions are read. The zero value works.
type Options struct {
	// Environment tells the home folder, for the files of subagents.
	Environment sessiondir.Environment
	// CacheDir is a folder in which it is kept what was found in files, so that they
	// are read again only when they changed: see [catalog.Index.Dir]. "" keeps nothing.
	CacheDir string
	// Progress is called after each session, from the goroutine of Count.
	Progress func(done, total int)
	// Skipped is called likewise for each session that could not be read to its
	// end. What was read of it counts.
	Skipped func(path string, err error)
}

// A Ledger is every response of some sessions, once.
type Ledger struct {
	// Sessions are those that were counted, the one created first at the front.
	Sessions []catalog.Info
	// Responses stand in the order of their sessions and of the files.
	Responses []Response
	// Copies counts the responses that were found again, in forks and in the
	// sessions of subagents, and Again is what they would have added.
	Copies int
	Again  format.Spent
}

// Count reads the responses of sessions. For sums without copies it needs all
// sessions that may have copied from each other: choose among the responses
// afterwards, not among the sessions before. A session that is gone meanwhile
// is left out. An error means that the context ended.
func Count(ctx context.Context, infos []catalog.Info, o Options) (*Ledger, error) {
	l := &Ledger{Sessions: slices.Clone(infos)}
	slices.SortFunc(l.Sessions, func(a, b catalog.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Path, b.Path))
	})
	paths := make([]string, len(l.Sessions))
	for i := range l.Sessions {
		paths[i] = l.Sessions[i].Path
	}
	fam := newFamily(paths, o.Environment)
	tallies := make([]tally, 0, len(paths))
	kept := scans.Open(ctx, o.CacheDir, keptFile, keptVersion)
	defer kept.Close(ctx)
	read := func(ctx context.Context, s *scanner, i int) tally {
		s.kept = kept
		return s.session(ctx, paths[i], fam)
	}
	for t := range parallel.InOrder(ctx, len(paths), read) {
		if t.err != nil && ctx.Err() == nil && !errors.Is(t.err, fs.ErrNotExist) && o.Skipped != nil {
			o.Skipped(paths[len(tallies)], t.err)
		}
		tallies = append(tallies, t)
		if o.Progress != nil {
			o.Progress(len(tallies), len(paths))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.enter(tallies)
	return l, nil
}

// A tally is what one session's file says. Responses stay packed until they are
// entered: there are very many.
type tally struct {
	own    string
	claims []claim
	err    error
}

func (s *scanner) session(ctx context.Context, path string, fam *family) (t tally) {
	t.own, t.err = s.file(ctx, path)
	if t.err == nil && s.runs {
		s.found, t.claims, t.err = s.spentByRuns(ctx, path, slices.Clone(s.found), fam)
		t.own = string(s.pack())
	}
	return t
}

// enter puts tallies together. What a run's own session tells of is known before
// anything is counted: a fork of the parent may tell of the run without knowing
// where that session is.
func (l *Ledger) enter(tallies []tally) {
	n := 0
	for i := range tallies {
		n += packedCount(tallies[i].own) + len(tallies[i].claims)
	}
	seen := make(map[fingerprint]bool, n)
	l.Responses = make([]Response, 0, n)
	for i := range tallies {
		for _, c := range tallies[i].claims {
			if c.told {
				seen[c.key] = true
			}
		}
	}
	add := func(session int, f *found) {
		if seen[f.key] {
			l.Copies++
			l.Again = l.Again.Plus(f.Spent)
			return
		}
		seen[f.key] = true
		f.Session = session
		l.Responses = append(l.Responses, f.Response)
	}
	var s scanner
	for i := range tallies {
		_ = s.unpack(tallies[i].own) // as this run packed it, or has looked at it
		for j := range s.found {
			add(i, &s.found[j])
		}
		for j := range tallies[i].claims {
			if c := &tallies[i].claims[j]; !c.told {
				add(i, &c.found)
			}
		}
		tallies[i] = tally{} // the ledger has it now
	}
}
