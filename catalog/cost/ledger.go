package cost

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/internal/prices"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/spending"
	"github.com/pith-sessions/pith/sessiondir"
)

// Options configure how sessions are read. The zero value is ready to use.
type Options struct {
	// Environment gives the home directory, in which the files of subagents are
	// looked up.
	Environment sessiondir.Environment
	// Progress is called after each session, on the goroutine of Count.
	Progress func(done, total int)
	// Skipped is called, on the same goroutine, for each session that could not
	// be read to its end. The part that was read counts.
	Skipped func(path string, err error)
}

// A Ledger contains every response of some sessions once.
type Ledger struct {
	// Sessions are the sessions that were counted, ordered by creation time.
	Sessions []catalog.Info
	// Responses are ordered by session, then by file order.
	Responses []Response
	// Copied are the responses that were found again, in forks and in the
	// sessions of subagents.
	Copied []Response
}

// rank orders sessions of the same age: one of another agent comes before the pi
// session that was imported from it.
func rank(i *catalog.Info) int {
	if _, foreign := all.Find(i.Root); foreign {
		return 0
	}
	return 1
}

// Count adds up the responses of sessions and estimates unknown costs. It reads the
// files of sessions whose responses were not listed: see [catalog.Options.Responses].
// Copies are detected only among the given sessions, so pass all sessions that may
// have copied from each other and filter the responses afterwards. A session that
// was deleted meanwhile is left out. An error means that ctx ended.
func Count(ctx context.Context, infos []catalog.Info, o Options) (*Ledger, error) {
	l, err := count(ctx, infos, o)
	if err != nil {
		return nil, err
	}
	for _, list := range [...][]Response{l.Responses, l.Copied} {
		for i := range list {
			r := &list[i]
			r.Spent = prices.Estimate(r.Model, r.Time, r.Spent)
		}
	}
	return l, nil
}

// count is Count with the recorded costs only.
func count(ctx context.Context, infos []catalog.Info, o Options) (*Ledger, error) {
	l := &Ledger{Sessions: slices.Clone(infos)}
	slices.SortFunc(l.Sessions, func(a, b catalog.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(rank(&a), rank(&b)), strings.Compare(a.Path, b.Path))
	})
	fam := newFamily(l.Sessions, o.Environment)
	tallies := make([]tally, 0, len(l.Sessions))
	read := func(ctx context.Context, r *reader, i int) tally {
		info := &l.Sessions[i]
		defer func() { info.Responses = nil }() // the ledger has them
		return r.session(ctx, info, fam)
	}
	for t := range parallel.InOrder(ctx, len(l.Sessions), read) {
		if t.err != nil && ctx.Err() == nil && !errors.Is(t.err, fs.ErrNotExist) && o.Skipped != nil {
			o.Skipped(l.Sessions[len(tallies)].Path, t.err)
		}
		tallies = append(tallies, t)
		if o.Progress != nil {
			o.Progress(len(tallies), len(l.Sessions))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.enter(tallies)
	return l, nil
}

// A tally is the result for one session file.
type tally struct {
	own    []spending.Response
	claims []claim
	err    error
}

func (r *reader) session(ctx context.Context, info *catalog.Info, fam *family) (t tally) {
	found, err := r.listed(ctx, info)
	t.own, t.err = found.Responses, err
	if t.err == nil && found.Runs {
		t.own, t.claims, t.err = r.spentByRuns(ctx, info.Path, slices.Clone(t.own), fam)
	}
	return t
}

// enter adds tallies to the ledger. Claims of runs whose own session was found
// are marked as seen before anything is counted, because a fork of the parent
// may contain such a claim without knowing that session.
func (l *Ledger) enter(tallies []tally) {
	n := 0
	for i := range tallies {
		n += len(tallies[i].own) + len(tallies[i].claims)
	}
	seen := make(map[spending.Fingerprint]bool, n)
	l.Responses = make([]Response, 0, n)
	for i := range tallies {
		for _, c := range tallies[i].claims {
			if c.recorded {
				seen[c.Key] = true
			}
		}
	}
	add := func(session int, f *spending.Response) {
		into := &l.Responses
		if seen[f.Key] {
			into = &l.Copied
		}
		seen[f.Key] = true
		*into = append(*into, Response{Session: session, Time: f.Time, Model: f.Model, Kind: Kind(f.Kind), Spent: f.Spent})
	}
	for i := range tallies {
		for j := range tallies[i].own {
			add(i, &tallies[i].own[j])
		}
		for j := range tallies[i].claims {
			if c := &tallies[i].claims[j]; !c.recorded {
				add(i, &c.Response)
			}
		}
		tallies[i] = tally{} // the ledger has it now
	}
}
