package search

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"math"
	"slices"

	"github.com/pith-sessions/pith/internal/parallel"
)

// A step is a unit of work of a search for the newest hits: a session, or the
// rest of one, to be scanned, or documents with consecutive numbers to be
// requested from the index. The order of steps is that of the hits.
type step struct {
	scan        int // target; -1 for documents
	first, last int64
}

// steps returns the work in order. Sessions whose documents are adjacent in the
// index in the order of the sessions, which is how Fill adds them, become one
// step.
func (s *searching) steps() []step {
	var out []step
	for i := range s.targets {
		t := &s.targets[i]
		if t.info.Size > s.scanFrom(t) {
			out = append(out, step{scan: i})
		}
		if t.src == nil || len(s.phrases) == 0 {
			continue
		}
		for _, run := range slices.Backward(t.src.runs) {
			last := run.First + int64(run.Count) - 1
			if n := len(out) - 1; n >= 0 && out[n].scan < 0 && out[n].first == last+1 {
				out[n].first = run.First
				continue
			}
			out = append(out, step{scan: -1, first: run.First, last: last})
		}
	}
	return out
}

// askedSingly is the number of steps requested from the index one by one. A
// query that has not found enough by then has few hits, and the rest are
// requested together.
const askedSingly = 48

// newest finds the newest hits.
func (s *searching) newest(ctx context.Context) error {
	steps := s.steps()
	most := s.o.Limit + 1
	if s.o.PerSession > 0 {
		most = s.o.PerSession
	}
	next, stop := iter.Pull(s.scans(ctx, steps, most))
	defer stop()
	asked := 0
	var rest []int64 // all documents, the highest first, once requested
	for _, st := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := true, error(nil)
		switch {
		case st.scan >= 0:
			out, ok := next()
			if !ok {
				return ctx.Err()
			}
			s.account(ctx, &out)
			more = s.take(out.hits...)
		case asked < askedSingly:
			asked++
			more, err = s.ask(ctx, st)
			if asked == askedSingly && more && err == nil {
				rest, err = s.o.Index.texts.Latest(ctx, s.phrases, 0, math.MaxInt64, math.MaxInt32)
			}
		default:
			i, _ := slices.BinarySearchFunc(rest, st.last, func(doc, last int64) int { return cmp.Compare(last, doc) })
			for ; more && i < len(rest) && rest[i] >= st.first; i++ {
				more = s.takeDocument(ctx, rest[i])
			}
		}
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// A scanned is the result of scanning a session.
type scanned struct {
	path string
	hits []Hit
	read int64
	err  error
}

// scans scans the sessions of steps, several concurrently, for at most most
// hits in each.
func (s *searching) scans(ctx context.Context, steps []step, most int) iter.Seq[scanned] {
	var targets []*target
	for _, st := range steps {
		if st.scan >= 0 {
			t := &s.targets[st.scan]
			s.toScan += t.info.Size - s.scanFrom(t)
			targets = append(targets, t)
		}
	}
	return parallel.InOrder(ctx, len(targets), func(ctx context.Context, w *scanner, i int) scanned {
		if w.judge == nil {
			*w = *newScanner(s.q, s.weighs(), s.o.Veil)
		}
		before := w.read
		hits, err := s.scanTarget(ctx, w, targets[i], most)
		return scanned{targets[i].info.Path, hits, w.read - before, err}
	})
}

// account adds the cost of a scan, and reports a session that could not be
// read, unless it was removed since it was listed.
func (s *searching) account(ctx context.Context, out *scanned) {
	s.results.Scanned += out.read
	if s.o.Progress != nil {
		s.o.Progress(min(s.results.Scanned, s.toScan), s.toScan) // a session may have grown
	}
	if out.err != nil && ctx.Err() == nil && !errors.Is(out.err, fs.ErrNotExist) && s.o.Catalog.Skipped != nil {
		s.o.Catalog.Skipped(out.path, out.err)
	}
}

// take adds hits. It returns false if there are enough.
func (s *searching) take(hits ...Hit) bool {
	if s.o.PerSession > 0 {
		hits = slices.DeleteFunc(hits, func(h Hit) bool {
			s.taken[h.Session.Path]++
			return s.taken[h.Session.Path] > s.o.PerSession
		})
	}
	room := s.o.Limit - len(s.results.Hits)
	s.results.Hits = append(s.results.Hits, hits[:min(room, len(hits))]...)
	s.results.More = len(hits) > room
	return !s.results.More
}

// takeDocument adds the hit of a document, if it matches. It returns false if
// there are enough.
func (s *searching) takeDocument(ctx context.Context, doc int64) bool {
	h, ok := s.indexed(ctx, doc)
	return !ok || s.take(h)
}

// ask requests the hits of a step of documents from the index. It returns false
// if there are enough.
func (s *searching) ask(ctx context.Context, st step) (more bool, err error) {
	last := st.last
	// Request as many as are missing: each request for a prefix costs the index
	// all of its documents, however few are taken.
	for most := max(64, min(s.o.Limit-len(s.results.Hits)+1, 1024)); last >= st.first; most *= 8 {
		docs, err := s.o.Index.texts.Latest(ctx, s.phrases, st.first, last, most)
		if err != nil {
			return false, err
		}
		for _, doc := range docs {
			if !s.takeDocument(ctx, doc) {
				return false, nil
			}
			last = doc - 1
		}
		if len(docs) < most {
			break
		}
	}
	return true, ctx.Err()
}
