package search

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/pith-sessions/pith/internal/pump"
)

// A step is a piece of work of a search for the newest hits: a session, or the
// rest of one, to be scanned, or documents with consecutive numbers to be asked
// of the index. The order of steps is that of the hits.
type step struct {
	scan        int // target; -1 for documents
	first, last int64
}

// steps puts the work in order. Sessions whose documents follow each other in the
// index as the sessions do, which is how Fill puts them there, become one step.
func (s *searching) steps() []step {
	var out []step
	for i := range s.targets {
		t := &s.targets[i]
		if t.size > s.scanFrom(t) {
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

// askedSingly is how many steps are asked of the index one by one. A query that
// has not found enough then has few hits, and they are asked for all at once.
const askedSingly = 48

// newest finds the newest hits.
func (s *searching) newest(ctx context.Context) error {
	steps := s.steps()
	next, stop := iter.Pull(s.scans(ctx, steps, s.o.Limit+1))
	defer stop()
	asked := 0
	var rest []int64 // documents, the highest first; nil before they were asked for
	for _, st := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if st.scan >= 0 {
			out, ok := next()
			if !ok {
				return ctx.Err()
			}
			if !s.takeScan(ctx, st, out) {
				return nil
			}
			continue
		}
		if asked++; asked == askedSingly {
			if err := s.askAll(ctx, &rest); err != nil {
				return err
			}
		}
		more, err := s.documents(ctx, st, rest)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// A scanned is what the scan of a session found.
type scanned struct {
	hits []Hit
	read int64
	err  error
}

// scans scans the sessions of steps, several at once, for so many hits in each.
func (s *searching) scans(ctx context.Context, steps []step, most int) iter.Seq[scanned] {
	var targets []int
	for _, st := range steps {
		if st.scan >= 0 {
			targets = append(targets, st.scan)
		}
	}
	return pump.InOrder(ctx, len(targets), func(ctx context.Context, w *scanner, i int) scanned {
		if w.matcher == nil {
			*w = *newScanner(s.q)
		}
		before := w.read
		hits, err := s.scanTarget(ctx, w, &s.targets[targets[i]], most)
		return scanned{hits, w.read - before, err}
	})
}

func (s *searching) takeScan(ctx context.Context, st step, out scanned) bool {
	s.results.Scanned += out.read
	if out.err != nil && ctx.Err() == nil && s.o.Catalog.Skipped != nil {
		s.o.Catalog.Skipped(s.targets[st.scan].info.Path, out.err)
	}
	for _, h := range out.hits {
		if !s.take(h) {
			return false
		}
	}
	return true
}

// take adds a hit; false if there are enough.
func (s *searching) take(h Hit) bool {
	if len(s.results.Hits) == s.o.Limit {
		s.results.More = true
		return false
	}
	s.results.Hits = append(s.results.Hits, h)
	return true
}

// askAll asks for all documents at once.
func (s *searching) askAll(ctx context.Context, rest *[]int64) error {
	*rest = []int64{}
	return s.o.Index.texts.Latest(ctx, s.phrases, 0, math.MaxInt64, math.MaxInt32, func(doc int64) bool {
		*rest = append(*rest, doc)
		return true
	})
}

// documents takes the hits of a step of documents; false if there are enough.
func (s *searching) documents(ctx context.Context, st step, all []int64) (more bool, err error) {
	if all != nil {
		i, _ := slices.BinarySearchFunc(all, st.last, func(doc, last int64) int { return cmp.Compare(last, doc) })
		for ; i < len(all) && all[i] >= st.first; i++ {
			if h, ok := s.indexed(ctx, all[i]); ok && !s.take(h) {
				return false, nil
			}
		}
		return true, ctx.Err()
	}
	// The database is not asked for anything else while an answer is read, so
	// the numbers are collected first, few at a time at the beginning.
	last := st.last
	for most := 64; last >= st.first; most *= 8 {
		var docs []int64
		if err := s.o.Index.texts.Latest(ctx, s.phrases, st.first, last, most, func(doc int64) bool {
			docs = append(docs, doc)
			return true
		}); err != nil {
			return false, err
		}
		for _, doc := range docs {
			if h, ok := s.indexed(ctx, doc); ok && !s.take(h) {
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
