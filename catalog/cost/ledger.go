package cost

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/scans"
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
	// CacheDir is a directory in which scan results are stored, so that a file
	// is read again only after it changed: see [catalog.Index.Dir]. If it is
	// empty, nothing is stored.
	CacheDir string
	// Days, if it is set, lets Count return the sums of responses of a session
	// within a quarter of an hour, with the same model and kind, if all of them
	// are in the same day of this zone. That takes less time if nothing has
	// changed, but [Ledger.Between] must not be used with a limit that [Divides]
	// a sum.
	Days *time.Location
	// Known returns what a [Tally] made of a session that is not in a file here.
	// It must be safe for concurrent use. Nil means that all are in files.
	Known func(path string) (pieces []string, ok bool)
	// Alone has the sums of sessions that share no responses with others, by
	// path: see [Alone]. It requires Days.
	Alone map[string][]Response
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

// Count reads the responses of sessions and estimates unknown costs. Copies are detected only among the
// given sessions, so pass all sessions that may have copied from each other and
// filter the responses afterwards. A session that was deleted meanwhile is left
// out. An error means that ctx ended.
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
	sums := o.sums(l.Sessions)
	if sums.load(ctx, l) {
		return l, nil
	}
	fam := newFamily(l.Sessions, o.Environment)
	tallies := make([]tally, 0, len(l.Sessions))
	kept := scans.Open(ctx, o.CacheDir, keptKind, keptVersion)
	var saving sync.WaitGroup
	defer saving.Wait()
	read := func(ctx context.Context, r *reader, i int) tally {
		r.kept = kept
		info := &l.Sessions[i]
		defer func() { info.Responses = "" }() // the ledger has them
		if sums, ok := o.Alone[info.Path]; ok {
			return tally{sums: sums}
		}
		if o.Known != nil {
			if pieces, ok := o.Known(info.Path); ok && unpackPieces(&r.scan, pieces) {
				return tally{own: string(r.scan.Pack())}
			}
		}
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
	saving.Go(func() { kept.Close(ctx) }) // beside the rest, which does not need it
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	whole := !slices.ContainsFunc(tallies, func(t tally) bool { return t.err != nil || spending.PackedRuns(t.own) || len(t.claims) > 0 })
	l.enter(tallies)
	if whole {
		sums.save(ctx, l)
	}
	return l, nil
}

// A tally is the result for one session file. The responses stay packed until
// they are entered, because there are very many.
type tally struct {
	own    string
	claims []claim
	sums   []Response // of a session that shares no responses
	err    error
}

func (r *reader) session(ctx context.Context, info *catalog.Info, fam *family) (t tally) {
	t.own, t.err = r.file(ctx, info.Path, info)
	if t.err == nil && spending.PackedRuns(t.own) {
		if t.err = r.scan.Unpack(t.own); t.err == nil {
			r.scan.Found, t.claims, t.err = r.spentByRuns(ctx, info.Path, slices.Clone(r.scan.Found), fam)
			t.own = string(r.scan.Pack())
		}
	}
	return t
}

// enter adds tallies to the ledger. Claims of runs whose own session was found
// are marked as seen before anything is counted, because a fork of the parent
// may contain such a claim without knowing that session.
func (l *Ledger) enter(tallies []tally) {
	n := 0
	for i := range tallies {
		n += spending.PackedCount(tallies[i].own) + len(tallies[i].claims) + len(tallies[i].sums)
	}
	seen := newKeySet(n)
	l.Responses = make([]Response, 0, n)
	for i := range tallies {
		for _, c := range tallies[i].claims {
			if c.recorded {
				seen.add(c.Key)
			}
		}
	}
	add := func(session int, f *spending.Response) {
		into := &l.Responses
		if !seen.add(f.Key) {
			into = &l.Copied
		}
		*into = append(*into, Response{Session: session, Count: 1, Time: f.Time, Model: f.Model, Kind: Kind(f.Kind), Spent: f.Spent})
	}
	var s spending.Scanner
	for i := range tallies {
		for _, r := range tallies[i].sums {
			r.Session = i
			l.Responses = append(l.Responses, r)
		}
		_ = s.Unpack(tallies[i].own) // packed by this program
		for j := range s.Found {
			add(i, &s.Found[j])
		}
		for j := range tallies[i].claims {
			if c := &tallies[i].claims[j]; !c.recorded {
				add(i, &c.Response)
			}
		}
		tallies[i] = tally{} // the ledger has it now
	}
}
