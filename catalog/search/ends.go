package search

import (
	"context"
	"math"
)

// sessionEnds are the last and the first hit of a session, and their number.
type sessionEnds struct {
	last, first *Hit
	count       int
}

// take takes a hit that precedes the others in the session.
func (e *sessionEnds) take(h Hit) {
	if e.last == nil {
		e.last = &h
	}
	e.first = &h
}

// ends finds the last and the first hit of each session and counts its hits.
func (s *searching) ends(ctx context.Context) error {
	all := make([]sessionEnds, len(s.targets))
	var steps []step
	for i := range s.targets {
		if s.targets[i].info.Size > s.scanFrom(&s.targets[i]) {
			steps = append(steps, step{scan: i})
		}
	}
	n := 0
	for out := range s.scans(ctx, steps, math.MaxInt) { // they follow those in the index
		s.account(ctx, &out)
		e := &all[steps[n].scan]
		for _, h := range out.hits {
			e.take(h)
		}
		e.count = len(out.hits)
		n++
	}
	if s.have != nil && len(s.phrases) > 0 && ctx.Err() == nil {
		if err := s.endsInIndex(ctx, all); err != nil {
			return err
		}
	}
	for _, e := range all {
		if e.last == nil {
			continue
		}
		e.last.Matches, e.first.Matches = e.count, e.count
		s.results.Hits = append(s.results.Hits, *e.last)
		if e.first != e.last {
			s.results.Hits = append(s.results.Hits, *e.first)
		}
	}
	return ctx.Err()
}

// endsInIndex adds the hits that the index finds. If all its documents are
// hits, it reads only those at the ends of each session.
func (s *searching) endsInIndex(ctx context.Context, all []sessionEnds) error {
	docs, err := s.o.Index.texts.Latest(ctx, s.phrases, 0, math.MaxInt64, math.MaxInt32)
	if err != nil {
		return err
	}
	counted := s.indexDecides()
	if counted {
		docs = s.countDocuments(docs, all)
	}
	for doc, h := range s.allIndexed(ctx, docs) {
		r, _ := s.have.runOf(doc)
		e := &all[s.bySrc[r.of.number]-1]
		if e.take(h); !counted {
			e.count++
		}
	}
	return nil
}

// countDocuments adds the number of documents of each session, and returns
// those to read: the last, unless a later hit is known, and the first.
func (s *searching) countDocuments(docs []int64, all []sessionEnds) []int64 {
	first, last := make([]int64, len(all)), make([]int64, len(all))
	var r run
	of := -1
	for _, doc := range docs { // the highest first
		if of < 0 || doc < r.First {
			if found, ok := s.have.runOf(doc); ok {
				r, of = found, s.bySrc[found.of.number]-1
			} else {
				of = -1
			}
		}
		if of < 0 {
			continue
		}
		if first[of] = doc; last[of] == 0 {
			last[of] = doc
		}
		all[of].count++
	}
	var ends []int64
	for i := range all {
		if last[i] > first[i] && all[i].last == nil {
			ends = append(ends, last[i])
		}
		if first[i] > 0 {
			ends = append(ends, first[i])
		}
	}
	return ends
}

// indexDecides reports whether every document that the index finds is a hit.
func (s *searching) indexDecides() bool {
	for _, t := range s.q.Terms {
		if t.Regexp != nil || len(t.Words) != 1 {
			return false // a phrase may be found across two texts of an entry
		}
	}
	q := s.q
	return s.o.Veil == nil && q.Role == "" && q.Tool == "" && q.File == "" && !q.Active && !q.Any && q.Since.IsZero() && q.Until.IsZero()
}
